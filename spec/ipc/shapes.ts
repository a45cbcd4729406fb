// The shape of a frame: its type, its fields in order and what kind of value each has. Lists are told by what is in
// them. The protocol's own types have been asked about a frame of every shape in fixtures/shapes.json (see README.md
// there); a frame of another shape is one that nobody has asked about.
import { readFileSync } from "node:fs"

/** Their words are fixed by the protocol, so they belong to the shape. */
const fixedWords: ReadonlySet<string> = new Set(["type", "tool_mode", "resource_type", "signal", "change"])
/** Whatever a tool wants. */
const free: ReadonlySet<string> = new Set(["input"])

export function shapesOf(frame: object): readonly string[] {
  const shapes: string[] = []
  const name = "type" in frame ? String(frame.type) : "handshake_response"
  shapes.push(`${name} ${shapeOf(frame, name, shapes)}`)
  return shapes
}

export function acceptedShapes(): ReadonlySet<string> {
  const read: unknown = JSON.parse(readFileSync(new URL("fixtures/shapes.json", import.meta.url), "utf8"))
  if (!Array.isArray(read)) throw new Error("fixtures/shapes.json is no list")
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
  if (fixedWords.has(key) && typeof value === "string") return JSON.stringify(value)
  return shapeOf(value, `${place}.${key}`, others)
}
