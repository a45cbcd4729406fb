// Lines of the house wire to frames, and items of a session to lines. A bad line costs its sender an error, not the
// connection. What is inside a frame (commands, queries, events) is checked by the contract's own checkers.
import { isObject, tryParseJson } from "../../contract/json-object.ts"
import type { SessionCommand } from "../../contract/commands.ts"
import { checkCommand, checks as commandChecks, type Fault } from "../../contract/generated/commands.js"
import { checkHostCommand } from "../../contract/generated/host-commands.js"
import { checkQuery } from "../../contract/generated/queries.js"
import type { HostCommand } from "../../contract/host-commands.ts"
import type { WatchItem } from "../../contract/host-port.ts"
import type { SessionId } from "../../contract/ids.ts"
import type { HostQuery } from "../../contract/queries.ts"
import { encodeEvent } from "../../contract/stored-event.ts"
import { hasTooManyParts, MAX_PARTS } from "../json-text.ts"
import type { ClientFrame, HostFrame } from "./frames.ts"
import { checks } from "./generated/frames.js"
import { houseLimits } from "./limits.ts"

/** Characters of a client's value that an error repeats. */
const MAX_QUOTE_LENGTH = 100

export type Decoded<Frame> =
  | { readonly kind: "frame"; readonly frame: Frame }
  | { readonly kind: "bad"; readonly id: string | undefined; readonly problem: string }

export type Checked<Value> =
  | { readonly kind: "ok"; readonly value: Value }
  | { readonly kind: "bad"; readonly problem: string }

export function decodeClientFrame(text: string): Decoded<ClientFrame> {
  if (hasTooManyParts(text)) return { kind: "bad", id: undefined, problem: `a line has more than ${MAX_PARTS} parts` }
  const value = tryParseJson(text)
  if (checks.client(value)) return { kind: "frame", frame: value }
  return { kind: "bad", id: idOf(value), problem: problemOf(value) }
}

export function decodeHostFrame(text: string): Decoded<HostFrame> {
  const value = tryParseJson(text)
  if (checks.host(value)) return { kind: "frame", frame: value }
  return { kind: "bad", id: idOf(value), problem: "the host sent a line that is not a frame of the house wire" }
}

export function checkedCommand(value: unknown): Checked<SessionCommand> {
  if (checkCommand(value)) return { kind: "ok", value }
  const type = memberOf(value, "type")
  if (!isCommandType(type)) return { kind: "bad", problem: `${quoted(type)} is not a session command` }
  return { kind: "bad", problem: `the command ${type} is not valid: ${faultsOf(commandChecks[type].errors ?? [])}` }
}

export type CheckedQuery =
  | { readonly kind: "query"; readonly query: HostQuery }
  | { readonly kind: "command"; readonly command: HostCommand }
  | { readonly kind: "bad"; readonly problem: string }

/** Commands to the host come in the same frame as queries. */
export function checkedQuery(value: unknown): CheckedQuery {
  if (checkQuery(value)) return { kind: "query", query: value }
  if (checkHostCommand(value)) return { kind: "command", command: value }
  return { kind: "bad", problem: `${quoted(memberOf(value, "type"))} is not a valid query` }
}

const lines = new WeakMap<WatchItem, Uint8Array>()
const encoder = new TextEncoder()

/** The line with its end, encoded once for all clients: an item belongs to one session, so it alone is the key. */
export function encodeItem(sessionId: SessionId, item: WatchItem): Uint8Array {
  const known = lines.get(item)
  if (known !== undefined) return known
  const line = encoder.encode(`${itemText(sessionId, item)}\n`)
  lines.set(item, line)
  return line
}

/** An answer that does not fit into a line is replaced by a refusal. */
export function encodeFrame(frame: HostFrame): string {
  const text = JSON.stringify(frame)
  if (frame.type !== "answer" || fitsLine(text)) return text
  const refusal = { code: "frame.bad", what: "the answer is too long for a line; ask for less" }
  return JSON.stringify({ type: "refused", id: frame.id, refusal } satisfies HostFrame)
}

function fitsLine(text: string): boolean {
  if (text.length * 3 <= houseLimits.lineBytes) return true // no unit takes more than 3 bytes
  return encoder.encode(text).length <= houseLimits.lineBytes
}

export function tooLong(bytes: number): string {
  return `a line has ${bytes} bytes; the limit is ${houseLimits.lineBytes}`
}

/** An event goes into its line as the text that is stored; it is not encoded a second time. */
function itemText(sessionId: SessionId, item: WatchItem): string {
  if (item.kind !== "event") return JSON.stringify(itemFrame(sessionId, item))
  const { recorded } = item
  return `{"type":"event","sessionId":"${sessionId}","seq":${recorded.seq},"event":${encodeEvent(recorded)}}`
}

function itemFrame(sessionId: SessionId, item: Exclude<WatchItem, { kind: "event" }>): HostFrame {
  switch (item.kind) {
    case "delta":
      return { type: "delta", sessionId, delta: item.delta }
    case "streamed":
      return { type: "streamed", sessionId, stepId: item.stepId, blocks: [...item.blocks] }
    case "lost":
      return { type: "closed", sessionId, refusal: item.refusal }
  }
}

function problemOf(value: unknown): string {
  if (typeof value !== "object" || value === null) return "a line must be one JSON object"
  const type = memberOf(value, "type")
  const isKnown = typeof type === "string" && clientFrameTypes.has(type)
  return isKnown ? `the frame ${type} is incomplete, or a field has the wrong type` : unknownFrame(type)
}

const clientFrameTypes: ReadonlySet<string> = new Set([
  "hello",
  "query",
  "open",
  "create",
  "send",
  "close",
] satisfies ClientFrame["type"][])

function unknownFrame(type: unknown): string {
  return `${quoted(type)} is not a frame type; the types are ${[...clientFrameTypes].join(", ")}`
}

function faultsOf(faults: readonly Fault[]): string {
  return faults.map(({ instancePath, message }) => `${instancePath.slice(1)} ${message}`.trim()).join(", ")
}

function quoted(type: unknown): string {
  return typeof type === "string" ? `'${type.slice(0, MAX_QUOTE_LENGTH)}'` : "a value without a type"
}

function isCommandType(type: unknown): type is SessionCommand["type"] {
  return typeof type === "string" && Object.hasOwn(commandChecks, type)
}

function idOf(value: unknown): string | undefined {
  const id = memberOf(value, "id")
  return typeof id === "string" && id !== "" && id.length <= MAX_QUOTE_LENGTH ? id : undefined
}

/** A required field of an answer. A missing one is a fault: the peer does not speak the house wire. */
export function numberIn(value: unknown, name: string): number {
  const member = memberOf(value, name)
  if (typeof member === "number") return member
  throw new Error(`an answer has no number '${name}'`)
}

export function textIn(value: unknown, name: string): string {
  const member = memberOf(value, name)
  if (typeof member === "string") return member
  throw new Error(`an answer has no text '${name}'`)
}

export function memberOf(value: unknown, name: string): unknown {
  return isObject(value) && Object.hasOwn(value, name) ? value[name] : undefined
}
