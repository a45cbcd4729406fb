// The event of each hook, with all its members in alphabetical order, and the output of tools as extensions give and
// get it.
import type { JsonValue } from "../../contract/values.ts"
import type { HookEvent } from "./frames.ts"
import { textIn } from "../../contract/json-object.ts"
import { extensionLimits } from "./limits.ts"

export interface HookedTool {
  /** The name for the model. */
  readonly name: string
  /** The name for extensions: `extension:tool` for an extension's tool, otherwise the same. */
  readonly runtimeName: string
  readonly input: JsonValue
}

/** Null in child sessions. */
type SessionId = string | null

/** A member that an event does not set is null; the order is part of the protocol. */
function hookEvent(event: Partial<HookEvent> & Pick<HookEvent, "kind" | "session_id">): HookEvent {
  return {
    data: event.data ?? null,
    kind: event.kind,
    message: event.message ?? null,
    session_id: event.session_id,
    tool_input: event.tool_input ?? null,
    tool_name: event.tool_name ?? null,
    tool_output: event.tool_output ?? null,
    tool_runtime_name: event.tool_runtime_name ?? null,
    transcript: event.transcript ?? null,
  }
}

export function beforeToolCall({ name, runtimeName, input }: HookedTool, session_id: SessionId): HookEvent {
  const tool = { tool_input: input, tool_name: name, tool_runtime_name: runtimeName }
  return hookEvent({ kind: "before_tool_call", session_id, ...tool })
}

export function afterToolCall(tool: HookedTool, output: string, session_id: SessionId): HookEvent {
  return { ...beforeToolCall(tool, session_id), kind: "after_tool_call", tool_output: truncateOutput(output) }
}

export function beforeMessage(message: string, session_id: SessionId): HookEvent {
  return hookEvent({ kind: "before_message", message, session_id })
}

export interface CompletedMessage {
  readonly text: string
  readonly blocks: number
  readonly hasToolUse: boolean
}

export function onMessageComplete({ text, blocks, hasToolUse }: CompletedMessage, session_id: SessionId): HookEvent {
  const data = { content_block_count: blocks, has_tool_use: hasToolUse }
  return hookEvent({ kind: "on_message_complete", message: text, session_id, data })
}

export interface CompactedSession {
  readonly summary: string
  /** Messages before the compaction. */
  readonly messages: number
  readonly source: string
}

/** The session is compacted in place: the new session is the old one. */
export function onCompaction({ summary, messages, source }: CompactedSession, session_id: SessionId): HookEvent {
  const data = { message_count: messages, new_session_id: session_id, old_session_id: session_id, source }
  return hookEvent({ kind: "on_compaction", message: summary, session_id, data })
}

export function onSessionStart(session_id: string): HookEvent {
  return hookEvent({ kind: "on_session_start", session_id })
}

export function onSessionEnd(session_id: string, transcript: readonly JsonValue[]): HookEvent {
  return hookEvent({ kind: "on_session_end", session_id, transcript: [...transcript] })
}

/** For a response of a model with its usage. */
export function onUsage(data: JsonValue, session_id: SessionId): HookEvent {
  return hookEvent({ kind: "on_usage", session_id, data })
}

/** A string, the string `content` of an object, or any other JSON as it is. */
export function toolOutput(result: JsonValue): string {
  return typeof result === "string" ? result : (textIn(result, "content") ?? JSON.stringify(result))
}

/** As `after_tool_call` carries it: cut at a limit, with a marker of its length. */
export function truncateOutput(output: string): string {
  const text = output.toWellFormed()
  const bytes = Buffer.byteLength(text)
  const limit = extensionLimits.hookOutputBytes
  return bytes <= limit ? text : `${cutAtBytes(text, limit)}…[truncated, ${bytes} total bytes]`
}

/** The longest beginning that has at most `limit` UTF-8 bytes and ends with a whole character. */
export function cutAtBytes(text: string, limit: number): string {
  const bytes = Buffer.from(text)
  if (bytes.length <= limit) return text
  let end = limit
  while (isContinuation(bytes[end])) end--
  return bytes.toString("utf8", 0, end)
}

function isContinuation(byte: number | undefined): boolean {
  return byte !== undefined && (byte & 0b1100_0000) === 0b1000_0000
}
