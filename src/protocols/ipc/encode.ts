// Messages as lines, without the newline: fields in the order in which they are declared, options that are absent as
// null (the three of a command's result are left out), text without halves of characters, nothing nested so deeply that
// a strict reader would close. What is no field of the message is not written.
import type { JsonValue } from "../../contract/values.ts"
import { asciiJson } from "../ascii-json.ts"
import type { AgentMessage, AgentMetadata, Handshake, HandshakeResponse, ViewerMessage } from "./frames.ts"
import { agent, shapes, viewer } from "./generated/fields.js"

type Fields = Readonly<Record<string, unknown>>

export function encodeAgent(message: AgentMessage): string {
  switch (message.type) {
    case "stream_chunk": // on the way of every word of a model
      return `{"type":"stream_chunk","text":${json(message.text)}}`
    case "tool_call_start":
      return json(pick({ ...message, input: shallow(message.input) }, agent[message.type]))
    case "slash_command_result":
      return json(withoutNulls(pick(message, agent[message.type])))
    default:
      return json(pick(message, agent[message.type]))
  }
}

export function encodeViewer(message: ViewerMessage): string {
  return json(pick(message, viewer[message.type]))
}

export function encodeHandshake(handshake: Handshake): string {
  return json(pick(handshake, shapes.handshake))
}

export function encodeHandshakeResponse(response: HandshakeResponse): string {
  return json(pick(response, shapes.handshake_response))
}

/** The text of a file, in several lines. */
export function encodeMetadata(metadata: AgentMetadata): string {
  return JSON.stringify(JSON.parse(json(pick(metadata, shapes.agent_metadata))), null, 2)
}

/** What a field that may be missing says when it is missing; all others say null. */
const defaults: Fields = { context_files: [], blocked: false }

/** Fields that hold objects, or lists of objects, of the protocol. */
const nested: Readonly<Record<string, readonly string[]>> = {
  message: shapes.display_message,
  messages: shapes.display_message,
  lock: shapes.lock_info,
  locks: shapes.lock_info,
  agents: shapes.agent_metadata,
}

function pick(value: Fields, names: readonly string[]): Fields {
  const picked: Record<string, unknown> = {}
  for (const name of names) picked[name] = pickIn(value[name] ?? defaults[name] ?? null, nested[name])
  return picked
}

function pickIn(value: unknown, names: readonly string[] | undefined): unknown {
  if (names === undefined || !isObject(value)) return value
  return Array.isArray(value) ? value.map((one) => pickIn(one, names)) : pick(value, names)
}

function withoutNulls(value: Fields): Fields {
  return Object.fromEntries(Object.entries(value).filter(([, member]) => member !== null))
}

function isObject(value: unknown): value is Fields {
  return typeof value === "object" && value !== null
}

/** JSON.stringify writes a half of a character as an escape that begins so; strict readers refuse it. */
const halfEscape = "\\ud"

function json(value: Fields | string): string {
  const text = JSON.stringify(value)
  if (!text.includes(halfEscape)) return text
  return JSON.stringify(JSON.parse(asciiJson(value))) // two keys that become one stand once
}

/** Levels that are left for the input of a call: its message is one more, and readers stop at 127. */
const mostDepth = 126

function shallow(input: JsonValue): JsonValue {
  return isDeeper(input, mostDepth) ? "[nested too deeply to be sent]" : input
}

function isDeeper(value: unknown, levels: number): boolean {
  if (!isObject(value)) return false
  return levels === 0 || Object.values(value).some((member) => isDeeper(member, levels - 1))
}
