// Lines of the parent to commands. A line that is not a command costs an error, not the connection; the error carries the
// id of the line if it has one, and never repeats values.
import { isObject } from "../../contract/json-object.ts"
import type { ExtendedCommand, RpcCommand } from "./frames.ts"
import { checks } from "./generated/commands.js"

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
  return bad(`this is not a ${type} command: ${faultOf(check.errors)}`, id)
}

function isKnown(type: string): type is keyof typeof checks {
  return Object.hasOwn(checks, type)
}

/** The first problem, as the checker puts it: field names and types, never values. */
function faultOf(errors: (typeof checks)[keyof typeof checks]["errors"]): string {
  const fault = errors?.[0]
  if (fault === undefined) return "it has the wrong shape"
  return `${fault.instancePath.slice(1).slice(0, 100)} ${fault.message}`.trim()
}

function bad(message: string, id?: string): Decoded {
  return { kind: "bad", id, message }
}
