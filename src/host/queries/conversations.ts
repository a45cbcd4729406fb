// Queries of the WebSocket API: the session of a visit, and the conversations of a caller.
import type { Queries } from "../../contract/queries.ts"
import type { VisitReport } from "../../contract/views/host.ts"
import { ok, refused, type EventLog, type Outcome, type SessionRow } from "../../log/event-log.ts"
import { readStatus } from "../../projection/status.ts"
import type { SessionHost } from "../session-host.ts"
import { foldsOf } from "./open-folds.ts"

/** The visit as it was opened; missing client facts come from the session. */
export async function visitOf(
  host: SessionHost,
  { visitId, brief = false }: Queries["visit"],
): Promise<Outcome<VisitReport>> {
  const { log } = host
  const found = await log.findVisit(visitId)
  if (found.kind === "refused") return found
  const { sessionId, seq } = found.value
  const read = await log.read(sessionId, seq - 1, 1)
  if (read.kind === "refused") return read
  const event = read.value[0]?.event
  if (event?.type !== "visit.opened") return refused({ code: "session.unknown", wanted: visitId })
  const { agentId, principal, contact, participants } = event
  const opened = { visitId, agentId, principal, contact, participants }
  if (brief) return ok({ sessionId, visit: opened })
  const folds = await foldsOf(host, sessionId)
  if (folds.kind === "refused") return folds
  const { visit, contact: known } = folds.value.state
  const { supports = visit?.supports ?? [] } = event
  return ok({ sessionId, visit: { ...opened, supports }, contact: known })
}

const usualRows = 50

/** Newest first, without empty conversations, which do not count against the limit. */
export async function conversationRows(
  log: EventLog,
  { org, owner, limit }: Queries["conversations"],
): Promise<Outcome<readonly SessionRow[]>> {
  for (let pageLimit = limit ?? usualRows; ; pageLimit *= 4) {
    const listed = await log.list({ org, owner, limit: limit === undefined ? undefined : pageLimit })
    if (listed.kind === "refused") return listed
    const rows = listed.value.filter(hasText)
    if (limit === undefined || rows.length >= limit || listed.value.length < pageLimit) return ok(rows.slice(0, limit))
  }
}

function hasText({ summary }: SessionRow): boolean {
  const status = readStatus(summary)
  return status !== undefined && status.turns + status.waitingPrompts > 0
}
