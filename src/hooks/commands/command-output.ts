// Collects the output of a command up to a limit and removes terminal control characters.
import { isJsonObject } from "../../contract/json-object.ts"
import { stripVTControlCharacters } from "node:util"
import type { JsonValue } from "../../contract/values.ts"

const MAX_BYTES = 256 * 1024
const MAX_ROWS = 2000
const MAX_COLUMNS = 50
const MAX_COLUMN_WIDTH = 80

/** Keeps the beginning; text past the limit is only counted. */
export class CommandText {
  #kept: Buffer[] = []
  #keptBytes = 0
  #bytes = 0

  push(piece: Uint8Array | string): void {
    const bytes = Buffer.from(piece)
    const room = bytes.subarray(0, MAX_BYTES - this.#keptBytes)
    if (room.length > 0) this.#kept.push(room)
    this.#keptBytes += room.length
    this.#bytes += bytes.length
  }

  get text(): string {
    const shown = plain(Buffer.concat(this.#kept).toString("utf8")).trimEnd()
    const omitted = this.#bytes - this.#keptBytes
    return omitted === 0 ? shown : `${shown}\n(${omitted} more bytes omitted)`
  }
}

/** Keeps line breaks and tabs, removes all other control characters. */
export function plain(text: string): string {
  return stripVTControlCharacters(text.replaceAll("\r\n", "\n")).replaceAll(/[^\P{Cc}\n\t]/gu, "")
}

export type CommandMessage = { readonly kind: "text" | "error"; readonly text: string }

/** A `command.output` notification, flat or with an `event` member. Undefined when it has nothing to show. */
export function readCommandMessage(params: JsonValue): CommandMessage | undefined {
  if (!isJsonObject(params)) return undefined
  const event = params["event"] ?? params
  if (!isJsonObject(event)) return undefined
  const { kind, content, headers = [], rows = [] } = event
  switch (kind) {
    case "text":
    case "system":
      return typeof content === "string" ? { kind: "text", text: content } : undefined
    case "error":
      return typeof content === "string" && content !== "" ? { kind: "error", text: content } : undefined
    case "table":
      return { kind: "text", text: tableText([headers, ...(Array.isArray(rows) ? rows : [])]) }
    default:
      return undefined
  }
}

/** A single very wide cell must not widen its whole column. */
function tableText(rows: readonly JsonValue[]): string {
  const cells = rows.slice(0, MAX_ROWS).map((row) => (Array.isArray(row) ? row.slice(0, MAX_COLUMNS).map(textOf) : []))
  const widths: number[] = []
  for (const row of cells)
    row.forEach((cell, at) => (widths[at] = Math.min(Math.max(widths[at] ?? 0, cell.length), MAX_COLUMN_WIDTH)))
  const lines = cells.map((row) =>
    row
      .map((cell, at) => cell.padEnd(widths[at] ?? 0))
      .join("  ")
      .trimEnd(),
  )
  const omitted = rows.length - cells.length
  return [...lines, ...(omitted === 0 ? [] : [`(${omitted} more rows omitted)`])].join("\n")
}

function textOf(cell: JsonValue): string {
  return typeof cell === "string" ? cell : ""
}
