// Checks every line of an agent against the protocol: with the checkers that both sides share, and with the shapes that
// the protocol's own types have accepted.
import { appendFileSync } from "node:fs"
import type { AgentMessage, HandshakeResponse } from "../../src/protocols/ipc/frames.ts"
import { checks } from "../../src/protocols/ipc/generated/agent-messages.js"
import { checks as shapeChecks } from "../../src/protocols/ipc/generated/shapes.js"
import { acceptedShapes, shapesOf } from "./shapes.ts"

export type Checked<Value> =
  | { readonly kind: "fine"; readonly value: Value }
  | { readonly kind: "wrong"; readonly what: string }

/** With this variable every line is written to that file instead of being checked against the shapes. */
const noteIn = process.env["IPC_LINES_SEEN"]
const accepted = noteIn === undefined ? acceptedShapes() : undefined
const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true })

export function checkedMessage(line: Uint8Array): Checked<AgentMessage> {
  return checked(line, "agent_message", isMessage)
}

export function checkedResponse(line: Uint8Array): Checked<HandshakeResponse> {
  return checked(line, "handshake_response", shapeChecks.handshake_response)
}

function checked<Value extends object>(
  line: Uint8Array,
  kind: string,
  check: (value: unknown) => value is Value,
): Checked<Value> {
  const text = textOf(line)
  if (text === undefined) return { kind: "wrong", what: `this is not UTF-8: ${String(line)}` }
  const wrong = (what: string) => ({ kind: "wrong", what: `${what}: ${text.slice(0, 1000)}` }) as const
  const value = parsed(text)
  if (!check(value)) return wrong("this is no frame of the protocol")
  if (hasLoneSurrogate(text)) return wrong("this frame has half a character")
  if (noteIn !== undefined) appendFileSync(noteIn, `${kind} ${text}\n`)
  const unknown = shapesOf(value).find((shape) => accepted?.has(shape) === false)
  return unknown === undefined
    ? { kind: "fine", value }
    : wrong(`the protocol's own types have not checked a frame like ${unknown}`)
}

function isMessage(value: unknown): value is AgentMessage {
  if (typeof value !== "object" || value === null || !("type" in value)) return false
  const { type } = value
  return typeof type === "string" && isType(type) && checks[type](value)
}

function isType(type: string): type is AgentMessage["type"] {
  return Object.hasOwn(checks, type)
}

/** Serde refuses an escaped lone surrogate. */
function hasLoneSurrogate(text: string): boolean {
  if (!text.includes("\\ud")) return false
  const unescaped = text.replaceAll("\\\\", "")
  return /\\ud[89ab][0-9a-f]{2}(?!\\ud[c-f])|(?<!\\ud[89ab][0-9a-f]{2})\\ud[c-f][0-9a-f]{2}/i.test(unescaped)
}

function textOf(line: Uint8Array): string | undefined {
  try {
    return decoder.decode(line)
  } catch {
    return undefined
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
