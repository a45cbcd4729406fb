// In plan mode, text and messages of a turn have frames of their own. Tool calls, progress and status have not.
import type { PlanId } from "../../../contract/ids.ts"
import type { AgentMessage } from "../frames.ts"

/** The frame of streamed text. */
export type ChunkType = "stream_chunk" | "plan_mode_stream_chunk"

export function asPlanFrame(message: AgentMessage): AgentMessage {
  switch (message.type) {
    case "stream_chunk":
      return { type: "plan_mode_stream_chunk", text: message.text }
    case "stream_end":
      return { type: "plan_mode_stream_end", finish_reason: message.finish_reason }
    case "message_added":
      return { type: "plan_mode_message_added", message: message.message }
    default:
      return message
  }
}

/** The name of a plan in this protocol. */
export function planSessionId(planId: PlanId): string {
  return `plan-${planId.slice("pln_".length)}`
}
