// Which locks a shell command needs. Scopes are real paths, with symbolic links resolved.
import { existsSync } from "node:fs"
import { homedir } from "node:os"
import { basename, dirname, join } from "node:path"
import { locksOfCommand } from "./commands/locks-of-command.ts"
import type { LockRequest } from "../conflicts.ts"
import { realPathOf } from "../../../tools/files/paths.ts"

export function commandLocks(commandLine: string, cwd: string): readonly LockRequest[] {
  const requests = locksOfCommand(commandLine, cwd, homedir()).map(({ kind, folder, holdsIn, notDuring }) => {
    const realPath = realPathOf(folder, cwd)
    const request = { kind, scope: holdsIn === "repository" ? repositoryOf(realPath) : realPath }
    return notDuring === undefined ? request : { ...request, notDuring }
  })
  return [...new Map(requests.map((request) => [`${request.kind}:${request.scope}`, request])).values()]
}

/** The working tree that contains a folder; the folder itself where there is none. */
function repositoryOf(folder: string): string {
  for (let at = folder; ; at = dirname(at)) {
    if (basename(at) === ".git") return dirname(at)
    if (existsSync(join(at, ".git"))) return at
    if (dirname(at) === at) return folder
  }
}
