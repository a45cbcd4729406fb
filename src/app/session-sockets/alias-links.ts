// Links the files of a session's socket under its alias, so that viewers find it by that name.
import { readlinkSync, rmSync, symlinkSync } from "node:fs"
import { basename } from "node:path"
import { agentFiles } from "../../protocols/ipc/agent-paths.ts"

/** Returns a function that removes the links; nothing if the alias is the id itself. */
export function linkAlias(folder: string, sessionId: string, alias: string | undefined): (() => void) | undefined {
  if (alias === undefined || sessionId.startsWith(alias.toLowerCase())) return undefined
  const [files, links] = [agentFiles(folder, sessionId), agentFiles(folder, alias)]
  const made = [
    [files.socket, links.socket],
    [files.token, links.token],
    [files.metadata, links.metadata],
  ] as const
  for (const [file, link] of made) {
    rmSync(link, { force: true })
    symlinkSync(basename(file), link)
  }
  return () => {
    for (const [file, link] of made) if (leadsTo(link) === basename(file)) rmSync(link, { force: true })
  }
}

/** Another agent may have replaced the link. */
function leadsTo(link: string): string | undefined {
  try {
    return readlinkSync(link)
  } catch {
    return undefined // not a link, or missing
  }
}
