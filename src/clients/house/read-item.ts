// A frame of a host back into what a watcher is told. An event that cannot be read is never left out in silence: it
// ends the watching, and the refusal names it.
import type { WatchItem } from "../../contract/host-port.ts"
import { checkDelta } from "../../contract/generated/deltas.js"
import { checkRefusal } from "../../contract/generated/refusals.js"
import type { Refusal } from "../../contract/refusals.ts"
import { decodeParsed } from "../../contract/stored-event.ts"
import type { HostFrame } from "../../protocols/house/frames.ts"

export type ToldFrame = Extract<HostFrame, { type: "event" | "delta" | "streamed" | "closed" }>

/** Nothing for a hint of a kind that is not known here: what follows from it comes as an event. */
export function itemOf(frame: ToldFrame): WatchItem | undefined {
  switch (frame.type) {
    case "event":
      return eventItem(frame)
    case "delta":
      return checkDelta(frame.delta) ? { kind: "delta", delta: frame.delta } : undefined
    case "streamed":
      return { kind: "streamed", stepId: frame.stepId, blocks: frame.blocks }
    case "closed":
      return { kind: "lost", refusal: refusalIn(frame.refusal) }
  }
}

/** A refusal of a newer host, which is not known here, is still a no. */
export function refusalIn(value: unknown): Refusal {
  return checkRefusal(value) ? value : { code: "frame.bad", what: `the host says ${JSON.stringify(value)}` }
}

function eventItem({ sessionId, seq, event }: Extract<HostFrame, { type: "event" }>): WatchItem {
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
