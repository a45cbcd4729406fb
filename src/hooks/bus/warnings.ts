// What users should know about the extensions of a session, for everyone who follows, now or later.
import type { Warn } from "./bus.ts"

/** Kept for those who follow later. */
const MAX_KEPT = 20

export class Warnings {
  readonly #said: string[] = []
  readonly #followers = new Set<Warn>()

  say(sentence: string): void {
    if (this.#said.length < MAX_KEPT) this.#said.push(sentence)
    for (const warn of this.#followers) warn(sentence)
  }

  /** Also gets what was said before. Returns how to stop. */
  follow(warn: Warn): () => void {
    this.#followers.add(warn)
    this.#said.forEach((sentence) => warn(sentence))
    return () => this.#followers.delete(warn)
  }
}
