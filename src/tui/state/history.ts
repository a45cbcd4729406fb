// Prompts of before, by arrow keys: the newest first, back to the draft at the end.
import { draftOf, type Draft } from "./draft.ts"

export class History {
  #entries: readonly string[]
  /** Distance from the newest; 0 is the draft. */
  #back = 0
  #draft: Draft = draftOf("")

  constructor(entries: readonly string[]) {
    this.#entries = entries
  }

  add(text: string): void {
    if (this.#entries.at(-1) !== text) this.#entries = [...this.#entries, text]
    this.#back = 0
  }

  /** Each once, the newest first. */
  get newestFirst(): readonly string[] {
    return [...new Set(this.#entries.toReversed())]
  }

  /** Something was typed: the next step begins at the newest again. */
  reset(): void {
    this.#back = 0
  }

  /** Undefined at either end. */
  step(by: 1 | -1, current: Draft): Draft | undefined {
    const back = this.#back + by
    if (back < 0 || back > this.#entries.length) return undefined
    if (this.#back === 0) this.#draft = current
    this.#back = back
    return back === 0 ? this.#draft : draftOf(this.#entries.at(-back) ?? "")
  }
}
