// What a viewer knows of an agent's plan mode: a conversation beside the main one. Pure.
import type { AgentMessage, DisplayMessage } from "../../protocols/ipc/frames.ts"
import { longestText } from "./chunks.ts"
import { added, kept } from "./messages.ts"

export interface PlanState {
  readonly planId: string
  readonly messages: readonly DisplayMessage[]
  readonly hasEarlier: boolean
  readonly partial: string
  readonly status: string
  readonly isBusy: boolean
}

type PlanMessage = Extract<AgentMessage, { type: `plan_mode_${string}` }>

const unknownPlan: PlanState = {
  planId: "",
  messages: [],
  hasEarlier: false,
  partial: "",
  status: "",
  isBusy: false,
}

/** Undefined while the agent is not in plan mode. */
export function foldPlan(before: PlanState | undefined, message: PlanMessage): PlanState | undefined {
  const plan = before ?? unknownPlan
  switch (message.type) {
    case "plan_mode_entered":
    case "plan_mode_sync": {
      const isBusy = message.type === "plan_mode_sync" && message.is_busy
      const { plan_session_id: planId, status } = message
      return { planId, ...kept(message.messages), status, isBusy, partial: isBusy ? plan.partial : "" }
    }
    case "plan_mode_exited":
      return undefined
    case "plan_mode_message_added": {
      const isUser = message.message.role === "user"
      return { ...plan, ...added(plan, message.message), partial: "", isBusy: isUser }
    }
    case "plan_mode_stream_chunk":
      return { ...plan, partial: (plan.partial + message.text).slice(-longestText), isBusy: true }
    case "plan_mode_stream_end":
      return { ...plan, isBusy: false }
  }
}
