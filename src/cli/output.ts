// Formats what commands print: JSON, tables, numbers, times and the arguments of calls.
import { exitCodes } from "../app/app-fault.ts"
import { styled } from "../app/terminal.ts"
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

/** A price for a million tokens. */
export function dollars(price: number | undefined): string {
  return price === undefined ? "?" : String(Number(price.toPrecision(6)))
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
