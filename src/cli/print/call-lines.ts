// A tool call as lines of a terminal: one line with its main argument and what came of it, and below it the change of a
// file or the folded output.
import { mainArgument } from "../../contract/rules/core-tools.ts"
import { diagnosticsField, fileDiffOf, pathDiffsOf, type FileDiff } from "../../contract/rules/file-diff.ts"
import { memberIn, textIn } from "../../contract/json-object.ts"
import { oneLine, printable, withoutEscapes } from "../../contract/text/text.ts"
import type { JsonValue } from "../../contract/values.ts"
import { counted } from "../output.ts"
import { diffLines, newFileLines } from "./diff-lines.ts"
import { timeText } from "./time-text.ts"
import { columnsOf, cutToWidth, paint, type Span, type Style } from "./wrap.ts"

export interface ShownCall {
  readonly tool: string
  readonly input: JsonValue
}

export interface CallEnd {
  readonly outcome: "done" | "failed" | "cancelled"
  readonly output: string
  readonly details?: JsonValue | undefined
  readonly ms: number | undefined
}

/** Columns of a call's first line on a wide terminal. */
const MAX_HEAD_WIDTH = 100
const MIN_GAP = 2

export class CallLines {
  readonly #stream: NodeJS.WriteStream

  constructor(stream: NodeJS.WriteStream) {
    this.#stream = stream
  }

  ended(call: ShownCall, end: CallEnd): readonly string[] {
    const sign: Span = { text: "●", styles: end.outcome === "done" ? ["cyan"] : ["red"] }
    return [this.head(sign, call, [...resultFacts(call, end), ...duration(end.ms)]), ...this.#body(call, end)]
  }

  /** A call that did not run, or whose outcome is unknown. */
  stopped(sign: Span, call: ShownCall, reason: string): readonly string[] {
    return [this.head(sign, call, []), ...this.#framed([oneLine(reason, Infinity)])]
  }

  running(call: ShownCall, ms: number, output: readonly string[]): readonly string[] {
    const lines = output.map((line) => this.#dim(`  │ ${cutToWidth(oneLine(line, 500), this.#width - 4)}`))
    return [this.head({ text: "○", styles: ["cyan"] }, call, duration(ms < 1000 ? undefined : ms)), ...lines]
  }

  head(sign: Span, { tool, input }: ShownCall, facts: readonly Span[]): string {
    const right = facts.flatMap((fact, at) => (at === 0 ? [fact] : [{ text: "  ", styles: [] }, fact]))
    const rightWidth = right.reduce((sum, { text }) => sum + columnsOf(text), 0)
    const width = Math.min(MAX_HEAD_WIDTH, this.#width)
    const room = Math.max(8, width - 2 - (rightWidth === 0 ? 0 : rightWidth + MIN_GAP))
    const name = oneLine(tool, 40)
    const argument = oneLine(mainArgument(tool, input), 500)
    const left = cutToWidth(argument === "{}" ? name : `${name} ${argument}`, room)
    const gap = " ".repeat(Math.max(MIN_GAP, room - columnsOf(left) + MIN_GAP))
    return paint(
      [sign, { text: ` ${left}`, styles: [] }, ...(rightWidth === 0 ? [] : [{ text: gap, styles: [] }, ...right])],
      this.#stream,
    )
  }

  #body(call: ShownCall, end: CallEnd): readonly string[] {
    const { output, details, outcome } = end
    const change = this.#change(call, details)
    if (change !== undefined) return [...change, ...this.#framed(folded(textIn(details, diagnosticsField) ?? ""))]
    if (outcome === "done" && quietTools.has(call.tool)) return []
    return this.#framed(folded(withoutEscapes(output)))
  }

  /** What a tool has changed in files; undefined for other calls. */
  #change(call: ShownCall, details: JsonValue | undefined): readonly string[] | undefined {
    const diff = fileDiffOf(details)
    if (diff !== undefined) return diffLines(diff, this.#width, this.#stream)
    const diffs = pathDiffsOf(details)
    if (diffs.length > 0)
      return diffs.flatMap((one) => [
        ...this.#framed([`${oneLine(one.path, 500)}  +${one.added} −${one.removed}`]),
        ...diffLines(one, this.#width, this.#stream),
      ])
    const content = textIn(call.input, "content")
    const isNew = memberIn(details, "created") === true && content !== undefined
    return isNew ? newFileLines(content, this.#width, this.#stream) : undefined
  }

  #framed(lines: readonly string[]): readonly string[] {
    return lines.map((line) =>
      this.#dim(`  │ ${cutToWidth(printable(line).replaceAll("\t", "    "), this.#width - 4)}`),
    )
  }

  #dim(text: string): string {
    return paint([{ text, styles: ["dim"] }], this.#stream)
  }

  get #width(): number {
    return Math.max(20, (this.#stream.columns || 80) - 1)
  }
}

/** Their result is for the model; one number says enough. */
const quietTools = new Set(["read", "grep", "find", "ls"])

function resultFacts({ tool, input }: ShownCall, { outcome, details }: CallEnd): readonly Span[] {
  const diff = fileDiffOf(details)
  const diffs = diff === undefined ? pathDiffsOf(details) : [diff]
  if (diffs.length > 0) return [{ text: `+${total(diffs, "added")} −${total(diffs, "removed")}`, styles: [] }]
  if (outcome === "cancelled") return [{ text: "cancelled", styles: ["red"] }]
  if (outcome === "failed") return [{ text: failure(details), styles: ["red"] }]
  const found = foundCount(tool, details)
  if (found !== undefined) return [{ text: found, styles: ["dim"] }]
  const content = textIn(input, "content")
  return memberIn(details, "created") === true && content !== undefined
    ? [{ text: `+${content.replace(/\n$/, "").split("\n").length}`, styles: [] }]
    : []
}

function total(diffs: readonly FileDiff[], count: "added" | "removed"): number {
  return diffs.reduce((sum, diff) => sum + diff[count], 0)
}

/** The exit code, where there is one. */
function failure(details: JsonValue | undefined): string {
  const code = memberIn(details, "exitCode")
  return typeof code === "number" ? `✗ ${code}` : "✗"
}

function foundCount(tool: string, details: JsonValue | undefined): string | undefined {
  const number = (name: string) => {
    const value = memberIn(details, name)
    return typeof value === "number" ? value : undefined
  }
  const [from, to] = [number("from"), number("to")]
  if (tool === "read" && from !== undefined && to !== undefined) return counted(Math.max(0, to - from + 1), "line")
  const matches = number("matches")
  if (matches !== undefined) return matches === 1 ? "1 match" : `${matches} matches`
  const entries = number("entries") ?? number("found")
  return entries === undefined ? undefined : entries === 1 ? "1 entry" : `${entries} entries`
}

function duration(ms: number | undefined): readonly Span[] {
  const style: readonly Style[] = ["dim"]
  return ms === undefined ? [] : [{ text: timeText(ms), styles: style }]
}

const FIRST_LINES = 2
const LAST_LINES = 4

/** The first and the last lines, and how many are between them. */
export function folded(text: string): readonly string[] {
  const lines = text.trimEnd().split("\n")
  if (lines.length === 1 && lines[0] === "") return []
  const hidden = lines.length - FIRST_LINES - LAST_LINES
  if (hidden <= 1) return lines
  return [...lines.slice(0, FIRST_LINES), `+${hidden} lines`, ...lines.slice(-LAST_LINES)]
}
