// How a command line is run: by bash where there is one, else by sh.
import { accessSync, constants } from "node:fs"
import { delimiter, join } from "node:path"

// The command writes both its streams into one pipe, in order, which a `cat` carries on. A pipe and not our own end
// of the line, since that is a socket and cannot be opened as /dev/stdout or /dev/stderr. The `cat` lives until the
// last writer is gone, so that a command may have last words after SIGTERM.
const throughPipe = `if command -v cat >/dev/null; then exec > >(trap '' TERM; exec cat); fi; exec 2>&1; exec "$BASH" -c "$1"`
const plain = `exec 2>&1; exec /bin/sh -c "$1"`

export interface ShellCall {
  readonly command: string
  readonly args: readonly string[]
}

export function shellCall(commandLine: string, bash: string | undefined): ShellCall {
  if (bash === undefined) return { command: "/bin/sh", args: ["-c", plain, "sh", commandLine] }
  return { command: bash, args: ["-c", throughPipe, "bash", commandLine] }
}

export function findBash(env: Readonly<Record<string, string>>): string | undefined {
  const inPath = env["PATH"] ?? ""
  const folders = ["/bin", "/usr/bin", ...inPath.split(delimiter).filter((folder) => folder.startsWith("/"))]
  return folders.map((folder) => join(folder, "bash")).find(isProgram)
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}
