// Frames as lines of ASCII: a reader that decodes each chunk by itself would damage a character that lies across two.
import { asciiJson } from "../ascii-json.ts"
import type { AssistantEvent, ExtendedEvent, ResponseFrame, RpcEvent } from "./frames.ts"

export type ChildFrame = Exclude<RpcEvent, { type: "response" }> | ResponseFrame | ExtendedEvent

/** An update that carries a piece of something longer. */
export type DeltaEvent = Extract<AssistantEvent, { delta: string }>

export function encodeFrame(frame: ChildFrame): string {
  return `${asciiJson(frame)}\n`
}

/** The same as `encodeFrame` of its update, on the one path that is taken for every word of a model. */
export function encodeDelta(event: DeltaEvent): string {
  const delta = asciiJson(event.delta)
  if (event.type !== "toolcall_input_delta")
    return `{"type":"message_update","event":{"type":"${event.type}","delta":${delta}}}\n`
  const toolId = asciiJson(event.tool_id)
  return `{"type":"message_update","event":{"type":"${event.type}","tool_id":${toolId},"delta":${delta}}}\n`
}
