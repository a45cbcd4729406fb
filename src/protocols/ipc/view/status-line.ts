// The status line: free text for people, in the wording that viewers of this protocol know. Programs must not parse it.
import type { EventOf } from "../../../contract/events.ts"
import type { ToolMode } from "../../../contract/values.ts"
import type { OpenPlan } from "../../../contract/views/session-snapshot.ts"
import type { SessionStatus } from "../../../projection/status.ts"
import type { AgentMessage } from "../frames.ts"

export const statusTexts = {
  streaming: "Streaming response...",
  thinking: "Thinking...",
  toolResult: "Processing tool result...",
  queued: "Processing queued message...",
  pending: "Processing pending request...",
  summarising: "Summarising earlier messages...",
  cancelled: "Cancelled",
  ready: (model: string) => `Ready - Model: ${model}`,
  executing: (tool: string) => `⚙️ Executing: ${tool}...`,
  waiting: (tool: string) => `Waiting for approval: ${tool}`,
  error: (message: string) => `Error: ${message}`,
  toolMode: (mode: ToolMode) => `Tool mode: ${typeof mode === "string" ? mode.toLowerCase() : "explicit"}`,
  planThinking: "Plan Mode - Thinking...",
  planMode: (focus = "general planning") => `Plan Mode - Focus: ${focus}`,
} as const

export class StatusLine {
  #text = ""

  get text(): string {
    return this.#text
  }

  /** Sends a text that the line does not show already. */
  update(text: string): readonly AgentMessage[] {
    return text === this.#text ? [] : [this.announce(text)]
  }

  /** Sends it in any case. */
  announce(status: string): AgentMessage {
    this.#text = status
    return { type: "status_update", status }
  }
}

export interface Activity {
  /** The tool that waits longest for approval, and the one that runs. */
  readonly waiting: string | undefined
  readonly executing: string | undefined
  readonly plan: OpenPlan | undefined
}

export function currentStatus(status: SessionStatus, { waiting, executing, plan }: Activity): string {
  if (status.life === "ended") return "Ended"
  if (status.hibernated) return "Hibernated"
  if (status.compacting) return statusTexts.summarising
  if (waiting !== undefined) return statusTexts.waiting(waiting)
  if (!status.inTurn) return idleStatus(status.model, plan)
  if (status.parked) return "Parked"
  return executing === undefined ? answeringStatus(plan) : statusTexts.executing(executing)
}

/** Between two turns. */
export function idleStatus(model: string, plan: OpenPlan | undefined): string {
  return plan === undefined ? statusTexts.ready(model) : statusTexts.planMode(plan.focus)
}

/** While the model answers. */
export function answeringStatus(plan: OpenPlan | undefined): string {
  return plan === undefined ? statusTexts.streaming : statusTexts.planThinking
}

/** After a turn that failed or was interrupted. */
export function failedStatus({ reason }: EventOf<"turn.ended">, failure: string | undefined): string | undefined {
  if (failure !== undefined) return statusTexts.error(failure)
  return reason === "interrupted" ? statusTexts.cancelled : undefined
}
