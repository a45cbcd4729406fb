// The events of an append with the places they will have, and what the directory keeps of them.
import type { Recorded } from "../contract/events.ts"
import type { VisitId } from "../contract/ids.ts"
import type { Append } from "./event-log.ts"

export function recordedIn({ expectedSeq, at, events }: Append): readonly Recorded[] {
  return events.map((event, index) => ({ seq: expectedSeq + 1 + index, at, event }))
}

/** Visits that begin with these events, by which their session is found. */
export function visitsIn(
  recorded: readonly Recorded[],
): readonly { readonly visitId: VisitId; readonly seq: number }[] {
  return recorded.flatMap(({ seq, event }) => (event.type === "visit.opened" ? [{ visitId: event.visitId, seq }] : []))
}

/** Whose session it is, as its first event says. */
export function ownerIn({ events }: Append): { readonly org: string | undefined; readonly owner: string | undefined } {
  const created = events.find((event) => event.type === "session.created")
  return { org: created?.org, owner: created?.owner }
}
