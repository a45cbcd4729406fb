// The status line: free text for people, in the words that viewers of this wire know. Nothing may be read out of it.
import type { EventOf } from "../../../contract/events.ts"
import type { ToolMode } from "../../../contract/values.ts"
import type { SessionStatus } from "../../../projection/status.ts"
import type { OpenPlan } from "../../../projection/session-snapshot.ts"

export const statusWords = {
  streaming: "Streaming response...",
  thinking: "Thinking...",
  toolResult: "Processing tool result...",
  queued: "Processing queued message...",
  pending: "Processing pending request...",
  summarising: "Summarising earlier messages...",
  cancelled: "Cancelled",
  ready: (model: string) => `Ready - Model: ${model}`,
  executing: (tool: string) => `⚙️ Executing: ${tool}...`,
  asking: (tool: string) => `Waiting for approval: ${tool}`,
  error: (message: string) => `Error: ${message}`,
  toolMode: (mode: ToolMode) => `Tool mode: ${toolModeName(mode)}`,
  planThinking: "Plan Mode - Thinking...",
  planMode: (focus: string | undefined) => `Plan Mode - Focus: ${focus ?? "general planning"}`,
} as const

export function toolModeName(mode: ToolMode): string {
  return typeof mode === "string" ? mode.toLowerCase() : "explicit"
}

export interface Doing {
  /** The tool that waits longest for a person, and the one that runs. */
  readonly asking: string | undefined
  readonly executing: string | undefined
  readonly plan: OpenPlan | undefined
}

/** What a session is doing, by all that is known of it now. */
export function statusNow(status: SessionStatus, { asking, executing, plan }: Doing): string {
  if (status.life === "ended") return "Ended"
  if (status.hibernated) return "Hibernated"
  if (status.compacting) return statusWords.summarising
  if (asking !== undefined) return statusWords.asking(asking)
  if (!status.inTurn) return atRest(status.model, plan)
  if (status.parked) return "Parked"
  return executing === undefined ? atWork(plan) : statusWords.executing(executing)
}

/** Between two turns. */
export function atRest(model: string, plan: OpenPlan | undefined): string {
  return plan === undefined ? statusWords.ready(model) : statusWords.planMode(plan.focus)
}

/** While the model answers. */
export function atWork(plan: OpenPlan | undefined): string {
  return plan === undefined ? statusWords.streaming : statusWords.planThinking
}

/** After a turn that did not end well. */
export function atEnd({ reason }: EventOf<"turn.ended">, failure: string | undefined): string | undefined {
  if (failure !== undefined) return statusWords.error(failure)
  return reason === "interrupted" ? statusWords.cancelled : undefined
}
