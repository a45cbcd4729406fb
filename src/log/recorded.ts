// The events of an append with their numbers, and what the directory stores of them.
import type { Recorded } from "../contract/events.ts"
import type { VisitId } from "../contract/ids.ts"
import type { Append } from "./event-log.ts"

export function recordedIn({ expectedSeq, at, events }: Append): readonly Recorded[] {
  return events.map((event, index) => ({ seq: expectedSeq + 1 + index, at, event }))
}

/** The visits that these events open. */
export function visitsIn(
  recorded: readonly Recorded[],
): readonly { readonly visitId: VisitId; readonly seq: number }[] {
  return recorded.flatMap(({ seq, event }) => (event.type === "visit.opened" ? [{ visitId: event.visitId, seq }] : []))
}

/** The session's organisation and owner, from its first event. */
export function ownerIn({ events }: Append): { readonly org: string | undefined; readonly owner: string | undefined } {
  const created = events.find((event) => event.type === "session.created")
  return { org: created?.org, owner: created?.owner }
}
