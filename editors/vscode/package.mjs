// Packs the built extension into nkilint.vsix, with the licence and the changes of the whole project.
import { copyFileSync } from "node:fs";
import { createVSIX } from "@vscode/vsce";

for (const file of ["LICENSE", "CHANGELOG.md"]) copyFileSync(`../../${file}`, file);
await createVSIX({ cwd: ".", packagePath: "nkilint.vsix", dependencies: false, allowMissingRepository: true });
