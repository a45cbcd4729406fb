// The event of each hook, with all of its members. Members stand in alphabetical order, as they always went out.
import type { JsonValue } from "../../contract/values.ts"
import type { HookEvent } from "./frames.ts"
import { truncateOutput } from "./truncate-output.ts"

export interface HookedTool {
  /** As the model knows it. */
  readonly name: string
  /** As extensions know it: `extension:tool` for an extension's tool, else the same. */
  readonly runtimeName: string
  readonly input: JsonValue
}

/** Null in child sessions. */
type SessionId = string | null

const empty = {
  data: null,
  message: null,
  session_id: null,
  tool_input: null,
  tool_name: null,
  tool_output: null,
  tool_runtime_name: null,
  transcript: null,
} as const

export function beforeToolCall({ name, runtimeName, input }: HookedTool, sessionId: SessionId): HookEvent {
  return {
    data: null,
    kind: "before_tool_call",
    message: null,
    session_id: sessionId,
    tool_input: input,
    tool_name: name,
    tool_output: null,
    tool_runtime_name: runtimeName,
    transcript: null,
  }
}

export function afterToolCall(tool: HookedTool, output: string, sessionId: SessionId): HookEvent {
  return { ...beforeToolCall(tool, sessionId), kind: "after_tool_call", tool_output: truncateOutput(output) }
}

export function beforeMessage(message: string, sessionId: SessionId): HookEvent {
  return alphabetical({ ...empty, kind: "before_message", message, session_id: sessionId })
}

export interface CompletedMessage {
  readonly text: string
  readonly blocks: number
  readonly hasToolUse: boolean
}

export function onMessageComplete({ text, blocks, hasToolUse }: CompletedMessage, sessionId: SessionId): HookEvent {
  const data = { content_block_count: blocks, has_tool_use: hasToolUse }
  return alphabetical({ ...empty, kind: "on_message_complete", message: text, session_id: sessionId, data })
}

export interface CompactedSession {
  readonly summary: string
  /** Messages before it was compacted. */
  readonly messages: number
  readonly source: string
}

/** Compaction happens in place: the new session is the old one. */
export function onCompaction({ summary, messages, source }: CompactedSession, sessionId: SessionId): HookEvent {
  const data = { message_count: messages, new_session_id: sessionId, old_session_id: sessionId, source }
  return alphabetical({ ...empty, kind: "on_compaction", message: summary, session_id: sessionId, data })
}

export function onSessionStart(sessionId: string): HookEvent {
  return alphabetical({ ...empty, kind: "on_session_start", session_id: sessionId })
}

export function onSessionEnd(sessionId: string, transcript: readonly JsonValue[]): HookEvent {
  return alphabetical({ ...empty, kind: "on_session_end", session_id: sessionId, transcript: [...transcript] })
}

/** Of a model's answer that cost something. */
export function onUsage(data: JsonValue, sessionId: SessionId): HookEvent {
  return alphabetical({ ...empty, kind: "on_usage", session_id: sessionId, data })
}

function alphabetical(event: HookEvent): HookEvent {
  const { data, kind, message, session_id, tool_input, tool_name, tool_output, tool_runtime_name, transcript } = event
  return { data, kind, message, session_id, tool_input, tool_name, tool_output, tool_runtime_name, transcript }
}
