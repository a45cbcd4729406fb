// Where frames go. Pieces of something longer go apart from the rest, so that they can be joined while nobody reads.
import type { ChildFrame, DeltaEvent } from "./encode.ts"
import type { AssistantEvent } from "./frames.ts"

export interface FrameSink {
  frame(frame: ChildFrame): void
  delta(event: DeltaEvent): void
}

/** Characters of one delta. Escaped, six times as many bytes; a frame that streams stays below 256 KiB. */
const longestDelta = 32 * 1024

export function update(sink: FrameSink, event: Exclude<AssistantEvent, DeltaEvent>): void {
  sink.frame({ type: "message_update", event })
}

/** Tells a piece, in several frames when it is long, never cut inside a character. */
export function tellPiece(sink: FrameSink, event: DeltaEvent): void {
  if (event.delta.length <= longestDelta) return sink.delta(event)
  for (let from = 0; from < event.delta.length;) {
    const end = from + longestDelta
    const to = endsInHalf(event.delta.charCodeAt(end - 1)) ? end - 1 : end
    sink.delta({ ...event, delta: event.delta.slice(from, to) })
    from = to
  }
}

/** Whether a text that ends with this unit ends with the first half of a character. */
export function endsInHalf(lastUnit: number): boolean {
  return lastUnit >= 0xd800 && lastUnit <= 0xdbff
}
