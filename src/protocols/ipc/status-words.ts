// The status line: free text for people, in the words that viewers of this wire know. Nothing may be read out of it.
import type { ToolMode } from "../../contract/values.ts"
import type { SessionStatus } from "../../projection/status.ts"

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
  planMode: (focus: string | undefined) => `Plan Mode - Focus: ${focus ?? "general planning"}`,
} as const

export function toolModeName(mode: ToolMode): string {
  return typeof mode === "string" ? mode.toLowerCase() : "explicit"
}

/** What a session is doing, by all that is known of it now. */
export function statusNow(status: SessionStatus, asking: string | undefined, executing: string | undefined): string {
  if (status.life === "ended") return "Ended"
  if (status.hibernated) return "Hibernated"
  if (status.compacting) return statusWords.summarising
  if (asking !== undefined) return statusWords.asking(asking)
  if (!status.inTurn) return statusWords.ready(status.model)
  if (status.parked) return "Parked"
  return executing === undefined ? statusWords.streaming : statusWords.executing(executing)
}
