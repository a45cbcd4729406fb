// Deletes sessions: lists them, asks for confirmation unless --yes is given, and deletes each in one transaction. An open
// session is never deleted.
import { counted, columns, writeJson, ago } from "./output.ts"
import type { EventLog } from "../log/event-log.ts"
import { accepted, exitCodes } from "../app/app-fault.ts"
import { confirmed } from "./confirm.ts"
import { withLease } from "../app/host/lease.ts"
import { titleOf, type ListedSession } from "../app/sessions/sessions.ts"
import { oneLine } from "../contract/text/text.ts"
import { printNotice } from "../app/terminal.ts"

export interface Removal {
  readonly role: "rm" | "prune"
  readonly yes: boolean
  readonly json: boolean
}

const titleWidth = 60

export async function removeSessions(
  log: EventLog,
  sessions: readonly ListedSession[],
  { role, yes, json }: Removal,
): Promise<number> {
  if (!yes) printNotice(whatGoes(sessions))
  if (!(await confirmed(yes, `Delete ${counted(sessions.length, "session")} permanently?`))) {
    printNotice("nothing deleted")
    return exitCodes.refused
  }
  const deleted = await withLease(log, role, async (lease) => {
    const gone: string[] = []
    for (const { row } of sessions) {
      accepted(await log.claim(lease, row.sessionId))
      accepted(await log.remove(lease, row.sessionId))
      gone.push(row.sessionId)
      if (!json) process.stdout.write(`deleted ${row.sessionId}\n`)
    }
    return gone
  })
  if (json) writeJson({ deleted })
  return exitCodes.done
}

export function whatGoes(sessions: readonly ListedSession[]): string {
  const now = Date.now()
  const rows = sessions.map(({ row, status }) => [
    `  ${row.sessionId}`,
    ago(now - row.updatedAt),
    oneLine(titleOf(status), titleWidth),
  ])
  const grants = sessions.reduce((sum, { status }) => sum + status.folderGrants.length, 0)
  const also = grants === 0 ? [] : [`  and ${counted(grants, "standing permission")} for a folder`]
  return [...columns(rows), ...also].join("\n")
}
