// The manifest says what the code does, and activation starts the server it should.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import Module, { createRequire } from "node:module";
import { beforeEach, test } from "node:test";
import { buildSync } from "esbuild";

const require = createRequire(import.meta.url);
const manifest = JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8"));
const source = readFileSync(new URL("../src/extension.ts", import.meta.url), "utf8");

// Editor and client as far as the extension uses them.
let settings, extensions, started, stopped, shown, commands, listeners, granted, failure;
const vscode = {
  window: {
    createOutputChannel: () => ({ appendLine() {}, show() {}, dispose() {} }),
    showErrorMessage: (text) => shown.push(text),
  },
  commands: { registerCommand: (name, run) => (commands[name] = run) && { dispose() {} } },
  workspace: {
    workspaceFolders: [{ uri: { fsPath: "/work space" } }],
    getConfiguration: () => ({ get: (key, otherwise) => settings[key] ?? otherwise }),
    isTrusted: true,
    onDidChangeConfiguration: (run) => listeners.push(run) && { dispose() {} },
    onDidGrantWorkspaceTrust: (run) => granted.push(run) && { dispose() {} },
  },
  extensions: { getExtension: (name) => extensions[name] },
};
class LanguageClient {
  constructor(id, name, server, options) {
    Object.assign(this, { id, name, server, options });
  }
  async start() {
    if (failure) throw new Error(failure);
    started.push(this);
  }
  async stop() {
    stopped.push(this);
  }
}
const load = Module._load;
Module._load = (name, ...rest) =>
  name === "vscode" ? vscode : name === "vscode-languageclient/node" ? { LanguageClient } : load(name, ...rest);
buildSync({
  entryPoints: ["src/extension.ts"],
  bundle: true,
  platform: "node",
  external: ["vscode", "vscode-languageclient"],
  outfile: "out/test/extension.js",
});
const extension = require("../out/test/extension.js");

beforeEach(async () => {
  await extension.deactivate();
  [settings, extensions, started, stopped, shown, commands] = [{}, {}, [], [], [], {}];
  [listeners, granted, failure] = [[], [], ""];
});

async function activated() {
  await extension.activate({ subscriptions: [] });
  return started.at(-1)?.server;
}

test("the manifest activates on Python and points at what is built", () => {
  assert.deepEqual(manifest.activationEvents, ["onLanguage:python"]);
  assert.equal(manifest.main, "./out/extension.js");
  assert.match(readFileSync(new URL("../out/extension.js", import.meta.url), "utf8"), /require\("vscode"\)/);
});

test("every command is registered, and none besides", async () => {
  await activated();
  assert.deepEqual(Object.keys(commands).sort(), manifest.contributes.commands.map((c) => c.command).sort());
});

test("every setting has a description and a default of its type", () => {
  for (const [name, property] of Object.entries(manifest.contributes.configuration.properties)) {
    assert.match(name, /^nkilint\./);
    assert.ok(property.description ?? property.markdownDescription, name);
    const value = property.default;
    const type = value === null ? "null" : Array.isArray(value) ? "array" : typeof value;
    assert.ok([property.type].flat().includes(type), name);
    if (property.enum) assert.ok(property.enum.includes(value), name);
  }
});

test("a workspace that is not trusted cannot choose the command", () => {
  assert.ok(manifest.capabilities.untrustedWorkspaces.restrictedConfigurations.includes("nkilint.command"));
  assert.match(source, /get<string\[\]>\("command", \[\]\)/);
});

test("the server learns whether the workspace is trusted, and when it becomes so", async () => {
  vscode.workspace.isTrusted = false;
  await activated();
  assert.equal(started.at(-1).options.initializationOptions.trusted, false);
  vscode.workspace.isTrusted = true;
  await granted[0]();
  assert.equal(started.at(-1).options.initializationOptions.trusted, true);
});

test("the server is looked for on the path", async () => {
  const server = await activated();
  assert.deepEqual([server.command, server.args], ["nkilint", ["lsp"]]);
  assert.equal(server.options.cwd, "/work space");
});

test("the interpreter of the Python extension comes before the path", async () => {
  const api = { settings: { getExecutionDetails: () => ({ execCommand: ["/venv/bin/python", "-X", "utf8"] }) } };
  extensions["ms-python.python"] = { activate: async () => api };
  const server = await activated();
  assert.deepEqual([server.command, server.args], ["/venv/bin/python", ["-X", "utf8", "-m", "nkilint", "lsp"]]);
});

test("the setting comes first, and a change of it starts the server again", async () => {
  await activated();
  settings.command = ["uvx", "nkilint"];
  for (const listener of listeners) await listener({ affectsConfiguration: (name) => name === "nkilint.command" });
  assert.equal(stopped.length, 1);
  assert.deepEqual([started.at(-1).server.command, started.at(-1).server.args], ["uvx", ["nkilint", "lsp"]]);
  for (const listener of listeners) await listener({ affectsConfiguration: () => false });
  assert.equal(started.length, 2);
});

test("a new interpreter starts the server again", async () => {
  let change;
  const settings = { onDidChangeExecutionDetails: (run) => ((change = run), { dispose() {} }) };
  extensions["ms-python.python"] = { activate: async () => ({ settings }) };
  await activated();
  await change();
  assert.deepEqual([started.length, stopped.length], [2, 1]);
});

test("the client passes on the settings and looks at Python files", async () => {
  await activated();
  const { options } = started[0];
  const schemes = ["file", "untitled", "vscode-notebook-cell"];
  assert.deepEqual(options.documentSelector, schemes.map((scheme) => ({ scheme, language: "python" })));
  assert.equal(options.synchronize.configurationSection, "nkilint");
  assert.ok(options.initializationOptions);
});

test("a server that does not start is one message, and can be tried again", async () => {
  failure = "spawn nkilint ENOENT";
  await activated();
  assert.equal(shown.length, 1);
  assert.match(shown[0], /`nkilint lsp` did not start.*Install nkilint with its extra `lsp`/);
  failure = "";
  await commands["nkilint.restart"]();
  assert.equal(started.length, 1);
  await extension.deactivate();
  assert.equal(stopped.length, 1);
});
