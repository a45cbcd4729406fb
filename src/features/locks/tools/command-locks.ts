// Which locks a shell command or a written file needs. Scopes are real paths, with symbolic links resolved.
import { existsSync } from "node:fs"
import { homedir } from "node:os"
import { basename, dirname, join, extname } from "node:path"
import { locksOfCommand } from "./commands/locks-of-command.ts"
import type { Want } from "../conflicts.ts"
import { realPathOf } from "../../../tools/paths.ts"

export function commandLocks(commandLine: string, cwd: string): readonly Want[] {
  const wants = locksOfCommand(commandLine, cwd, homedir()).map(({ kind, folder, holdsIn, notDuring }) => {
    const real = realPathOf(folder, cwd)
    const want = { kind, scope: holdsIn === "repository" ? repositoryOf(real) : real }
    return notDuring === undefined ? want : { ...want, notDuring }
  })
  return [...new Map(wants.map((want) => [`${want.kind}:${want.scope}`, want])).values()]
}

/** The working tree that contains a folder; the folder itself where there is none. */
function repositoryOf(folder: string): string {
  for (let at = folder; ; at = dirname(at)) {
    if (basename(at) === ".git") return dirname(at)
    if (existsSync(join(at, ".git"))) return at
    if (dirname(at) === at) return folder
  }
}

/** Writing a source file waits for builds and tests; writing prose does not. */
export function fileLocks(path: string, cwd: string): readonly Want[] {
  if (path.includes("\0") || !isSource(path)) return []
  return [{ kind: "file_write", scope: realPathOf(path, cwd) }]
}

const proseEnds = new Set([".md", ".mdx", ".txt", ".rst", ".adoc", ".log", ".pdf", ".csv", ".tsv"])

function isSource(path: string): boolean {
  return !proseEnds.has(extname(path).toLowerCase()) || basename(path).toLowerCase() === "cmakelists.txt"
}
