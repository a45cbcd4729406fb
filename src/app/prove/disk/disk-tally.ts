// Counts the faults and the damage of `prove disk`, and what followed.
import { Counts } from "../counts.ts"
import type { FaultKind } from "./faults/rig.ts"

export const outcomes = {
  continued: "the disk worked again, and the host continued the session",
  killed: "the host and the log writer were killed while the disk failed; the next host continued the session",
  whole: "every event was read",
  shorter: "every event of the intact part was read; the damage looks like a power failure, and the rest was not noted",
  named: "the damage was named",
} as const
export type Outcome = keyof typeof outcomes

export interface DiskRow {
  readonly what: string
  readonly counts: { readonly [outcome in Outcome]?: number }
}

export class DiskTally {
  /** Commands that were refused. */
  refused = 0
  /** Bytes that were written, not synced, and cut off. */
  cutOff = 0
  /** Checks by a process of its own. */
  processes = 0
  conversations = 0
  faults = 0
  copies = 0
  /** Bytes at which a copy can be cut, and at which one was cut. */
  places = 0
  cuts = 0
  readonly #counts = new Counts<Outcome>()
  readonly #onTrial: (trials: number) => void

  constructor(onTrial: (trials: number) => void) {
    this.#onTrial = onTrial
  }

  get trials(): number {
    return this.#counts.total
  }

  countFault(kind: FaultKind, isKilled: boolean): void {
    this.faults += 1
    this.#count(kind, isKilled ? "killed" : "continued")
  }

  countDamage(what: string, outcome: Outcome): void {
    this.copies += 1
    this.#count(what, outcome)
  }

  #count(what: string, outcome: Outcome): void {
    this.#counts.add([what], outcome)
    this.#onTrial(this.trials)
  }

  get rows(): readonly DiskRow[] {
    return this.#counts.rows.map(({ names: [what = ""], counts }) => ({ what, counts }))
  }
}
