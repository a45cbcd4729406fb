// Frames of this protocol to and from lines. Decoding is as strict as the Rust peers, and stricter where fixtures/README.md
// says so: it never throws, and its errors name the field without repeating a value. Encoding writes fields in the
// declared order, only declared ones, and null for an absent option.
import { isObject } from "../../contract/json-object.ts"
import type { JsonValue } from "../../contract/values.ts"
import { asciiJson, firstFault, isDeeper, SURROGATE_ESCAPE } from "../json-text.ts"
import type { AgentMessage, AgentMetadata, Handshake, HandshakeResponse, ViewerMessage } from "./frames.ts"
import { checks as agentChecks } from "./generated/agent-messages.js"
import { agent, shapes, viewer } from "./generated/fields.js"
import { checks as shapeChecks } from "./generated/shapes.js"
import { checks as viewerChecks, type Check } from "./generated/viewer-messages.js"
import { frameLimits } from "./limits.ts"
import { parseStrict, type ParsedJson } from "./strict-json.ts"

type Fields = Readonly<Record<string, unknown>>

export type Decoded<Message> =
  | { readonly kind: "message"; readonly message: Message }
  | { readonly kind: "bad"; readonly problem: string }

export function decodeViewerMessage(text: string): Decoded<ViewerMessage> {
  return decodeMessage(parseStrict(text, frameLimits.viewerTokens), viewerChecks)
}

export function decodeAgentMessage(text: string): Decoded<AgentMessage> {
  return decodeMessage(parseStrict(text, frameLimits.agentTokens), agentChecks)
}

/** Each returns undefined for a line of another form. */
export const decodeHandshake = shapeDecoder(shapeChecks.handshake)
export const decodeHandshakeResponse = shapeDecoder(shapeChecks.handshake_response)
export const decodeMetadata = shapeDecoder(shapeChecks.agent_metadata)

/** Blank lines are ignored. */
export function isBlank(text: string): boolean {
  return text.trim() === ""
}

export function encodeAgentMessage(message: AgentMessage): string {
  switch (message.type) {
    case "stream_chunk": // hot path: every delta of a model
      return `{"type":"stream_chunk","text":${json(message.text)}}`
    case "tool_call_start":
      return json(pick({ ...message, input: shallow(message.input) }, agent[message.type]))
    case "slash_command_result": // the only frame that leaves absent options out
      return json(withoutNulls(pick(message, agent[message.type])))
    default:
      return json(pick(message, agent[message.type]))
  }
}

export function encodeViewerMessage(message: ViewerMessage): string {
  return json(pick(message, viewer[message.type]))
}

export function encodeHandshake(handshake: Handshake): string {
  return json(pick(handshake, shapes.handshake))
}

export function encodeHandshakeResponse(response: HandshakeResponse): string {
  return json(pick(response, shapes.handshake_response))
}

/** A file, indented. */
export function encodeMetadata(metadata: AgentMetadata): string {
  return JSON.stringify(JSON.parse(json(pick(metadata, shapes.agent_metadata))), null, 2)
}

function decodeMessage<Message>(
  parsed: ParsedJson,
  checks: Readonly<Record<string, Check<Message>>>,
): Decoded<Message> {
  if (parsed.kind === "bad") return parsed
  const { value, probe } = parsed
  if (!isObject(value)) return bad("a line must be one JSON object")
  const { type } = value
  if (typeof type !== "string") return bad("the message has no type")
  const check = Object.hasOwn(checks, type) ? checks[type] : undefined
  if (check === undefined) return bad("unknown message type")
  const message = withPlainModes(value)
  const isValid = check(message) && (probe === value || check(withPlainModes(probe)))
  return isValid ? { kind: "message", message } : bad(`${type}: ${firstFault(check.errors)}`)
}

/** Rust peers read `{"Full":null}` as `"Full"`. */
function withPlainModes(value: unknown): unknown {
  if (!isObject(value)) return value
  const plain: Record<string, unknown> = { ...value }
  for (const name of ["mode", "tool_mode"]) {
    const mode = plain[name]
    if (!isObject(mode)) continue
    const [[key, content] = [], ...more] = Object.entries(mode)
    if (key !== "Explicit" && content === null && more.length === 0) plain[name] = key
  }
  return plain
}

function shapeDecoder<Shape>(check: (value: unknown) => value is Shape): (text: string) => Shape | undefined {
  return (text) => {
    const parsed = parseStrict(text, frameLimits.viewerTokens)
    if (parsed.kind === "bad") return undefined
    const { value, probe } = parsed
    return check(value) && check(probe) ? value : undefined
  }
}

function bad(problem: string): { readonly kind: "bad"; readonly problem: string } {
  return { kind: "bad", problem }
}

/** What an absent field is written as; all others are written as null. */
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
  if (names !== undefined && Array.isArray(value)) return value.map((one) => pickIn(one, names))
  return names !== undefined && isObject(value) ? pick(value, names) : value
}

function withoutNulls(value: Fields): Fields {
  return Object.fromEntries(Object.entries(value).filter(([, member]) => member !== null))
}

function json(value: Fields | string): string {
  const text = JSON.stringify(value)
  if (!text.includes(SURROGATE_ESCAPE)) return text
  return JSON.stringify(JSON.parse(asciiJson(value))) // two keys that become equal are written once
}

/** The message itself is one level. */
const MAX_INPUT_DEPTH = frameLimits.depth - 1

function shallow(input: JsonValue): JsonValue {
  return isDeeper(input, MAX_INPUT_DEPTH) ? "[nested too deeply to be sent]" : input
}
