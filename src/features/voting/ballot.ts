// Counts votes for answers. Answers with the same key are votes for the same answer; the first that leads by enough votes
// wins.
export class Ballot<Answer> {
  readonly #requiredLead: number
  readonly #votes = new Map<string, { readonly answer: Answer; count: number }>()

  constructor(requiredLead: number) {
    this.#requiredLead = requiredLead
  }

  cast(key: string, answer: Answer): void {
    const known = this.#votes.get(key)
    if (known === undefined) this.#votes.set(key, { answer, count: 1 })
    else known.count += 1
  }

  /** The answer with the most votes; in a tie, the first one. */
  get leader(): Answer | undefined {
    return this.#ranked()[0]?.answer
  }

  get lead(): number {
    const [first, second] = this.#ranked()
    return (first?.count ?? 0) - (second?.count ?? 0)
  }

  /** Votes that the leader still needs. */
  get missing(): number {
    return Math.max(0, this.#requiredLead - this.lead)
  }

  get counted(): number {
    return this.#ranked().reduce((sum, { count }) => sum + count, 0)
  }

  /** Votes of the best two answers. */
  get best(): readonly [number, number] {
    const [first, second] = this.#ranked()
    return [first?.count ?? 0, second?.count ?? 0]
  }

  /** For display: `3-1`, the leader first. */
  get tally(): string {
    return this.best.join("-")
  }

  #ranked() {
    return [...this.#votes.values()].toSorted((a, b) => b.count - a.count)
  }
}
