// Counts the kills of a proof: by the newest stored event and by the point in time.
import { Counts } from "../counts.ts"

export const points = {
  written: "the host, when the log file grows: the event is stored, and the host may not know it",
  shown: "the host, when a client is shown an event",
  both: "the host and the log writer, when a client is shown an event",
  writer: "the log writer, when the log file grows: the event is stored, and the answer to the host may be lost",
  effect: "the host, when a tool has had its effect and has no result",
  random: "the host, at a random instant",
  closing: "the host, which was told to stop, when the log file grows: it saves snapshots and gives up its sessions",
  handover: "the host, which was told to stop, and the next one, which was started at the same time",
  migrating: "the host and the log writer, which migrate the log of an older release",
  frozen: "the host is suspended for longer than its lease, and continued when another one has taken over",
} as const

export type Point = keyof typeof points

/** Points that count the newest stored event, not the one that a client was shown. */
export const atStoredEvents: ReadonlySet<Point> = new Set([
  "written",
  "writer",
  "effect",
  "random",
  "closing",
  "migrating",
])

/** Others follow them in the same commit, so they are never the newest. */
const neverNewest: ReadonlySet<string> = new Set(["turn.started", "prompt.promoted"])

/** Why docs/prove.md says that no kill can be there. */
export function isImpossible(event: string, point: Point): boolean {
  if (point === "effect") return event !== "tool.started"
  if (event === "none") return point !== "random" && point !== "migrating"
  if (event === "visit.opened") return point === "frozen" || point === "migrating" // only servers have visits
  if (event === "tool.modified") return point === "frozen" // the extension is in another lane
  return atStoredEvents.has(point) && neverNewest.has(event)
}

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
