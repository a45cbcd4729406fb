// Counts the calls with the same prompt, for steps that answer a retry differently. Bounded: beyond the limit the oldest
// prompt starts again at its first attempt.
import { hash } from "node:crypto"

const remembered = 1000

export class Attempts {
  readonly #seen = new Map<string, number>()

  /** How many times it was counted before. */
  count(prompt: string): number {
    const key = hash("sha256", prompt)
    const before = this.#seen.get(key) ?? 0
    this.#seen.delete(key)
    this.#seen.set(key, before + 1)
    const oldest = this.#seen.size > remembered ? this.#seen.keys().next().value : undefined
    if (oldest !== undefined) this.#seen.delete(oldest)
    return before
  }
}
