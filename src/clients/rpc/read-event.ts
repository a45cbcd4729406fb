// One line of the child's output into an event. Children differ, so that what is not understood is told apart from
// what is broken: a frame of a type that nobody knows is passed over, and so is a line that is no frame at all.
import type { ExtendedEvent, RpcEvent } from "../../protocols/rpc/frames.ts"
import { checkRpcEvent } from "../../protocols/rpc/generated/events.js"
import type { Line } from "../../transports/framing/lines.ts"

export type ChildEvent = RpcEvent | ExtendedEvent

export type ReadLine =
  | { readonly kind: "event"; readonly event: ChildEvent; readonly weight: number }
  | { readonly kind: "blank" }
  | { readonly kind: "noise"; readonly what: string }

const shown = 200

export function readEvent(line: Line): ReadLine {
  if (line.kind === "not-utf8") return { kind: "noise", what: "a line that is not UTF-8" }
  if (line.kind === "too-long") return { kind: "noise", what: `a line of ${line.bytes} bytes, which is too long` }
  if (line.text.trim() === "") return { kind: "blank" }
  const value = parse(line.text)
  if (checkRpcEvent(value)) return { kind: "event", event: value, weight: line.text.length }
  return { kind: "noise", what: line.text.slice(0, shown) }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
