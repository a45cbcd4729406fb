// What happens in a session as lines of the house wire. The text of an item is the same for every client.
import type { WatchItem } from "../../contract/house-port.ts"
import type { SessionId } from "../../contract/ids.ts"
import { sentence } from "../../contract/refusal-sentence.ts"
import { encodeEvent } from "../../contract/stored-event.ts"
import type { HostFrame } from "./frames.ts"

export function frameOf(sessionId: SessionId, item: WatchItem): HostFrame {
  switch (item.kind) {
    case "event":
      return { type: "event", sessionId, stored: encodeEvent(item.recorded) }
    case "delta":
      return { type: "delta", sessionId, delta: item.delta }
    case "streamed":
      return { type: "streamed", sessionId, stepId: item.stepId, blocks: [...item.blocks] }
    case "lost":
      return { type: "closed", sessionId, reason: sentence(item.refusal) }
  }
}
