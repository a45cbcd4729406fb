// Counts the kills of a proof: by the newest stored event and by the point in time.
import { Counts } from "../counts.ts"

export const points = {
  written: "the host, when the log file grows: the event is stored, and the host may not know it",
  shown: "the host, when a client is shown an event",
  both: "the host and the log writer, when a client is shown an event",
  writer: "the log writer, when the log file grows: the event is stored, and the answer to the host may be lost",
  effect: "the host, when a tool has had its effect and has no result",
  random: "the host, at a random instant",
  frozen: "the host is suspended for longer than its lease, and continued when another one has taken over",
} as const

export type Point = keyof typeof points

export class Tally {
  kills = 0
  frozen = 0
  /** Calls whose outcome cannot be known. */
  unknown = 0
  sessions = 0
  readonly #counts = new Counts<Point>()
  readonly #wanted: number
  readonly #onKill: (kills: number) => void

  constructor(wanted: number, onKill: (kills: number) => void) {
    this.#wanted = wanted
    this.#onKill = onKill
  }

  /** Suspensions are made beside the kills and do not count. */
  get isComplete(): boolean {
    return this.kills >= this.#wanted
  }

  count(event: string, point: Point): void {
    this.#counts.add([event], point)
    if (point === "frozen") this.frozen += 1
    else this.kills += 1
    this.#onKill(this.kills)
  }

  /** By name. */
  get rows(): readonly TallyRow[] {
    return this.#counts.rows.map(({ names: [event = ""], counts }) => ({ event, counts }))
  }
}

export interface TallyRow {
  readonly event: string
  readonly counts: { readonly [point in Point]?: number }
}
