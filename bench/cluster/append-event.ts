// The event that the benchmark appends, as it is stored.
import type { SessionEvent } from "../../src/contract/events.ts"
import { encodeEvent } from "../../src/contract/stored-event.ts"

export const event: SessionEvent = {
  type: "text.ended",
  stepId: "stp_1",
  block: 0,
  text: "a line of an answer ".repeat(8),
}

export const eventText = encodeEvent({ seq: 1, at: Date.now(), event })
