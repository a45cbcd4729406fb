// Fold of the tool calls of a turn. A result without a seen start is a call too: the viewer joined in between. Pure.
import type { JsonValue } from "../../../contract/values.ts"
import type { AgentMessage } from "../../../protocols/ipc/frames.ts"

export interface ToolCall {
  readonly id: string
  readonly name: string
  /** MCP server of the tool, if any. */
  readonly server: string | undefined
  /** Undefined when its start was not seen. */
  readonly input: JsonValue | undefined
  readonly state: "running" | "done" | "failed"
  /** The newest progress; `part` is from 0 to 1. */
  readonly progress: { readonly message: string; readonly part: number | undefined } | undefined
  /** Output or error. */
  readonly result: string | undefined
}

type Start = Extract<AgentMessage, { type: "tool_call_start" }>
type Progress = Extract<AgentMessage, { type: "tool_progress" }>
type Result = Extract<AgentMessage, { type: "tool_result" }>

const MAX_CALLS = 200

export function addCall(calls: readonly ToolCall[], { id, name, server, input }: Start): readonly ToolCall[] {
  const call: ToolCall = {
    id,
    name,
    server: server ?? undefined,
    input,
    state: "running",
    progress: undefined,
    result: undefined,
  }
  return [...calls.filter((other) => other.id !== id), call].slice(-MAX_CALLS)
}

/** Progress has no call id: it applies to the newest running call of the tool. */
export function addProgress(calls: readonly ToolCall[], { name, message, progress }: Progress): readonly ToolCall[] {
  const at = calls.findLastIndex((call) => call.name === name && call.state === "running")
  return calls.map((call, index) =>
    index === at ? { ...call, progress: { message, part: progress ?? undefined } } : call,
  )
}

export function addResult(calls: readonly ToolCall[], { id, name, output, error }: Result): readonly ToolCall[] {
  const failed = typeof error === "string"
  const end = { state: failed ? "failed" : "done", result: error ?? output ?? undefined } as const
  if (calls.some((call) => call.id === id)) return calls.map((call) => (call.id === id ? { ...call, ...end } : call))
  const call = { id, name, server: undefined, input: undefined, progress: undefined, ...end }
  return [...calls, call].slice(-MAX_CALLS)
}
