// Packs the built extension into nkilint.vsix.
import { copyFileSync } from "node:fs";
import { createVSIX } from "@vscode/vsce";

copyFileSync("../../LICENSE", "LICENSE");
await createVSIX({ cwd: ".", packagePath: "nkilint.vsix", dependencies: false, allowMissingRepository: true });
