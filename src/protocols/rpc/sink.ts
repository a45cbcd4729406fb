// Where the view of a parent puts its frames. Deltas go apart from the rest, so that they can be joined while the parent
// does not read.
import { splitText } from "../../contract/text/text.ts"
import type { ChildFrame, DeltaEvent } from "./encode.ts"
import type { AssistantEvent } from "./frames.ts"
import { rpcLimits } from "./limits.ts"

export interface FrameSink {
  frame(frame: ChildFrame): void
  delta(event: DeltaEvent): void
}

export function sendUpdate(sink: FrameSink, event: Exclude<AssistantEvent, DeltaEvent>): void {
  sink.frame({ type: "message_update", event })
}

/** In several frames when it is long, never cut inside a character. */
export function sendDelta(sink: FrameSink, event: DeltaEvent): void {
  const { deltaLength } = rpcLimits
  if (event.delta.length <= deltaLength) return event.delta === "" ? undefined : sink.delta(event)
  for (const delta of splitText(event.delta, deltaLength)) sink.delta({ ...event, delta })
}
