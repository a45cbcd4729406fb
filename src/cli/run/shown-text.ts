// What of a text that is being written was shown already. Text comes in pieces, as the whole so far (to whoever joins
// or was left behind), and whole at the end; each letter is shown once.
import type { StepId } from "../../contract/ids.ts"

export class ShownText {
  readonly #blocks = new Map<string, string>()

  /** A piece that follows what there is. */
  add(stepId: StepId, block: number, piece: string): void {
    this.#blocks.set(keyOf(stepId, block), this.#shown(stepId, block) + piece)
  }

  /** What is to be shown of a text, given all of it. After a crash the end of what was shown may not be part of it. */
  rest(stepId: StepId, block: number, whole: string): string {
    const shown = this.#shown(stepId, block)
    this.#blocks.set(keyOf(stepId, block), whole)
    if (shown.startsWith(whole)) return ""
    return whole.startsWith(shown) ? whole.slice(shown.length) : `\n${whole}`
  }

  /** Nothing more is said in this turn. */
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
