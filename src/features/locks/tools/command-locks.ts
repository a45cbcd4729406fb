// Which locks a shell command needs. Scopes are real paths, with symbolic links resolved.
import { existsSync } from "node:fs"
import { homedir } from "node:os"
import { basename, dirname, join } from "node:path"
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
