// Tracks which part of streaming text was printed. Text comes in deltas, as the whole so far, and whole at the end; each
// character is printed once.
import type { StepId } from "../../contract/ids.ts"

export class ShownText {
  readonly #blocks = new Map<string, string>()

  /** A delta. */
  add(stepId: StepId, block: number, piece: string): void {
    this.#blocks.set(keyOf(stepId, block), this.#shown(stepId, block) + piece)
  }

  /** The part of the whole text that was not printed yet. After a crash the text may differ from what was printed. */
  rest(stepId: StepId, block: number, whole: string): string {
    const shown = this.#shown(stepId, block)
    this.#blocks.set(keyOf(stepId, block), whole)
    if (shown.startsWith(whole)) return ""
    return whole.startsWith(shown) ? whole.slice(shown.length) : `\n${whole}`
  }

  /** The turn has ended. */
  clear(): void {
    this.#blocks.clear()
  }

  #shown(stepId: StepId, block: number): string {
    return this.#blocks.get(keyOf(stepId, block)) ?? ""
  }
}

function keyOf(stepId: StepId, block: number): string {
  return `${stepId}:${block}`
}
