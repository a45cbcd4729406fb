// What histories had, by the kind of their processes.
import type { PlayFacts } from "./play/lock-play.ts"

export interface LocksRow extends PlayFacts {
  /** What was played, and with which processes. */
  readonly played: string
  readonly histories: number
}

export class LocksTally {
  histories = 0
  readonly #rows = new Map<string, LocksRow>()
  readonly #onHistory: (histories: number) => void

  constructor(onHistory: (histories: number) => void) {
    this.#onHistory = onHistory
  }

  count(played: string, facts: PlayFacts): void {
    const row = this.#rows.get(played) ?? {
      played,
      histories: 0,
      operations: 0,
      fenced: 0,
      freezes: 0,
      kills: 0,
      jumps: 0,
    }
    this.#rows.set(played, {
      played,
      histories: row.histories + 1,
      operations: row.operations + facts.operations,
      fenced: row.fenced + facts.fenced,
      freezes: row.freezes + facts.freezes,
      kills: row.kills + facts.kills,
      jumps: row.jumps + facts.jumps,
    })
    this.histories += 1
    this.#onHistory(this.histories)
  }

  get rows(): readonly LocksRow[] {
    return [...this.#rows.keys()].toSorted().flatMap((played) => this.#rows.get(played) ?? [])
  }
}
