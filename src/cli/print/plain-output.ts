// Prints a turn as plain text: the answer to stdout as it was written, one line per step to stderr or the given stream.
// Nothing moves the cursor, except the lines of running calls if stderr is a terminal.
import type { CallId } from "../../contract/ids.ts"
import { mainArgument } from "../../contract/rules/core-tools.ts"
import type { OutputPiece } from "../../contract/rules/live-output.ts"
import { oneLine, printable } from "../../contract/text/text.ts"
import { styled } from "../../app/terminal.ts"
import type { CallEnd, ShownCall } from "../../display/call-lines.ts"
import type { LiveRegion } from "./live-region.ts"
import type { LiveTail } from "./live-tail.ts"
import type { CallStop, Tone, TurnOutput } from "./turn-output.ts"

const MAX_SUMMARY_LENGTH = 100

export class PlainOutput implements TurnOutput {
  readonly #notes: NodeJS.WriteStream
  readonly #region: LiveRegion | undefined
  readonly #tail: LiveTail | undefined
  #midLine = false

  /** `region` and its tail only where the notes go to a terminal. */
  constructor(notes: NodeJS.WriteStream, region?: LiveRegion, tail?: LiveTail) {
    this.#notes = notes
    this.#region = region
    this.#tail = tail
  }

  text(text: string): void {
    if (text === "") return
    this.#tail?.clear()
    const shown = process.stdout.isTTY ? printable(text) : text
    process.stdout.write(shown)
    this.#midLine = !shown.endsWith("\n")
  }

  verbatim(text: string): void {
    this.endText()
    this.text(text)
  }

  endText(): void {
    this.#tail?.clear()
    if (this.#midLine) process.stdout.write("\n")
    this.#midLine = false
  }

  callStarted(_callId: CallId, call: ShownCall): void {
    this.#note("→", "cyan", call)
  }

  callEnded(callId: CallId, call: ShownCall, { outcome, output }: Omit<CallEnd, "ms">): void {
    this.#tail?.end(callId)
    if (outcome !== "done") this.#note("✗", "red", call, output.trimEnd().split("\n").at(-1) ?? "")
  }

  callStopped(callId: CallId, call: ShownCall, { sign, tone, reason }: CallStop): void {
    this.#tail?.end(callId)
    this.#note(sign, tone, call, reason)
  }

  progress(callId: CallId | undefined, message: string, output: OutputPiece | undefined): void {
    if (this.#tail === undefined) return
    if (this.#midLine) this.endText()
    if (callId !== undefined && output !== undefined) this.#tail.print(callId, output)
    else this.#tail.show([message])
  }

  notice(tone: Tone, text: string): void {
    this.endText()
    this.#printNote(styled(tone, printable(text), this.#notes))
  }

  close(): void {
    this.endText()
  }

  #note(sign: string, tone: Tone, { tool, input }: ShownCall, more?: string): void {
    this.endText()
    const what = oneLine(`${tool} ${mainArgument(tool, input)}`, MAX_SUMMARY_LENGTH)
    const text = oneLine(more === undefined ? what : `${what}: ${more}`, 200)
    this.#printNote(`${styled(tone, sign, this.#notes)} ${text}`)
  }

  #printNote(line: string): void {
    const print = () => void this.#notes.write(`${line}\n`)
    if (this.#region === undefined) print()
    else this.#region.above(print)
  }
}
