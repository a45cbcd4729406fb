// Calling a tool that is offered by the words of its name: "refund order 1002" means refund_order with its order. Only
// where exactly one tool fits and everything it needs stands in the message; nothing is guessed.
import type { JsonValue } from "../../../contract/values.ts"
import type { Request } from "./request.ts"

export interface OfferedTool {
  readonly name: string
  readonly inputSchema: unknown
}

/** Longer messages are no plain request. */
const longest = 300

export function callInWords(message: string, tools: readonly OfferedTool[]): Request | undefined {
  if (message.length > longest) return undefined
  const letters = message.toLowerCase().replaceAll(/[^\p{L}\p{N}]/gu, "")
  const fitting = tools.filter(({ name }) => wordsOf(name).length > 1 && fits(name, letters))
  const [tool, ...others] = fitting.toSorted((a, b) => b.name.length - a.name.length)
  if (tool === undefined || others.some(({ name }) => wordsOf(name).length === wordsOf(tool.name).length))
    return undefined
  const input = inputIn(message, tool.inputSchema)
  return input === undefined ? undefined : { kind: "call", tool: tool.name, input }
}

/** A name of one word stands in too many sentences that mean something else. */
function fits(name: string, letters: string): boolean {
  return wordsOf(name).every((word) => letters.includes(word))
}

function wordsOf(name: string): readonly string[] {
  return name.toLowerCase().split(/[_.-]+/)
}

/** Nothing when something that the tool needs is not said. */
function inputIn(message: string, schema: unknown): JsonValue | undefined {
  const properties = Object.entries(recordAt(schema, "properties"))
  const required = Reflect.get(Object(schema), "required")
  const needs = (name: string) => Array.isArray(required) && required.includes(name)
  const input: Record<string, JsonValue> = {}
  for (const [name, property] of properties) {
    const value = after(name, message) ?? (properties.length === 1 ? onlyNumber(message) : undefined)
    if (value === undefined && needs(name)) return undefined
    if (value !== undefined) input[name] = ofType(value, property)
  }
  return input
}

/** "order 1002", "order: 1002", "order number 1002", `order "A-7"`. */
function after(name: string, message: string): string | undefined {
  const label = name.replaceAll(/[^\p{L}\p{N}]+/gu, String.raw`\W+`)
  const value = String.raw`(?:"([^"]+)"|([\w-]*\d[\w-]*))`
  const found = new RegExp(String.raw`\b${label}\b(?:\s+(?:number|no\.?|id|is))?\s*[:#=]?\s*${value}`, "iu").exec(
    message,
  )
  return found?.[1] ?? found?.[2]
}

function onlyNumber(message: string): string | undefined {
  const words = message.match(/[\w-]+/g) ?? []
  const [number, ...more] = words.map((word) => word.replace(/^-+/, "")).filter((word) => /\d/.test(word))
  return more.length === 0 ? number : undefined
}

function ofType(value: string, property: unknown): JsonValue {
  const type: unknown = Reflect.get(Object(property), "type")
  return (type === "number" || type === "integer") && /^-?\d+(?:\.\d+)?$/.test(value) ? Number(value) : value
}

function recordAt(value: unknown, name: string): object {
  const found: unknown = Reflect.get(Object(value), name)
  return typeof found === "object" && found !== null ? found : {}
}
