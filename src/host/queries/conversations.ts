// Answers for the network door: which session a visit belongs to, and which conversations somebody has.
import type { QueryOf } from "../../contract/queries.ts"
import type { EventLog, Outcome, SessionRow } from "../../log/event-log.ts"
import { ok, refused } from "../../log/outcome.ts"
import { readStatus } from "../../projection/status.ts"
import type { SessionState } from "../../session/state.ts"

/** The visit as it was opened; what it did not say of its client is what the session knows. */
export async function visitOf(
  log: EventLog,
  { visitId, brief = false }: QueryOf<"visit">,
  stateOf: (sessionId: string) => Promise<Outcome<SessionState>>,
): Promise<Outcome<unknown>> {
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
  const state = await stateOf(sessionId)
  if (state.kind === "refused") return state
  const { visit, contact: known } = state.value
  const { supports = visit?.supports ?? [] } = event
  return ok({ sessionId, visit: { ...opened, supports }, contact: known })
}

const usualRows = 50

/** Newest first, without those in which nobody has said anything. They do not count against the limit either. */
export async function conversationRows(
  log: EventLog,
  { org, owner, limit }: QueryOf<"conversations">,
): Promise<Outcome<readonly SessionRow[]>> {
  for (let asked = limit ?? usualRows; ; asked *= 4) {
    const listed = await log.list({ org, owner, limit: limit === undefined ? undefined : asked })
    if (listed.kind === "refused") return listed
    const rows = listed.value.filter(hasWords)
    if (limit === undefined || rows.length >= limit || listed.value.length < asked) return ok(rows.slice(0, limit))
  }
}

function hasWords({ summary }: SessionRow): boolean {
  const status = readStatus(summary)
  return status !== undefined && status.turns + status.waitingPrompts > 0
}
