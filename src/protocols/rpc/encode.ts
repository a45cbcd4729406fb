// Frames to lines of ASCII: a reader that decodes each chunk separately would damage a character split across two.
import { asciiJson } from "../ascii-json.ts"
import type { AssistantEvent, ExtendedEvent, ResponseFrame, RpcEvent } from "./frames.ts"

export type ChildFrame = Exclude<RpcEvent, { type: "response" }> | ResponseFrame | ExtendedEvent

/** An update that carries a delta. */
export type DeltaEvent = Extract<AssistantEvent, { delta: string }>

export function encodeFrame(frame: ChildFrame): string {
  return `${asciiJson(frame)}\n`
}

/** The same as `encodeFrame` of its update, faster: this runs for every token. */
export function encodeDelta(event: DeltaEvent): string {
  const delta = asciiJson(event.delta)
  if (event.type !== "toolcall_input_delta")
    return `{"type":"message_update","event":{"type":"${event.type}","delta":${delta}}}\n`
  const toolId = asciiJson(event.tool_id)
  return `{"type":"message_update","event":{"type":"${event.type}","tool_id":${toolId},"delta":${delta}}}\n`
}
