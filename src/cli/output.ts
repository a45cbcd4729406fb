// Formats what commands print: JSON, tables, numbers, times and the arguments of calls.
import { exitCodes } from "../app/app-fault.ts"
import { styled } from "../app/terminal.ts"
import { withVisibleCharacters } from "../contract/text/text.ts"
import type { JsonValue } from "../contract/values.ts"
import type { Args } from "./command.ts"

export function writeJson(value: unknown): void {
  process.stdout.write(`${JSON.stringify(value, null, 2)}\n`)
}

/** Prints the result of a command: as JSON with --json, else as text. Returns its exit code. */
export function printResult(args: Args, value: unknown, text: () => string): number {
  if (args.flag("json")) writeJson(value)
  else process.stdout.write(text())
  return exitCodes.done
}

/** The columns of a table by their titles: how each shows an item. */
export type Columns<Item> = Readonly<Record<string, (item: Item) => string>>

/** Its header is dim on a terminal. `numbers`: the columns that are aligned on the right. */
export function table<Item>(items: readonly Item[], shown: Columns<Item>, numbers: readonly string[] = []): string {
  const cells = Object.values(shown)
  const titles = Object.keys(shown)
  const right = titles.flatMap((title, column) => (numbers.includes(title) ? [column] : []))
  const rows = [titles, ...items.map((item) => cells.map((cell) => cell(item)))]
  const [first = "", ...others] = columns(rows, right)
  return [styled("dim", first, process.stdout), ...others, ""].join("\n")
}

export function columns(rows: readonly (readonly string[])[], right: readonly number[] = []): readonly string[] {
  const columnCount = Math.max(0, ...rows.map((row) => row.length))
  const widths = Array.from({ length: columnCount }, (_, column) =>
    Math.max(...rows.map((row) => row[column]?.length ?? 0)),
  )
  return rows.map((row) =>
    row
      .map((cell, column) =>
        right.includes(column) ? cell.padStart(widths[column] ?? 0) : cell.padEnd(widths[column] ?? 0),
      )
      .join("  ")
      .trimEnd(),
  )
}

/** The beginning of a session id that tells sessions apart: its time stamp. */
export function shortId(sessionId: string): string {
  return sessionId.slice(0, 13)
}

/** `1 session`, `2 sessions`. */
export function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? "" : "s"}`
}

/** A price for a million tokens. */
export function dollars(price: number | undefined): string {
  return price === undefined ? "?" : String(Number(price.toPrecision(6)))
}

const minuteMs = 60_000

export function ago(ms: number): string {
  return ms < minuteMs ? "just now" : `${span(ms)} ago`
}

/** In the largest fitting unit: `5 min`, `3 h`, `12 d`. */
export function span(ms: number): string {
  const minutes = Math.floor(ms / minuteMs)
  if (minutes < 1) return `${Math.max(0, Math.floor(ms / 1000))} s`
  if (minutes < 60) return `${minutes} min`
  if (minutes < 48 * 60) return `${Math.floor(minutes / 60)} h`
  return `${Math.floor(minutes / 1440)} d`
}

/** To the second, in the local time zone. */
export function moment(at: number): string {
  const local = new Date(at - new Date(at).getTimezoneOffset() * minuteMs)
  return local.toISOString().replace("T", " ").slice(0, 19)
}

/**
 * For the user who decides about a call: nothing is folded or cut. Characters that a terminal would hide, reverse or act
 * on are shown as JSON escapes.
 */
export function exactArguments(input: JsonValue, indent = 2): string {
  return withVisibleCharacters(JSON.stringify(input, null, indent))
}

export function indented(text: string, by: number): string {
  const margin = " ".repeat(by)
  return `${margin}${text.replaceAll("\n", `\n${margin}`)}`
}

/** Milliseconds between two updates of a progress line. */
const progressEveryMs = 100

/** On a terminal, updated a few times a second; nothing in a pipe. */
export class ProgressLine {
  #shownAt = 0

  show(text: string): void {
    const now = performance.now()
    if (!process.stderr.isTTY || now - this.#shownAt < progressEveryMs) return
    this.#shownAt = now
    process.stderr.write(`\r\u001b[K${text}`)
  }

  clear(): void {
    if (this.#shownAt > 0) process.stderr.write("\r\u001b[K")
    this.#shownAt = 0
  }
}
