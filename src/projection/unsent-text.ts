// How much of a streamed text one client has been sent. Text comes as deltas, as the whole text so far (for a client that
// joins or was behind) and whole at its end; the client gets each character once, and surrogate pairs unsplit.
import type { StepId } from "../contract/ids.ts"
import { isHighSurrogate } from "../contract/text/text.ts"

interface SentBlock {
  /** Characters of the block that were sent. */
  sent: number
  /** The first half of a character whose second half comes with the next delta. */
  half: string
}

export class UnsentText {
  #stepId: StepId | undefined
  #blocks = new Map<number, SentBlock>()

  /** Ignores text of other steps from now on. If it is never called, the first text decides. */
  startStep(stepId: StepId | undefined): void {
    this.#stepId = stepId
    this.#blocks.clear()
  }

  /** Characters of a block of the current step that were sent. */
  sent(block: number): number {
    return this.#blocks.get(block)?.sent ?? 0
  }

  /** What to send of a delta now. */
  delta(stepId: StepId, block: number, delta: string): string {
    if (!this.isCurrent(stepId)) return ""
    const known = this.#block(block)
    return send(known, known.half === "" ? delta : known.half + delta)
  }

  /** What to send of a block, given all of it so far. */
  textSoFar(stepId: StepId, block: number, text: string): string {
    if (!this.isCurrent(stepId)) return ""
    const known = this.#block(block)
    return send(known, text.slice(known.sent))
  }

  /** What to send of a block that has ended; nothing if more was sent before a crash than the block now has. */
  ended(stepId: StepId, block: number, text: string): string {
    if (!this.isCurrent(stepId)) this.startStep(stepId)
    const known = this.#block(block)
    const rest = text.slice(known.sent)
    known.sent = text.length
    known.half = ""
    return rest
  }

  /** Whether text of this step is for the client. Without `startStep` the first text decides. */
  isCurrent(stepId: StepId): boolean {
    this.#stepId ??= stepId
    return this.#stepId === stepId
  }

  #block(block: number): SentBlock {
    const known = this.#blocks.get(block)
    if (known !== undefined) return known
    const fresh = { sent: 0, half: "" }
    this.#blocks.set(block, fresh)
    return fresh
  }
}

/** Whole characters only: a half waits for the rest. */
function send(block: SentBlock, text: string): string {
  const isHalf = text !== "" && isHighSurrogate(text.charCodeAt(text.length - 1))
  block.half = isHalf ? text.slice(-1) : ""
  const whole = isHalf ? text.slice(0, -1) : text
  block.sent += whole.length
  return whole
}
