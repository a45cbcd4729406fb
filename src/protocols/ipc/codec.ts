// Lines and files of this protocol into values. Whatever its Rust peers refuse is refused here; besides, an array never
// stands for an object, no key stands twice anywhere, and a number that would be rounded is not taken (see fixtures/).
// Nothing here throws, whatever the line holds; what is wrong is said in words that name the field and repeat no value.
import type { AgentMessage, AgentMetadata, Handshake, HandshakeResponse, ViewerMessage } from "./frames.ts"
import { checks as agentChecks } from "./generated/agent-messages.js"
import { checks as shapeChecks } from "./generated/shapes.js"
import { checks as viewerChecks, type Check } from "./generated/viewer-messages.js"
import { parseStrict, type StrictValue } from "./strict-json.ts"

/** The longest line, with its newline; before the handshake much less is enough. */
export const maxLineBytes = 16 * 1024 * 1024
export const maxHandshakeBytes = 64 * 1024

/** No message of a viewer comes near it, and reading as much takes no time that anybody notices. */
const mostViewerParts = 100_000
/** More than the messages of the longest conversation that fits a line. */
const mostAgentParts = 4_000_000

export type Read<Message> =
  | { readonly kind: "message"; readonly message: Message }
  | { readonly kind: "bad"; readonly what: string }

export function readViewerMessage(text: string): Read<ViewerMessage> {
  return readMessage(parseStrict(text, mostViewerParts), viewerChecks)
}

export function readAgentMessage(text: string): Read<AgentMessage> {
  return readMessage(parseStrict(text, mostAgentParts), agentChecks)
}

export function readHandshake(text: string): Handshake | undefined {
  return readShape(text, shapeChecks.handshake)
}

export function readHandshakeResponse(text: string): HandshakeResponse | undefined {
  return readShape(text, shapeChecks.handshake_response)
}

export function readMetadata(text: string): AgentMetadata | undefined {
  return readShape(text, shapeChecks.agent_metadata)
}

/** Nobody has to answer such a line. */
export function isBlank(text: string): boolean {
  return text.trim() === ""
}

function readMessage<Message>(read: StrictValue, checks: Readonly<Record<string, Check<Message>>>): Read<Message> {
  if (read.kind === "bad") return read
  const { value, probe } = read
  if (!isObject(value)) return bad("a line must be one JSON object")
  const { type } = value
  if (typeof type !== "string") return bad("the message has no type")
  const check = Object.hasOwn(checks, type) ? checks[type] : undefined
  if (check === undefined) return bad("the type of the message is unknown")
  const message = withPlainModes(value)
  if (!check(message)) return bad(`${type}: ${faultOf(check)}`)
  if (probe === value || check(withPlainModes(probe))) return { kind: "message", message }
  return bad(`${type}: ${faultOf(check)}`)
}

/** Rust peers read `{"Full":null}` as `"Full"`. */
function withPlainModes(value: unknown): unknown {
  if (!isObject(value)) return value
  for (const name of ["mode", "tool_mode"]) {
    const mode = value[name]
    if (!isObject(mode)) continue
    const [[key, content] = [], ...more] = Object.entries(mode)
    if (key !== "Explicit" && content === null && more.length === 0) value[name] = key
  }
  return value
}

function readShape<Shape>(text: string, check: (value: unknown) => value is Shape): Shape | undefined {
  const read = parseStrict(text, mostViewerParts)
  if (read.kind === "bad") return undefined
  const { value, probe } = read
  return check(value) && check(probe) ? value : undefined
}

function faultOf<Message>(check: Check<Message>): string {
  const fault = check.errors?.[0]
  if (fault === undefined) return "it has another shape"
  return `${fault.instancePath.slice(1)} ${fault.message}`.trim()
}

function bad(what: string): { readonly kind: "bad"; readonly what: string } {
  return { kind: "bad", what }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value)
}
