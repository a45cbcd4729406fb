// Reads a frame of a host as a watch item. An unreadable event is never skipped silently: it ends the watch with a
// refusal that names it.
import type { WatchItem } from "../../contract/host-port.ts"
import { checkDelta } from "../../contract/generated/deltas.js"
import { checkRefusal } from "../../contract/generated/refusals.js"
import type { Refusal } from "../../contract/refusals.ts"
import { decodeParsed } from "../../contract/stored-event.ts"
import type { HostFrame } from "../../protocols/house/frames.ts"

export type WatchFrame = Extract<HostFrame, { type: "event" | "delta" | "streamed" | "closed" }>

/** Undefined for an unknown kind of delta: an event repeats its content. */
export function readItem(frame: WatchFrame): WatchItem | undefined {
  switch (frame.type) {
    case "event":
      return readEvent(frame)
    case "delta":
      return checkDelta(frame.delta) ? { kind: "delta", delta: frame.delta } : undefined
    case "streamed":
      return { kind: "streamed", stepId: frame.stepId, blocks: frame.blocks }
    case "closed":
      return { kind: "lost", refusal: readRefusal(frame.refusal) }
  }
}

/** An unknown refusal of a newer host is still a refusal. */
export function readRefusal(value: unknown): Refusal {
  return checkRefusal(value)
    ? value
    : { code: "frame.bad", what: `unknown refusal of the host: ${JSON.stringify(value)}` }
}

function readEvent({ sessionId, seq, event }: Extract<HostFrame, { type: "event" }>): WatchItem {
  const decoded = decodeParsed(event)
  switch (decoded.kind) {
    case "event":
      return { kind: "event", recorded: decoded.recorded }
    case "newer": {
      const { type, version, known } = decoded
      return { kind: "lost", refusal: { code: "session.newer", sessionId, seq, type, version, known } }
    }
    case "broken":
      return { kind: "lost", refusal: { code: "session.damaged", sessionId, seq, what: decoded.what } }
  }
}
