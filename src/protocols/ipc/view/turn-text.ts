// The text of one turn as viewers are sent it: all blocks of all steps in one stream, with separators. The chunks joined
// are the whole text, also for a viewer that joined later and got the text so far first.
import type { StepId } from "../../../contract/ids.ts"
import type { StreamedBlock } from "../../../contract/values.ts"
import { UnsentText } from "../../../projection/unsent-text.ts"

/** Between two blocks of text, also of different steps. */
export const blockSeparator = "\n\n"

export class TurnText {
  #sent: string
  readonly #unsent = new UnsentText()
  /** The last text was cut off: a step that continues it goes on in the same word. */
  #isCutOff: boolean
  #separator: string

  /** For a turn that is open already: its text so far, and its current step. */
  constructor(sent = "", stepId?: StepId, isCutOff = false) {
    this.#sent = sent
    this.#unsent.startStep(stepId)
    this.#isCutOff = isCutOff
    this.#separator = isCutOff ? "" : blockSeparator
  }

  /** All text that was sent. */
  get sent(): string {
    return this.#sent
  }

  startStep(stepId: StepId, isContinued: boolean): void {
    this.#unsent.startStep(stepId)
    this.#isCutOff &&= isContinued
    this.#separator = this.#isCutOff ? "" : blockSeparator
  }

  /** What to send of a delta now. */
  delta(stepId: StepId, block: number, delta: string): string {
    const isFirst = this.#unsent.sent(block) === 0
    return this.#append(this.#unsent.delta(stepId, block, delta), isFirst)
  }

  /** What to send of the open step, given all of it so far. */
  soFar(stepId: StepId, blocks: readonly StreamedBlock[]): string {
    let sent = ""
    for (const { kind, block, text } of blocks) {
      if (kind !== "text") continue
      const isFirst = this.#unsent.sent(block) === 0
      sent += this.#append(this.#unsent.textSoFar(stepId, block, text), isFirst)
    }
    return sent
  }

  /** What to send of a block that has ended. Undefined if more was sent than is true: then `sent` is corrected. */
  ended(stepId: StepId, block: number, text: string, isCutOff: boolean): string | undefined {
    this.#isCutOff = isCutOff
    if (!this.#unsent.isCurrent(stepId)) this.startStep(stepId, false)
    const before = this.#unsent.sent(block)
    const excess = before - text.length
    const rest = this.#append(this.#unsent.ended(stepId, block, text), before === 0)
    if (excess <= 0) return rest
    this.#sent = this.#sent.slice(0, -excess)
    return undefined
  }

  #append(unsent: string, isFirst: boolean): string {
    if (unsent === "") return ""
    const text = unsent.toWellFormed()
    const sent = isFirst ? this.#opening() + text : text
    this.#sent += sent
    return sent
  }

  #opening(): string {
    const separator = this.#sent === "" ? "" : this.#separator
    this.#separator = blockSeparator
    return separator
  }
}
