// What a turn prints, whatever it prints to: a terminal that shows it formatted, or a pipe that gets plain lines.
import type { CallId } from "../../contract/ids.ts"
import type { OutputPiece } from "../../contract/rules/live-output.ts"
import type { CallEnd, ShownCall } from "../../display/call-lines.ts"

export type Tone = "cyan" | "dim" | "red" | "yellow"

export interface TurnOutput {
  /** More text of the answer. */
  text(text: string): void
  /** Lines that belong to the answer and are not Markdown. */
  verbatim(text: string): void
  /** What comes next is not part of the text. */
  endText(): void
  callStarted(callId: CallId, call: ShownCall, at: number): void
  callEnded(callId: CallId, call: ShownCall, end: Omit<CallEnd, "ms">, at: number): void
  /** The call did not run, or its outcome is unknown. */
  callStopped(callId: CallId, call: ShownCall, stop: CallStop): void
  /** What a call prints while it runs, or a message about what runs. */
  progress(callId: CallId | undefined, message: string, output: OutputPiece | undefined): void
  notice(tone: Tone, text: string): void
  /** The turn is over. */
  close(): void
}

export interface CallStop {
  readonly sign: "⊘" | "?"
  readonly tone: Tone
  readonly reason: string
}
