// The shape of a frame: its type, its fields in order and the kind of each value. The protocol's own types have accepted
// a frame of every shape in fixtures/shapes.json (see README.md there); no other shape has been checked.
import { readFileSync } from "node:fs"

/** Their text is fixed by the protocol, so it belongs to the shape. */
const fixedTexts: ReadonlySet<string> = new Set(["type", "tool_mode", "resource_type", "signal", "change"])
/** Any JSON that a tool takes. */
const free: ReadonlySet<string> = new Set(["input"])

export function shapesOf(frame: object): readonly string[] {
  const shapes: string[] = []
  const name = "type" in frame ? String(frame.type) : "handshake_response"
  shapes.push(`${name} ${shapeOf(frame, name, shapes)}`)
  return shapes
}

export function acceptedShapes(): ReadonlySet<string> {
  const read: unknown = JSON.parse(readFileSync(new URL("fixtures/shapes.json", import.meta.url), "utf8"))
  if (!Array.isArray(read)) throw new Error("fixtures/shapes.json is not a list")
  return new Set(read.map(String))
}

function shapeOf(value: unknown, place: string, others: string[]): string {
  if (value === null) return "null"
  if (typeof value === "number") return Number.isSafeInteger(value) ? "integer" : "fraction"
  if (typeof value !== "object") return typeof value
  if (Array.isArray(value)) {
    others.push(...value.map((item: unknown) => `${place}[] ${shapeOf(item, `${place}[]`, others)}`))
    return "list"
  }
  const fields = Object.entries(value).map(([key, field]) => `${key}: ${fieldShape(key, field, place, others)}`)
  return `{${fields.join(", ")}}`
}

function fieldShape(key: string, value: unknown, place: string, others: string[]): string {
  if (free.has(key)) return "json"
  if (fixedTexts.has(key) && typeof value === "string") return JSON.stringify(value)
  return shapeOf(value, `${place}.${key}`, others)
}
