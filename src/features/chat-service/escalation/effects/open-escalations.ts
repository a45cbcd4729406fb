// Open escalations of all sessions, read from the directory.
import { ok, type EventLog, type Outcome, type SessionRow } from "../../../../log/event-log.ts"
import { readStatus } from "../../../../projection/status.ts"

export interface OpenEscalation {
  readonly row: SessionRow
  readonly reason: string
  readonly requestedAt: number
}

/** Oldest first. */
export async function openEscalations(log: EventLog): Promise<Outcome<readonly OpenEscalation[]>> {
  const listed = await log.list()
  if (listed.kind === "refused") return listed
  const open = listed.value.flatMap((row) => {
    const escalated = readStatus(row.summary)?.escalated
    return escalated === undefined ? [] : [{ row, reason: escalated.reason, requestedAt: escalated.at }]
  })
  return ok(open.toSorted((first, other) => first.requestedAt - other.requestedAt))
}
