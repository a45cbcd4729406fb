// What a call would do, for a person who decides about it: the command, the change of a file, or the arguments.
import { isJsonObject, memberIn, textIn } from "../contract/json-object.ts"
import { coreTool, mainArgument } from "../contract/rules/core-tools.ts"
import { samplingTool, serverName } from "../contract/rules/call-requests.ts"
import { networkTool } from "../contract/rules/network-rules.ts"
import { oneLine, withVisibleCharacters } from "../contract/text/text.ts"
import type { DiffLine, FileChange, JsonValue } from "../contract/values.ts"
import type { ShownCall } from "./call-lines.ts"
import { exactArguments } from "./format.ts"
import { plain, wrapExactly, type Line, type Span, type Style } from "./spans.ts"
import { visibleSpans } from "./visible-text.ts"

/** Lines of text that are shown at most, before they are wrapped. */
const MAX_LINES = 400

/** None is wider than `width`. The first names the tool. */
export function previewLines(call: ShownCall, width: number): readonly Line[] {
  const { head, note, body } = contentOf(call)
  const name: Span = { text: `${withVisibleCharacters(oneLine(call.tool, 100))}  `, styles: ["bold"] }
  return [
    ...wrapExactly([name, ...visibleSpans(head), ...noteSpans(note)], width),
    ...withoutMiddle(body, MAX_LINES).flatMap((line) =>
      line.kind === "fold" ? [[foldMark(line.hidden)]] : wrapExactly(visibleSpans(line.text, line.styles), width),
    ),
  ]
}

/** Nothing is folded: the change of the file where it is known, and the exact arguments. */
export function detailsText(call: ShownCall): string {
  const { head, note = "", body } = contentOf(call)
  const isKnown = call.changes?.some(({ lines }) => lines.length > 0) === true
  const change = isKnown ? [`${head}  ${note}`, ...body.map(({ text }) => text), ""] : []
  return [...change.map(withVisibleCharacters), exactArguments(call.input)].join("\n")
}

/** After the head. */
export function noteSpans(note: string | undefined): readonly Span[] {
  return note === undefined ? [] : [{ text: `  ${note}`, styles: ["muted"] }]
}

/** At most `most` lines: the first, how many are left out, and the last. */
export function foldLines(lines: readonly Line[], most: number): readonly Line[] {
  const wrapped = lines.map((line) => ({ kind: "line" as const, line }))
  return withoutMiddle(wrapped, most).map((one) => (one.kind === "fold" ? [foldMark(one.hidden)] : one.line))
}

function foldMark(hidden: number): Span {
  return { text: `+${hidden} lines, d shows all`, styles: ["accent"] }
}

interface Fold {
  readonly kind: "fold"
  readonly hidden: number
}

function withoutMiddle<Item>(items: readonly Item[], most: number): readonly (Item | Fold)[] {
  if (items.length <= most) return items
  const last = Math.max(1, Math.floor((most - 1) / 3))
  const first = Math.max(1, most - 1 - last)
  const fold: Fold = { kind: "fold", hidden: items.length - first - last }
  return [...items.slice(0, first), fold, ...items.slice(-last)]
}

export interface BodyLine extends Span {
  readonly kind: "text"
}

export interface Content {
  readonly head: string
  /** A fact about the head. */
  readonly note?: string
  readonly body: readonly BodyLine[]
}

export function contentOf({ tool, input, changes }: ShownCall): Content {
  if (tool === networkTool) return { head: mainArgument(tool, input), body: [] }
  const prompt = tool === samplingTool ? promptContent(input) : undefined
  if (prompt !== undefined) return prompt
  const command = coreTool(tool)?.argument === "command" ? textIn(input, "command") : undefined
  if (command !== undefined) return { head: command, body: otherFields(input, ["command"]) }
  const path = textIn(input, "path")
  const change = path === undefined ? undefined : changeOf(tool, input)
  if (path !== undefined && change !== undefined) return changedFile(path, change, input, changes?.[0])
  const patch = tool === "apply_patch" ? textIn(input, "input") : undefined
  if (patch !== undefined) return { head: "", body: [...linesOf(patch, signStyle), ...otherFields(input, ["input"])] }
  return { head: "", body: linesOf(JSON.stringify(input, null, 2)) }
}

/** The prompt of an MCP server, as the model would get it. Undefined for arguments of another shape. */
function promptContent(input: JsonValue): Content | undefined {
  const server = textIn(input, "server")
  const messages = memberIn(input, "messages")
  if (server === undefined || !Array.isArray(messages)) return undefined
  const system = textIn(input, "system")
  const texts = messages.flatMap((one) => linesOf(`${textIn(one, "role") ?? ""}: ${textIn(one, "text") ?? ""}`))
  return {
    head: `for ${serverName({ name: server })}`,
    body: [
      ...(system === undefined ? [] : linesOf(`system: ${system}`)),
      ...texts,
      ...otherFields(input, ["server", "system", "messages"]),
    ],
  }
}

/** What stands beside the main field matters too, such as a time limit. */
function otherFields(input: JsonValue, shown: readonly string[]): readonly BodyLine[] {
  if (!isJsonObject(input)) return []
  const others = Object.entries(input).filter(([name]) => !shown.includes(name))
  return others.map(([name, value]) => ({ kind: "text", text: `${name}: ${JSON.stringify(value)}`, styles: ["muted"] }))
}

const changeFields = ["path", "content", "old_string", "new_string", "replace_all", "edits"]

/** With the change of the file where it is known, or else `change`: what the arguments say. */
function changedFile(
  head: string,
  change: readonly BodyLine[],
  input: JsonValue,
  known: FileChange | undefined,
): Content {
  if (known === undefined) return { head, body: change }
  if (known.isNew === true) return { head, note: "new file", body: change }
  if (known.lines.length === 0) return { head, note: "no line changes", body: otherFields(input, changeFields) }
  const lines = numberedLines(known.lines).map(([text, styles]): BodyLine => ({ kind: "text", text, styles }))
  const note = `+${known.added} −${known.removed}`
  return { head, note, body: [...lines, ...otherFields(input, changeFields)] }
}

function numberedLines(lines: readonly DiffLine[]): readonly (readonly [string, readonly Style[]])[] {
  const digits = Math.max(...lines.map((line) => (line.sign === "…" ? 0 : String(line.at).length)))
  return lines.map((line) => {
    if (line.sign === "…") return [omittedText(line), line.unchanged === true ? ["muted"] : ["accent"]]
    const styles: readonly Style[] = line.sign === " " ? ["muted"] : signStyle(line.sign)
    return [`${String(line.at).padStart(digits)} ${line.sign} ${line.text}`, styles]
  })
}

function omittedText({ omitted, unchanged }: Extract<DiffLine, { sign: "…" }>): string {
  return unchanged === true ? `… ${omitted} unchanged lines` : `+${omitted} lines of the change, d shows the arguments`
}

/** Undefined for arguments of another shape: they are shown as they are. */
function changeOf(tool: string, input: JsonValue): readonly BodyLine[] | undefined {
  const content = textIn(input, "content")
  if (tool === "write" && content !== undefined)
    return [...signed("+", content), ...otherFields(input, ["path", "content"])]
  const edits = tool === "edit" ? editsOf(input) : undefined
  return edits?.flatMap((edit, index) => {
    const [from, to] = [textIn(edit, "old_string") ?? "", textIn(edit, "new_string") ?? ""]
    const others = otherFields(edit, ["path", "old_string", "new_string"])
    return [...(index === 0 ? [] : linesOf("")), ...signed("-", from), ...signed("+", to), ...others]
  })
}

/** Either a list of edits or one edit, never both. */
function editsOf(input: JsonValue): readonly JsonValue[] | undefined {
  const list = memberIn(input, "edits")
  const isList = Array.isArray(list) && isJsonObject(input) && Object.keys(input).length === 2
  const edits = isList ? list : [input]
  return edits.every(isEdit) && memberIn(edits[0], "edits") === undefined ? edits : undefined
}

function isEdit(edit: JsonValue): boolean {
  return textIn(edit, "old_string") !== undefined && textIn(edit, "new_string") !== undefined
}

function signed(sign: "+" | "-", text: string): readonly BodyLine[] {
  if (text === "") return []
  const signedText = text
    .replace(/\n$/, "")
    .split("\n")
    .map((line) => `${sign} ${line}`)
  return linesOf(signedText.join("\n"), signStyle)
}

function linesOf(text: string, styleOf: (line: string) => readonly Style[] = () => []): readonly BodyLine[] {
  return text.split("\n").map((line) => ({ kind: "text", ...plain(line), styles: styleOf(line) }))
}

function signStyle(line: string): readonly Style[] {
  if (line.startsWith("+")) return ["added"]
  return line.startsWith("-") ? ["removed"] : []
}
