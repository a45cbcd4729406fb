// A tool call as lines of a terminal: one line with its main argument and what came of it, and below it the change of a
// file or the folded output.
import { mainArgument } from "../contract/rules/core-tools.ts"
import { diagnosticsField, fileDiffOf, pathDiffsOf, type FileDiff } from "../contract/rules/file-diff.ts"
import { memberIn, textIn } from "../contract/json-object.ts"
import { oneLine, withoutEscapes } from "../contract/text/text.ts"
import type { FileChange, JsonValue } from "../contract/values.ts"
import { diffLines, newFileLines, type LineSpace } from "./diff-lines.ts"
import { counted } from "./format.ts"
import { safe } from "./safe-text.ts"
import { columnsOf, cutToWidth, lineWidth, plain, type Line, type Span } from "./spans.ts"
import { timeText } from "./time-text.ts"

export interface ShownCall {
  readonly tool: string
  readonly input: JsonValue
  /** What it would do to files, where that is known and the arguments are those of the agent. */
  readonly changes?: readonly FileChange[] | undefined
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
/** Characters of a line that are looked at. */
const MAX_LINE = 500
/** Characters of a line of output that can be shown: more than any terminal is wide. */
const MAX_FRAMED = 2000

/** A call that has ended. */
export function endedCall(call: ShownCall, end: CallEnd, space: LineSpace): readonly Line[] {
  const sign: Span = { text: "●", styles: end.outcome === "done" ? ["tool"] : ["warning"] }
  return [callHead(sign, call, callFacts(call, end), space.width), ...body(call, end, space)]
}

/** A call that did not run, or whose outcome is unknown. */
export function stoppedCall(sign: Span, call: ShownCall, reason: string, { width }: LineSpace): readonly Line[] {
  return [callHead(sign, call, [], width), ...framed([oneLine(reason, Infinity)], width)]
}

/** `output`: its newest lines. */
export function runningCall(
  call: ShownCall,
  ms: number,
  output: readonly string[],
  { width }: LineSpace,
): readonly Line[] {
  const head = callHead({ text: "○", styles: ["tool"] }, call, duration(ms < 1000 ? undefined : ms), width)
  const lines = output.map((line) => framedLine(oneLine(line, MAX_LINE), width))
  return [head, ...lines]
}

export function callHead(sign: Span, { tool, input }: ShownCall, facts: readonly Span[], width: number): Line {
  const right = facts.flatMap((fact, at) => (at === 0 ? [fact] : [plain("  "), fact]))
  const rightWidth = lineWidth(right)
  const room = Math.max(8, Math.min(MAX_HEAD_WIDTH, width) - 2 - (rightWidth === 0 ? 0 : rightWidth + MIN_GAP))
  const name = oneLine(tool, 40)
  const argument = oneLine(shownArgument(tool, input), MAX_LINE)
  const left = cutToWidth(safe(argument === "{}" ? name : `${name} ${argument}`), room)
  const gap = " ".repeat(Math.max(MIN_GAP, room - columnsOf(left) + MIN_GAP))
  return [sign, plain(` ${left}`), ...(rightWidth === 0 ? [] : [plain(gap), ...right])]
}

/** What came of it in a few words, and how long it took. */
export function callFacts(call: ShownCall, end: CallEnd): readonly Span[] {
  return [...resultFacts(call, end), ...duration(end.ms)]
}

/** A search is known by what it looks for. */
export function shownArgument(tool: string, input: JsonValue): string {
  const pattern = tool === "grep" || tool === "find" ? textIn(input, "pattern") : undefined
  if (pattern === undefined) return mainArgument(tool, input)
  const path = textIn(input, "path") ?? "."
  return path === "." ? `"${pattern}"` : `"${pattern}" in ${path}`
}

function body(call: ShownCall, end: CallEnd, space: LineSpace): readonly Line[] {
  const { output, details, outcome } = end
  const isExpanded = space.isExpanded === true
  const shown = (text: string) => framed(isExpanded ? allLines(text) : folded(text), space.width)
  const change = changeLines(call, details, space)
  if (change !== undefined) return [...change, ...shown(textIn(details, diagnosticsField) ?? "")]
  const todos = outcome === "done" ? todoTexts(call) : undefined
  if (todos !== undefined) return framed(todos, space.width)
  if (outcome === "done" && quietTools.has(call.tool) && !isExpanded) return []
  return shown(withoutEscapes(output))
}

const todoSigns: Readonly<Record<string, string>> = { completed: "✓", in_progress: "▸", pending: "○" }

/** The list of tasks as check marks; undefined for other calls. */
export function todoTexts({ tool, input }: ShownCall): readonly string[] | undefined {
  const todos = tool === "todo" ? memberIn(input, "todos") : undefined
  if (!Array.isArray(todos) || todos.length === 0) return undefined
  return todos.map(
    (todo) => `${todoSigns[textIn(todo, "status") ?? ""] ?? "○"} ${oneLine(textIn(todo, "content") ?? "", MAX_LINE)}`,
  )
}

/** What a tool has changed in files; undefined for other calls. */
function changeLines(call: ShownCall, details: JsonValue | undefined, space: LineSpace): readonly Line[] | undefined {
  const diff = fileDiffOf(details)
  if (diff !== undefined) return diffLines(diff, space)
  const diffs = pathDiffsOf(details)
  if (diffs.length > 0)
    return diffs.flatMap((one) => [
      framedLine(`${oneLine(one.path, MAX_LINE)}  +${one.added} −${one.removed}`, space.width),
      ...diffLines(one, space),
    ])
  const content = textIn(call.input, "content")
  const isNew = memberIn(details, "created") === true && content !== undefined
  return isNew ? newFileLines(content, space) : undefined
}

function framed(lines: readonly string[], width: number): readonly Line[] {
  return lines.map((line) => framedLine(line, width))
}

function framedLine(text: string, width: number): Line {
  return [{ text: `  │ ${cutToWidth(safe(text.slice(0, MAX_FRAMED)), width - 4)}`, styles: ["muted"] }]
}

/** Their result is for the model; one number says enough. */
export const quietTools: ReadonlySet<string> = new Set(["read", "grep", "find", "ls"])

function resultFacts({ tool, input }: ShownCall, { outcome, details }: CallEnd): readonly Span[] {
  const diff = fileDiffOf(details)
  const diffs = diff === undefined ? pathDiffsOf(details) : [diff]
  if (diffs.length > 0) return [{ text: `+${total(diffs, "added")} −${total(diffs, "removed")}`, styles: [] }]
  if (outcome === "cancelled") return [{ text: "cancelled", styles: ["warning"] }]
  if (outcome === "failed") return [{ text: failure(details), styles: ["warning"] }]
  const found = foundCount(tool, details)
  if (found !== undefined) return [{ text: found, styles: ["muted"] }]
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
  return ms === undefined ? [] : [{ text: timeText(ms), styles: ["muted"] }]
}

const FIRST_LINES = 2
const LAST_LINES = 4

/** The first and the last lines, and how many are between them. */
export function folded(text: string): readonly string[] {
  const lines = allLines(text)
  const hidden = lines.length - FIRST_LINES - LAST_LINES
  if (hidden <= 1) return lines
  return [...lines.slice(0, FIRST_LINES), `+${hidden} lines`, ...lines.slice(-LAST_LINES)]
}

function allLines(text: string): readonly string[] {
  const lines = text.trimEnd().split("\n")
  return lines.length === 1 && lines[0] === "" ? [] : lines
}
