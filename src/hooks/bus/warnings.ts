// Warnings about the extensions of a session, also for subscribers that join later.
import type { Warn } from "./bus.ts"

/** Kept for later subscribers. */
const MAX_KEPT = 20

export class Warnings {
  readonly #said: string[] = []
  readonly #followers = new Set<Warn>()

  say(sentence: string): void {
    if (this.#said.length < MAX_KEPT) this.#said.push(sentence)
    for (const warn of this.#followers) warn(sentence)
  }

  /** Also gets the earlier warnings. Returns the unsubscribe function. */
  follow(warn: Warn): () => void {
    this.#followers.add(warn)
    this.#said.forEach((sentence) => warn(sentence))
    return () => this.#followers.delete(warn)
  }
}
