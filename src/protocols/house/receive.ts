// Lines of the house wire into frames. A bad line costs its sender an answer, not the connection; nothing here throws,
// whatever the line holds. What is inside a frame (commands, queries, events) is the contract's and checked there.
import type { SessionCommand } from "../../contract/commands.ts"
import { checkCommand, checks as commandChecks, type Fault } from "../../contract/generated/commands.js"
import { checkQuery } from "../../contract/generated/queries.js"
import type { HostQuery } from "../../contract/queries.ts"
import type { ClientFrame, HostFrame } from "./frames.ts"
import { checks } from "./generated/frames.js"
import { hasTooManyParts, mostParts } from "../json-parts.ts"

/** A prompt with its attachments must fit. */
export const maxLineBytes = 32 * 1024 * 1024

export function tooLong(bytes: number): string {
  return `a line has ${bytes} bytes; ${maxLineBytes} are allowed`
}

/** The longest word of a client that an answer repeats. */
const longestQuote = 100

export type Received<Frame> =
  | { readonly kind: "frame"; readonly frame: Frame }
  | { readonly kind: "bad"; readonly id: string | undefined; readonly what: string }

export type Checked<Value> =
  | { readonly kind: "ok"; readonly value: Value }
  | { readonly kind: "bad"; readonly what: string }

export function receiveFromClient(text: string): Received<ClientFrame> {
  if (hasTooManyParts(text)) return { kind: "bad", id: undefined, what: `a line has more than ${mostParts} parts` }
  const value = parse(text)
  if (checks.client(value)) return { kind: "frame", frame: value }
  return { kind: "bad", id: idOf(value), what: problemOf(value) }
}

export function receiveFromHost(text: string): Received<HostFrame> {
  const value = parse(text)
  if (checks.host(value)) return { kind: "frame", frame: value }
  return { kind: "bad", id: idOf(value), what: "the host said something that is not a frame of the house wire" }
}

export function commandIn(value: unknown): Checked<SessionCommand> {
  if (checkCommand(value)) return { kind: "ok", value }
  const type = memberOf(value, "type")
  if (!isCommandType(type)) return { kind: "bad", what: `${quoted(type)} is not a command of a session` }
  return { kind: "bad", what: `the command ${type} is not complete: ${faultsOf(commandChecks[type].errors ?? [])}` }
}

export function queryIn(value: unknown): Checked<HostQuery> {
  if (checkQuery(value)) return { kind: "ok", value }
  return { kind: "bad", what: `${quoted(memberOf(value, "type"))} is not a query, or not a complete one` }
}

function problemOf(value: unknown): string {
  if (typeof value !== "object" || value === null) return "a line must be one JSON object"
  const type = memberOf(value, "type")
  const isKnown = typeof type === "string" && clientFrameTypes.has(type)
  return isKnown ? `the frame ${type} is not complete, or a member is not what it must be` : unknownFrame(type)
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
  return `${quoted(type)} is not a type of frame; there are ${[...clientFrameTypes].join(", ")}`
}

function faultsOf(faults: readonly Fault[]): string {
  return faults.map(({ instancePath, message }) => `${instancePath.slice(1)} ${message}`.trim()).join(", ")
}

function quoted(type: unknown): string {
  return typeof type === "string" ? `'${type.slice(0, longestQuote)}'` : "something without a type"
}

function isCommandType(type: unknown): type is SessionCommand["type"] {
  return typeof type === "string" && Object.hasOwn(commandChecks, type)
}

function idOf(value: unknown): string | undefined {
  const id = memberOf(value, "id")
  return typeof id === "string" && id !== "" && id.length <= longestQuote ? id : undefined
}

function memberOf(value: unknown, name: string): unknown {
  return typeof value === "object" && value !== null
    ? Object.entries(value).find(([key]) => key === name)?.[1]
    : undefined
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
