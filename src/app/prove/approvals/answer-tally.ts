// What clients answered, by door, and which door's answer was the first.
export interface AnswerRow {
  readonly door: string
  /** Answers that were sent and not cut off by a kill. */
  readonly answers: number
  /** Of these, the ones that decided. */
  readonly decided: number
}

export class AnswerTally {
  answers = 0
  approvals = 0
  kills = 0
  /** Approvals of which an answer was under way when the host was killed. */
  raced = 0
  /** Answers with the digest of other arguments. */
  changed = 0
  readonly #answers = new Map<string, number>()
  readonly #decided = new Map<string, number>()
  readonly #wanted: number
  readonly #onAnswer: (answers: number) => void

  constructor(wanted: number, onAnswer: (answers: number) => void) {
    this.#wanted = wanted
    this.#onAnswer = onAnswer
  }

  get isComplete(): boolean {
    return this.answers >= this.#wanted
  }

  answer(door: string): void {
    this.answers += 1
    this.#answers.set(door, (this.#answers.get(door) ?? 0) + 1)
    this.#onAnswer(this.answers)
  }

  decide(door: string): void {
    this.#decided.set(door, (this.#decided.get(door) ?? 0) + 1)
  }

  get rows(): readonly AnswerRow[] {
    const doors = new Set([...this.#answers.keys(), ...this.#decided.keys()])
    return [...doors].map((door) => ({
      door,
      answers: this.#answers.get(door) ?? 0,
      decided: this.#decided.get(door) ?? 0,
    }))
  }
}
