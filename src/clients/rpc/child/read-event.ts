// Parses one line of the child's output. A line that is no known event is noise and ignored: children differ.
import { tryParseJson } from "../../../contract/json-object.ts"
import type { ExtendedEvent, RpcEvent } from "../../../protocols/rpc/frames.ts"
import { checkRpcEvent } from "../../../protocols/rpc/generated/events.js"
import type { Line } from "../../../transports/framing/lines.ts"

export type ChildEvent = RpcEvent | ExtendedEvent
export type Response = Extract<ChildEvent, { type: "response" }>
export type Ready = Extract<ChildEvent, { type: "ready" }>

export type ReadLine =
  | { readonly kind: "event"; readonly event: ChildEvent; readonly weight: number }
  | { readonly kind: "blank" }
  | { readonly kind: "noise"; readonly what: string }

/** Characters of a line that are shown. */
const MAX_NOISE = 200

export function readEvent(line: Line): ReadLine {
  if (line.kind === "not-utf8") return { kind: "noise", what: "a line that is not UTF-8" }
  if (line.kind === "too-long") return { kind: "noise", what: `a line of ${line.bytes} bytes, which is too long` }
  if (line.text.trim() === "") return { kind: "blank" }
  const value = tryParseJson(line.text)
  if (checkRpcEvent(value)) return { kind: "event", event: value, weight: line.text.length }
  return { kind: "noise", what: line.text.slice(0, MAX_NOISE) }
}
