// Deletes sessions after listing them and, unless --yes is given, a confirmation.
import { exitCodes } from "../app/app-fault.ts"
import { removeSessions } from "../app/host/lease.ts"
import { titleOf, type HomeLog, type ListedSession } from "../app/sessions/sessions.ts"
import { printNotice } from "../app/terminal.ts"
import { oneLine } from "../contract/text/text.ts"
import { confirmed } from "./confirm.ts"
import { columns, writeJson } from "./output.ts"
import { ago, counted } from "../display/format.ts"

export interface Removal {
  readonly role: "rm" | "prune"
  readonly yes: boolean
  readonly json: boolean
}

const titleWidth = 60

export async function confirmAndRemove(
  log: HomeLog,
  sessions: readonly ListedSession[],
  { role, yes, json }: Removal,
): Promise<number> {
  if (!yes) printNotice(describeSessions(sessions))
  if (!(await confirmed(yes, `Delete ${counted(sessions.length, "session")} permanently?`))) {
    printNotice("nothing deleted")
    return exitCodes.refused
  }
  const deleted = sessions.map(({ row }) => row.sessionId)
  await removeSessions(log, role, deleted, (id) => json || process.stdout.write(`deleted ${id}\n`))
  if (json) writeJson({ deleted })
  return exitCodes.done
}

export function describeSessions(sessions: readonly ListedSession[]): string {
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
