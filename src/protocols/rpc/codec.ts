// Lines of the parent to commands, and frames to lines. A line that is not a command costs an error, not the
// connection; the error carries the id of the line if it has one, and never repeats values. Lines are ASCII: a reader
// that decodes each chunk separately would damage a character split across two.
import { isObject } from "../../contract/json-object.ts"
import type { ExtendedCommand, RpcCommand, AssistantEvent, ExtendedEvent, ResponseFrame, RpcEvent } from "./frames.ts"
import { checks } from "./generated/commands.js"
import { asciiJson, firstFault } from "../json-text.ts"
import { splitText } from "../../contract/text/text.ts"
import { rpcLimits } from "./limits.ts"

export type ParentCommand = RpcCommand | ExtendedCommand

export type Decoded =
  | { readonly kind: "command"; readonly command: ParentCommand }
  | { readonly kind: "blank" }
  | { readonly kind: "bad"; readonly id: string | undefined; readonly message: string }

export type RawLine =
  | { readonly kind: "line"; readonly text: string }
  | { readonly kind: "too-long"; readonly bytes: number }
  | { readonly kind: "not-utf8" }

const extendedTypes: readonly string[] = ["approve", "queue"] satisfies ExtendedCommand["type"][]

export function decodeCommand(line: RawLine, extended: boolean): Decoded {
  switch (line.kind) {
    case "too-long":
      return bad(`the frame is larger than 1 MiB (${line.bytes} bytes)`)
    case "not-utf8":
      return bad("the frame is not UTF-8")
    case "line":
      return line.text.trim() === "" ? { kind: "blank" } : parse(line.text, extended)
  }
}

function parse(text: string, extended: boolean): Decoded {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    return bad("the frame is not one JSON object")
  }
  return isObject(value) ? commandOf(value, extended) : bad("the frame is JSON, but not an object")
}

function commandOf(value: Record<string, unknown>, extended: boolean): Decoded {
  const { type } = value
  const id = typeof value["id"] === "string" ? value["id"] : undefined
  if (typeof type !== "string") return bad("the frame has no type", id)
  if (!isKnown(type) || (!extended && extendedTypes.includes(type))) return bad("the type of the frame is unknown", id)
  const check = checks[type]
  if (check(value)) return { kind: "command", command: value }
  return bad(`this is not a ${type} command: ${firstFault(check.errors)}`, id)
}

function isKnown(type: string): type is keyof typeof checks {
  return Object.hasOwn(checks, type)
}

function bad(message: string, id?: string): Decoded {
  return { kind: "bad", id, message }
}

export type ChildFrame = Exclude<RpcEvent, { type: "response" }> | ResponseFrame | ExtendedEvent

/** An update that carries a delta. */
export type DeltaEvent = Extract<AssistantEvent, { delta: string }>

export function encodeFrame(frame: ChildFrame): string {
  return `${asciiJson(frame)}\n`
}

/** The same as `encodeFrame` of its update, faster: this runs for every token. */
export function encodeDelta(event: DeltaEvent): string {
  const delta = asciiJson(event.delta)
  if (event.type !== "toolcall_input_delta")
    return `{"type":"message_update","event":{"type":"${event.type}","delta":${delta}}}\n`
  const toolId = asciiJson(event.tool_id)
  return `{"type":"message_update","event":{"type":"${event.type}","tool_id":${toolId},"delta":${delta}}}\n`
}

/** Where a view puts its frames. Deltas go apart from the rest, so that they can be joined while the parent is behind. */
export interface FrameSink {
  frame(frame: ChildFrame): void
  delta(event: DeltaEvent): void
}

export function sendUpdate(sink: FrameSink, event: Exclude<AssistantEvent, DeltaEvent>): void {
  sink.frame({ type: "message_update", event })
}

/** In several frames when it is long, never cut inside a character. */
export function sendDelta(sink: FrameSink, event: DeltaEvent): void {
  const { deltaLength } = rpcLimits
  if (event.delta.length <= deltaLength) return event.delta === "" ? undefined : sink.delta(event)
  for (const delta of splitText(event.delta, deltaLength)) sink.delta({ ...event, delta })
}
