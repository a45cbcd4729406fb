// A turn in plan mode is told like any other, in messages of its own, so that nobody takes it for the conversation that
// the plan is made for. Calls, progress and the status line have no such messages and stay as they are.
import type { PlanId } from "../../../contract/ids.ts"
import type { AgentMessage } from "../frames.ts"

/** The pieces of a text that is being written. */
export type ChunkType = "stream_chunk" | "plan_mode_stream_chunk"

export function inPlan(message: AgentMessage): AgentMessage {
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

/** How this wire names a plan. */
export function planSessionId(planId: PlanId): string {
  return `plan-${planId.slice("pln_".length)}`
}
