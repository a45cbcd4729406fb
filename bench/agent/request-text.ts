// Two agents' requests of one task as text in two columns.
import { isObject } from "../../src/contract/json-object.ts"
import type { Received } from "../../spec/provider-server/server.ts"
import { conversationIn } from "./conversation.ts"
import type { Task } from "./task.ts"

export interface Column {
  readonly name: string
  readonly requests: readonly Received[]
  readonly problem: string | undefined
}

export interface Look {
  readonly isFull: boolean
  readonly width: number
}

const shownLines = 24

export function sideBySide(task: Task, columns: readonly Column[], { isFull, width }: Look): string {
  const wide = Math.floor((width - 3 * (columns.length - 1)) / columns.length)
  const sections = (pick: (column: Column) => string) =>
    joined(
      columns.map((column) => cut(wrapped(pick(column), wide), isFull)),
      wide,
    )
  return [
    `== ${task.name}: ${task.instruction}`,
    sections(({ name, problem }) => `${name}: ${problem === undefined ? "passed" : `failed: ${problem}`}`),
    ...sections(figures).split("\n"),
    "-- system prompt",
    sections(({ requests }) => conversationIn(firstBody(requests)).system),
    "-- tools of the first request",
    sections(({ requests }) => toolLines(firstBody(requests))),
    "-- messages of the last request",
    sections(({ requests }) => messageLines(requests.at(-1)?.body ?? {})),
    "",
  ].join("\n")
}

/** Characters, because no two providers count tokens alike. */
function figures({ requests }: Column): string {
  const first = firstBody(requests)
  return [
    `requests          ${requests.length}`,
    `system prompt     ${sizeOf(first["system"])} characters`,
    `tools             ${conversationIn(first).tools.length}, ${sizeOf(first["tools"])} characters`,
    `first request     ${sizeOf(first)} characters`,
    `last request      ${sizeOf(requests.at(-1)?.body)} characters`,
    `cache points      ${JSON.stringify(first).split('"cache_control"').length - 1}`,
    `thinking          ${JSON.stringify(first["thinking"] ?? "not sent")}`,
    `max_tokens        ${JSON.stringify(first["max_tokens"])}`,
  ].join("\n")
}

function firstBody(requests: readonly Received[]): Received["body"] {
  return requests[0]?.body ?? {}
}

function toolLines(body: Received["body"]): string {
  const { tools } = body
  if (!Array.isArray(tools)) return "none"
  return tools.filter(isObject).map(toolLine).join("\n")
}

function toolLine(tool: Readonly<Record<string, unknown>>): string {
  const schema = tool["input_schema"]
  const fields = isObject(schema) && isObject(schema["properties"]) ? Object.keys(schema["properties"]) : []
  return `${String(tool["name"])}(${fields.join(", ")}): ${String(tool["description"])}`
}

function messageLines(body: Received["body"]): string {
  const { messages } = body
  if (!Array.isArray(messages)) return "none"
  return messages
    .filter(isObject)
    .map((message) => `${String(message["role"])}: ${contentOf(message)}`)
    .join("\n")
}

function contentOf({ content }: Readonly<Record<string, unknown>>): string {
  if (typeof content === "string") return content
  if (!Array.isArray(content)) return ""
  return content.filter(isObject).map(blockText).join("\n")
}

function blockText(block: Readonly<Record<string, unknown>>): string {
  if (block["type"] === "tool_use") return `${String(block["name"])} ${JSON.stringify(block["input"])}`
  if (block["type"] === "tool_result") return `→ ${contentOf(block)}`
  return typeof block["text"] === "string" ? block["text"] : `[${String(block["type"])}]`
}

function sizeOf(value: unknown): string {
  return value === undefined ? "0" : JSON.stringify(value).length.toLocaleString("en")
}

function wrapped(text: string, width: number): string[] {
  return text.split("\n").flatMap((line) => line.match(new RegExp(`.{1,${width}}`, "gu")) ?? [""])
}

function cut(lines: readonly string[], isFull: boolean): readonly string[] {
  if (isFull || lines.length <= shownLines) return lines
  return [...lines.slice(0, shownLines), `… ${lines.length - shownLines} more lines (--full)`]
}

function joined(columns: readonly (readonly string[])[], width: number): string {
  const height = Math.max(...columns.map((lines) => lines.length))
  const rows = Array.from({ length: height }, (_, n) => columns.map((lines) => (lines[n] ?? "").padEnd(width)))
  return rows.map((cells) => cells.join(" | ").trimEnd()).join("\n")
}
