// Prints a turn to a terminal: Markdown block by block, tool calls with folded output. What is still being written or
// running is shown in the live region below.
import { lexer, type Token } from "marked"
import type { CallId } from "../../contract/ids.ts"
import { addOutput, lastLines, type OutputPiece } from "../../contract/rules/live-output.ts"
import { oneLine, printable } from "../../contract/text/text.ts"
import { styled } from "../../app/terminal.ts"
import { endedCall, runningCall, stoppedCall, type CallEnd, type ShownCall } from "../../display/call-lines.ts"
import type { LiveRegion } from "./live-region.ts"
import { markdownLines } from "../../display/markdown.ts"
import type { LineSpace } from "../../display/diff-lines.ts"
import type { Line, Role } from "../../display/spans.ts"
import { pageOf } from "./page.ts"
import { paint } from "./paint.ts"
import type { CallStop, Tone, TurnOutput } from "./turn-output.ts"

/** Milliseconds between two drawings of the text that is being written. */
const DRAW_MS = 40
const TICK_MS = 1000
/** Lines shown of the output of a running call. */
const TAIL_LINES = 3
/** Characters of an unfinished block that are shown while it is written. */
const MAX_PREVIEW = 20_000

interface RunningCall {
  readonly call: ShownCall
  readonly at: number
  readonly output: OutputPiece | undefined
}

/** As roles of the display. */
const callTones = { cyan: "tool", dim: "muted", red: "danger", yellow: "warning" } as const satisfies Record<Tone, Role>

export class TerminalOutput implements TurnOutput {
  readonly #notes: NodeJS.WriteStream
  readonly #region: LiveRegion | undefined
  readonly #hasMarks: boolean
  readonly #running = new Map<CallId, RunningCall>()
  /** Text whose block may still change. */
  #pending = ""
  /** Type of the newest block that was printed. */
  #block: string | undefined
  #last: "text" | "call" | "notice" = "notice"
  #drawing: NodeJS.Timeout | undefined
  #ticking: NodeJS.Timeout | undefined

  /** Without a region, text is printed when its block is complete. `isRead`: without marks, also where there is no colour. */
  constructor(notes: NodeJS.WriteStream, region: LiveRegion | undefined, isRead = false) {
    this.#notes = notes
    this.#region = region
    this.#hasMarks = !isRead && !pageOf(process.stdout).hasColour
  }

  text(text: string): void {
    this.#pending += text
    this.#drawing ??= setTimeout(() => this.#drawText(), DRAW_MS).unref() // a client that detaches does not wait for it
  }

  verbatim(text: string): void {
    this.endText()
    this.#print("text", printable(text.trimEnd()).split("\n"), process.stdout)
  }

  endText(): void {
    clearTimeout(this.#drawing)
    this.#drawing = undefined
    const rest = this.#pending
    this.#pending = ""
    this.#region?.set("text", [])
    if (rest.trim() !== "") this.#printBlocks(lexer(rest.trimEnd()))
    this.#block = undefined
  }

  callStarted(callId: CallId, call: ShownCall, at: number): void {
    this.endText()
    this.#running.set(callId, { call, at, output: undefined })
    this.#ticking ??= setInterval(() => this.#drawCalls(), TICK_MS).unref()
    this.#drawCalls()
  }

  callEnded(callId: CallId, call: ShownCall, end: Omit<CallEnd, "ms">, at: number): void {
    const running = this.#forget(callId)
    const ms = running === undefined ? undefined : Math.max(0, at - running.at)
    const ran = running?.call ?? call // an approver may have changed its arguments
    this.#printCall(endedCall(ran, { ...end, ms }, this.#space))
  }

  callStopped(callId: CallId, call: ShownCall, { sign, tone, reason }: CallStop): void {
    this.#forget(callId)
    this.#printCall(stoppedCall({ text: sign, styles: [callTones[tone]] }, call, reason, this.#space))
  }

  progress(callId: CallId | undefined, message: string, output: OutputPiece | undefined): void {
    const running = callId === undefined ? undefined : this.#running.get(callId)
    if (callId === undefined || running === undefined)
      return this.#region?.set("calls", [styled("dim", oneLine(message, 200), this.#notes)])
    const piece = output ?? { from: 0, text: `${message}\n` }
    this.#running.set(callId, { ...running, output: output === undefined ? piece : addOutput(running.output, piece) })
    this.#drawCalls()
  }

  notice(tone: Tone, text: string): void {
    this.endText()
    this.#print("notice", [styled(tone, printable(text), this.#notes)], this.#notes)
  }

  close(): void {
    this.endText()
    this.#running.clear()
    clearInterval(this.#ticking)
    this.#ticking = undefined
    this.#region?.set("calls", [])
  }

  /** All blocks but the newest are complete: they are printed for good. */
  #drawText(): void {
    this.#drawing = undefined
    const tokens: readonly Token[] = lexer(this.#pending)
    const newest = tokens.findLastIndex(({ type }) => type !== "space")
    const complete = newest > 0 ? tokens.slice(0, newest) : []
    if (complete.length > 0) {
      this.#pending = tokens
        .slice(newest)
        .map(({ raw }) => raw)
        .join("")
      this.#printBlocks(complete)
    }
    this.#preview(tokens.slice(Math.max(0, newest)))
  }

  #preview(tokens: readonly Token[]): void {
    if (this.#region === undefined) return
    const isLong = this.#pending.length > MAX_PREVIEW
    const shown = isLong ? lexer(this.#pending.slice(-MAX_PREVIEW)) : tokens
    const lines = printedMarkdown(
      shown.filter(({ type }) => type !== "space"),
      this.#block,
      this.#hasMarks,
    )
    this.#region.set("text", this.#needsGap("text") ? ["", ...lines] : lines)
  }

  #printBlocks(tokens: readonly Token[]): void {
    const isFirst = this.#block === undefined
    const start = isFirst ? tokens.findIndex(({ type }) => type !== "space") : 0
    const lines = printedMarkdown(tokens.slice(Math.max(0, start)), this.#block, this.#hasMarks)
    this.#block = tokens.at(-1)?.type ?? this.#block
    if (lines.length > 0) this.#print("text", lines, process.stdout)
  }

  #printCall(lines: readonly Line[]): void {
    this.endText()
    this.#print(
      "call",
      lines.map((line) => paint(line, this.#notes)),
      this.#notes,
    )
    this.#drawCalls()
  }

  #print(kind: "text" | "call" | "notice", lines: readonly string[], stream: NodeJS.WriteStream): void {
    const text = [...(this.#needsGap(kind) ? [""] : []), ...lines].map((line) => `${line}\n`).join("")
    this.#last = kind
    if (this.#region === undefined) stream.write(text)
    else this.#region.above(() => stream.write(text))
  }

  /** Text stands apart from everything else. */
  #needsGap(kind: "text" | "call" | "notice"): boolean {
    return this.#last !== kind && (kind === "text" || this.#last === "text")
  }

  #forget(callId: CallId): RunningCall | undefined {
    const running = this.#running.get(callId)
    this.#running.delete(callId)
    if (this.#running.size === 0) {
      clearInterval(this.#ticking)
      this.#ticking = undefined
    }
    return running
  }

  #drawCalls(): void {
    const now = Date.now()
    const lines = [...this.#running.values()].flatMap(({ call, at, output }) =>
      runningCall(call, now - at, output === undefined ? [] : lastLines(output, TAIL_LINES), this.#space),
    )
    const painted = lines.map((line) => paint(line, this.#notes))
    this.#region?.set("calls", painted.length > 0 && this.#needsGap("call") ? ["", ...painted] : painted)
  }

  get #space(): LineSpace {
    return { width: Math.max(20, (this.#notes.columns || 80) - 1) }
  }
}

/** `before`: the type of the block that was printed before. */
function printedMarkdown(tokens: readonly Token[], before: string | undefined, hasMarks: boolean): readonly string[] {
  const page = { ...pageOf(process.stdout), hasColour: !hasMarks }
  return markdownLines(tokens, page, before).map((line) => paint(line, process.stdout))
}
