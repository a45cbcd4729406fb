// The tool calls of a turn, as far as they were seen. A result whose start nobody saw (somebody came in between) is a
// call too. Pure.
import type { JsonValue } from "../../contract/values.ts"
import type { AgentMessage } from "../../protocols/ipc/frames.ts"

export interface ToolCall {
  readonly id: string
  readonly name: string
  /** Of a tool that is not the agent's own. */
  readonly server: string | undefined
  /** Undefined when its start was not seen. */
  readonly input: JsonValue | undefined
  readonly state: "running" | "done" | "failed"
  /** What the tool said of itself last, with how far it is from 0 to 1. */
  readonly progress: { readonly message: string; readonly part: number | undefined } | undefined
  /** What came out, or what went wrong. */
  readonly result: string | undefined
}

type Start = Extract<AgentMessage, { type: "tool_call_start" }>
type Progress = Extract<AgentMessage, { type: "tool_progress" }>
type Result = Extract<AgentMessage, { type: "tool_result" }>

const mostCalls = 200

export function began(calls: readonly ToolCall[], { id, name, server, input }: Start): readonly ToolCall[] {
  const call: ToolCall = {
    id,
    name,
    server: server ?? undefined,
    input,
    state: "running",
    progress: undefined,
    result: undefined,
  }
  return [...calls.filter((other) => other.id !== id), call].slice(-mostCalls)
}

/** Progress carries no id: it is told of the newest call of that tool that runs. */
export function progressed(calls: readonly ToolCall[], { name, message, progress }: Progress): readonly ToolCall[] {
  const at = calls.findLastIndex((call) => call.name === name && call.state === "running")
  return calls.map((call, index) =>
    index === at ? { ...call, progress: { message, part: progress ?? undefined } } : call,
  )
}

export function ended(calls: readonly ToolCall[], { id, name, output, error }: Result): readonly ToolCall[] {
  const failed = typeof error === "string"
  const end = { state: failed ? "failed" : "done", result: error ?? output ?? undefined } as const
  if (calls.some((call) => call.id === id)) return calls.map((call) => (call.id === id ? { ...call, ...end } : call))
  const call = { id, name, server: undefined, input: undefined, progress: undefined, ...end }
  return [...calls, call].slice(-mostCalls)
}
