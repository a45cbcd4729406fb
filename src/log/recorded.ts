// The events of an append with their numbers, and what the directory stores of them.
import type { Recorded } from "../contract/events.ts"
import type { VisitId } from "../contract/ids.ts"
import { encodeEvent } from "../contract/stored-event.ts"
import type { Append } from "./event-log.ts"

export function recordedIn({ expectedSeq, at, events }: Append): readonly Recorded[] {
  return events.map((event, index) => ({ seq: expectedSeq + 1 + index, at, event }))
}

/** The visits that these events open. */
function visitsIn(recorded: readonly Recorded[]): readonly { readonly visitId: VisitId; readonly seq: number }[] {
  return recorded.flatMap(({ seq, event }) => (event.type === "visit.opened" ? [{ visitId: event.visitId, seq }] : []))
}

/** The session's organisation, owner and place, from its first event. */
export function ownerIn({ events }: Append) {
  const created = events.find((event) => event.type === "session.created")
  return { org: created?.org, owner: created?.owner, place: created?.place }
}

/** What an append stores: its events as text, the visits that they open, and the summary as JSON. */
export function storedForm({ sessionId, expectedSeq, at, summary }: Append, recorded: readonly Recorded[]) {
  const lines = recorded.map((event) => encodeEvent(event))
  const line = summary === undefined ? undefined : JSON.stringify(summary)
  return { sessionId, expectedSeq, at, lines, visits: visitsIn(recorded), summary: line }
}
