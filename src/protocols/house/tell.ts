// What happens in a session as lines of the house wire. An item is encoded once, as bytes, however many clients are
// told: whoever watches a session is given the very same object. An event goes into its line as the text that is
// stored; it is not encoded a second time.
import type { WatchItem } from "../../contract/host-port.ts"
import type { SessionId } from "../../contract/ids.ts"
import { encodeEvent } from "../../contract/stored-event.ts"
import type { HostFrame } from "./frames.ts"

const lines = new WeakMap<WatchItem, Uint8Array>()

/** The line with its end. An item belongs to one session, so it alone is the key. */
export function lineOf(sessionId: SessionId, item: WatchItem): Uint8Array {
  const known = lines.get(item)
  if (known !== undefined) return known
  const line = Buffer.from(`${textOf(sessionId, item)}\n`)
  lines.set(item, line)
  return line
}

function textOf(sessionId: SessionId, item: WatchItem): string {
  if (item.kind !== "event") return JSON.stringify(frameOf(sessionId, item))
  const { recorded } = item
  return `{"type":"event","sessionId":"${sessionId}","seq":${recorded.seq},"event":${encodeEvent(recorded)}}`
}

function frameOf(sessionId: SessionId, item: Exclude<WatchItem, { kind: "event" }>): HostFrame {
  switch (item.kind) {
    case "delta":
      return { type: "delta", sessionId, delta: item.delta }
    case "streamed":
      return { type: "streamed", sessionId, stepId: item.stepId, blocks: [...item.blocks] }
    case "lost":
      return { type: "closed", sessionId, refusal: item.refusal }
  }
}
