// What clients answered, by door, and which door's answer was the first.
import { Counts } from "../counts.ts"

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
  readonly #counts = new Counts<"answers" | "decided">()
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
    this.#counts.add([door], "answers")
    this.#onAnswer(this.answers)
  }

  decide(door: string): void {
    this.#counts.add([door], "decided")
  }

  get rows(): readonly AnswerRow[] {
    return this.#counts.rows.map(({ names: [door = ""], counts }) => {
      return { door, answers: counts.answers ?? 0, decided: counts.decided ?? 0 }
    })
  }
}
