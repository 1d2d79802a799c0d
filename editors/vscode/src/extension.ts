/** Starts `nkilint lsp` and connects the editor with it. Everything else is the server's. */

import * as vscode from "vscode";
import { LanguageClient, type LanguageClientOptions, type ServerOptions } from "vscode-languageclient/node";

import { serverCommand } from "./command";

const SECTION = "nkilint";

interface PythonApi {
  settings?: {
    getExecutionDetails?: (resource?: vscode.Uri) => { execCommand?: string[] };
    onDidChangeExecutionDetails?: vscode.Event<unknown>;
  };
}

let client: LanguageClient | undefined;
let output: vscode.OutputChannel | undefined;

export async function activate(context: vscode.ExtensionContext): Promise<void> {
  output = vscode.window.createOutputChannel(SECTION);
  const python = await pythonApi();
  const changed = python?.settings?.onDidChangeExecutionDetails;
  context.subscriptions.push(
    output,
    vscode.commands.registerCommand("nkilint.restart", () => restart(python)),
    vscode.commands.registerCommand("nkilint.showOutput", () => output?.show()),
    vscode.workspace.onDidGrantWorkspaceTrust(() => restart(python)),
    vscode.workspace.onDidChangeConfiguration(async (event) => {
      if (event.affectsConfiguration("nkilint.command")) {
        await restart(python);
      }
    }),
  );
  if (changed) {
    context.subscriptions.push(changed(() => restart(python)));
  }
  await start(python);
}

export async function deactivate(): Promise<void> {
  const running = client;
  client = undefined;
  await running?.stop();
}

async function restart(python: PythonApi | undefined): Promise<void> {
  await deactivate();
  await start(python);
}

async function start(python: PythonApi | undefined): Promise<void> {
  const settings = vscode.workspace.getConfiguration(SECTION);
  const folder = vscode.workspace.workspaceFolders?.[0]?.uri;
  const interpreter = python?.settings?.getExecutionDetails?.(folder).execCommand;
  const command = serverCommand(settings.get<string[]>("command", []), interpreter);
  const server: ServerOptions = { ...command, options: { cwd: folder?.fsPath } };
  const options: LanguageClientOptions = {
    documentSelector: ["file", "untitled", "vscode-notebook-cell"].map((scheme) => ({ scheme, language: "python" })),
    initializationOptions: { ...settings, trusted: vscode.workspace.isTrusted },
    synchronize: { configurationSection: SECTION },
    outputChannel: output,
  };
  const starting = new LanguageClient(SECTION, "nkilint", server, options);
  client = starting;
  try {
    await starting.start();
  } catch (error) {
    const shown = [command.command, ...command.args].join(" ");
    output?.appendLine(`${shown}: ${error instanceof Error ? error.message : String(error)}`);
    if (client === starting) {
      client = undefined;
    }
    const help = "Install nkilint with its extra `lsp`, or set `nkilint.command`.";
    void vscode.window.showErrorMessage(`\`${shown}\` did not start. ${help}`);
  }
}

async function pythonApi(): Promise<PythonApi | undefined> {
  const extension = vscode.extensions.getExtension<PythonApi>("ms-python.python");
  return extension === undefined ? undefined : await extension.activate();
}
