// Collects the output of a command up to a limit and removes terminal control characters.
import { isJsonObject } from "../../contract/json-object.ts"
import { stripVTControlCharacters } from "node:util"
import type { JsonValue } from "../../contract/values.ts"

const maxBytes = 256 * 1024
const mostRows = 2000
const mostColumns = 50
const widestColumn = 80

/** Keeps the beginning; text past the limit is only counted. */
export class CommandText {
  #kept: Buffer[] = []
  #keptBytes = 0
  #bytes = 0

  push(piece: Uint8Array | string): void {
    const bytes = Buffer.from(piece)
    const room = bytes.subarray(0, maxBytes - this.#keptBytes)
    if (room.length > 0) this.#kept.push(room)
    this.#keptBytes += room.length
    this.#bytes += bytes.length
  }

  get text(): string {
    const shown = plain(Buffer.concat(this.#kept).toString("utf8")).trimEnd()
    const left = this.#bytes - this.#keptBytes
    return left === 0 ? shown : `${shown}\n(${left} more bytes omitted)`
  }
}

/** Keeps line breaks and tabs, removes all other control characters. */
export function plain(text: string): string {
  return stripVTControlCharacters(text.replaceAll("\r\n", "\n")).replaceAll(/[^\P{Cc}\n\t]/gu, "")
}

export type Spoken = { readonly kind: "said" | "error"; readonly text: string }

/** A `command.output` notification, flat or with an `event` member. Undefined when it has nothing to show. */
export function spokenIn(params: JsonValue): Spoken | undefined {
  if (!isJsonObject(params)) return undefined
  const event = params["event"] ?? params
  if (!isJsonObject(event)) return undefined
  const { kind, content, headers = [], rows = [] } = event
  switch (kind) {
    case "text":
    case "system":
      return typeof content === "string" ? { kind: "said", text: content } : undefined
    case "error":
      return typeof content === "string" && content !== "" ? { kind: "error", text: content } : undefined
    case "table":
      return { kind: "said", text: tableText([headers, ...(Array.isArray(rows) ? rows : [])]) }
    default:
      return undefined
  }
}

/** A single very wide cell must not widen its whole column. */
function tableText(rows: readonly JsonValue[]): string {
  const cells = rows.slice(0, mostRows).map((row) => (Array.isArray(row) ? row.slice(0, mostColumns).map(textOf) : []))
  const widths: number[] = []
  for (const row of cells)
    row.forEach((cell, at) => (widths[at] = Math.min(Math.max(widths[at] ?? 0, cell.length), widestColumn)))
  const lines = cells.map((row) =>
    row
      .map((cell, at) => cell.padEnd(widths[at] ?? 0))
      .join("  ")
      .trimEnd(),
  )
  const left = rows.length - cells.length
  return [...lines, ...(left === 0 ? [] : [`(${left} more rows omitted)`])].join("\n")
}

function textOf(cell: JsonValue): string {
  return typeof cell === "string" ? cell : ""
}
