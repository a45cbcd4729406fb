// The events of an append with the places they will have.
import type { Recorded } from "../contract/events.ts"
import type { Append } from "./event-log.ts"

export function recordedIn({ expectedSeq, at, events }: Append): readonly Recorded[] {
  return events.map((event, index) => ({ seq: expectedSeq + 1 + index, at, event }))
}
