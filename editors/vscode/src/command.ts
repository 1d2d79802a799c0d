/** Which command starts the server. */

export interface Command {
  readonly command: string;
  readonly args: string[];
}

/** The first that is given: the setting, the interpreter chosen in the Python extension, `nkilint` on the path. */
export function serverCommand(setting: readonly string[], interpreter: readonly string[] | undefined): Command {
  const [command, ...args] = setting;
  if (command !== undefined) {
    return { command, args: [...args, "lsp"] };
  }
  const [python, ...options] = interpreter ?? [];
  if (python !== undefined) {
    return { command: python, args: [...options, "-m", "nkilint", "lsp"] };
  }
  return { command: "nkilint", args: ["lsp"] };
}
