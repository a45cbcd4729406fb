// Fold of an agent's plan mode: a conversation beside the main one. Pure.
import type { AgentMessage, DisplayMessage } from "../../../protocols/ipc/frames.ts"
import { appendText, addMessage, newestOf } from "./messages.ts"

export interface PlanState {
  readonly planId: string
  readonly messages: readonly DisplayMessage[]
  readonly hasEarlier: boolean
  readonly partial: string
  readonly status: string
  readonly isBusy: boolean
}

type PlanMessage = Extract<AgentMessage, { type: `plan_mode_${string}` }>

const emptyPlan: PlanState = {
  planId: "",
  messages: [],
  hasEarlier: false,
  partial: "",
  status: "",
  isBusy: false,
}

/** Undefined outside plan mode. */
export function foldPlan(before: PlanState | undefined, message: PlanMessage): PlanState | undefined {
  const plan = before ?? emptyPlan
  switch (message.type) {
    case "plan_mode_entered":
    case "plan_mode_sync": {
      const isBusy = message.type === "plan_mode_sync" && message.is_busy
      const { plan_session_id: planId, status } = message
      return { planId, ...newestOf(message.messages), status, isBusy, partial: isBusy ? plan.partial : "" }
    }
    case "plan_mode_exited":
      return undefined
    case "plan_mode_message_added": {
      const isUser = message.message.role === "user"
      return { ...plan, ...addMessage(plan, message.message), partial: "", isBusy: isUser }
    }
    case "plan_mode_stream_chunk":
      return { ...plan, partial: appendText(plan.partial, message.text), isBusy: true }
    case "plan_mode_stream_end":
      return { ...plan, isBusy: false }
  }
}
