// Decides when the processes of one life of a host are killed. An event type at which a point was tried seldom is
// preferred, so that the kills reach every event boundary.
import type { Point } from "./tally.ts"

type Below = (below: number) => number

/** In percent: for an event type at which this point was not tried, for one where it was tried once, and at least. */
const NEW_EVENT = 90
const KNOWN_EVENT = 30
const ANY_EVENT = 8
/** Changes of the log file between the boundary and the kill. */
const MAX_WRITES = 3
const MAX_RANDOM_MS = 700
const MAX_HANDOVER_MS = 900

const weights: readonly (readonly [Point, number])[] = [
  ["shown", 28],
  ["written", 22],
  ["both", 20],
  ["writer", 8],
  ["effect", 8],
  ["random", 5],
  ["closing", 4],
  ["handover", 3],
  ["migrating", 2],
]
/** Of these the kill is planned for an event type. */
const atEvents: ReadonlySet<Point> = new Set(["shown", "written", "both", "writer", "closing", "handover", "frozen"])

/** What all lanes of a proof have tried, by point and event type. */
export class TriedCells {
  readonly #tried = new Map<string, number>()
  readonly #events = new Set<string>()

  see(event: string): void {
    this.#events.add(event)
  }

  times(point: Point, event: string): number {
    return this.#tried.get(`${point} ${event}`) ?? 0
  }

  add(point: Point, event: string): void {
    this.#tried.set(`${point} ${event}`, this.times(point, event) + 1)
  }

  /** Event types that were seen, and at which this point was not tried. */
  empty(point: Point): number {
    return [...this.#events].filter((event) => this.times(point, event) === 0).length
  }

  /** Of the event types that were seen, from 0 to 1. */
  emptyShare(point: Point): number {
    return this.#events.size === 0 ? 0 : this.empty(point) / this.#events.size
  }
}

export class KillPlanner {
  readonly #below: Below
  readonly #points: readonly (readonly [Point, number])[]
  readonly #cells: TriedCells

  /** `only`: the points of this lane. */
  constructor(below: Below, cells: TriedCells, only?: readonly Point[]) {
    this.#below = below
    this.#cells = cells
    const weightOf = (point: Point) => weights.find(([name]) => name === point)?.[1] ?? 1
    this.#points = only?.map((point) => [point, weightOf(point)] as const) ?? weights
  }

  /** `canMigrate`: the host is not started yet, and the home has sessions. */
  next(canMigrate: boolean): KillPlan {
    const point = this.#point(canMigrate)
    const waitMs = point === "random" || point === "migrating" ? this.#below(MAX_RANDOM_MS) : undefined
    return { point, waitMs, writes: 1 + this.#below(MAX_WRITES), isDue: (event) => this.#isDue(point, event) }
  }

  /** How long a host of a hand-over lives. */
  handoverMs(): number {
    return this.#below(MAX_HANDOVER_MS)
  }

  /** A point with many event types at which it was not tried is chosen up to twice as often. */
  #point(canMigrate: boolean): Point {
    const possible = this.#points.filter(([point]) => canMigrate || point !== "migrating")
    const weighed = possible.map(([point, weight]) => {
      return [point, Math.round(weight * 10 * (1 + (atEvents.has(point) ? this.#cells.emptyShare(point) : 0)))] as const
    })
    let rest = this.#below(weighed.reduce((sum, [, weight]) => sum + weight, 0))
    return weighed.find(([, weight]) => (rest -= weight) < 0)?.[0] ?? "shown"
  }

  /** While event types are left at which the point was not tried, those that were wait longer. */
  #isDue(point: Point, event: string): boolean {
    this.#cells.see(event)
    const tried = this.#cells.times(point, event)
    const known = Math.max(ANY_EVENT, KNOWN_EVENT / tried) / (this.#cells.empty(point) > 0 ? 2 : 1)
    const isDue = this.#below(100) < (tried === 0 ? NEW_EVENT : known)
    if (isDue) this.#cells.add(point, event)
    return isDue
  }
}

export interface KillPlan {
  readonly point: Point
  /** For a random instant, and for a migration: after the start of the host. */
  readonly waitMs: number | undefined
  /** For `written`, `writer`, `closing` and `migrating`: changes of the log file after the boundary. */
  readonly writes: number
  /** Asked at each event that a client is shown. */
  readonly isDue: (event: string) => boolean
}
