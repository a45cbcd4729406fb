// Permissions that were given in advance for every session in a folder.
import type { Grant } from "../contract/values.ts"
import type { EventLog } from "../log/event-log.ts"
import { readStatus } from "../projection/status.ts"

/** Permissions given for a folder are stored in the session in which they were given, and in its directory row. */
export async function folderGrants(log: EventLog, cwd: string): Promise<readonly Grant[]> {
  const listed = await log.list()
  if (listed.kind === "refused") return [] // an unreadable directory permits nothing
  return listed.value.flatMap(({ summary }) => {
    const status = readStatus(summary)
    return status?.cwd === cwd && status.org === "local" ? status.folderGrants : []
  })
}
