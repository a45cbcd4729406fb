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

const weights: readonly (readonly [Point, number])[] = [
  ["shown", 30],
  ["written", 24],
  ["both", 22],
  ["writer", 8],
  ["effect", 8],
  ["random", 8],
]

export class KillPlanner {
  readonly #below: Below
  readonly #points: readonly (readonly [Point, number])[]
  readonly #tried = new Map<string, number>()

  /** `only`: the one point of this lane. */
  constructor(below: Below, only?: Point) {
    this.#below = below
    this.#points = only === undefined ? weights : [[only, 1]]
  }

  next(): KillPlan {
    let rest = this.#below(this.#points.reduce((sum, [, weight]) => sum + weight, 0))
    const [point] = this.#points.find(([, weight]) => (rest -= weight) < 0) ?? ["shown"]
    const waitMs = point === "random" ? this.#below(MAX_RANDOM_MS) : undefined
    return { point, waitMs, writes: 1 + this.#below(MAX_WRITES), isDue: (event) => this.#isDue(point, event) }
  }

  #isDue(point: Point, event: string): boolean {
    const cell = `${point} ${event}`
    const tried = this.#tried.get(cell) ?? 0
    const isDue = this.#below(100) < (tried === 0 ? NEW_EVENT : Math.max(ANY_EVENT, KNOWN_EVENT / tried))
    if (isDue) this.#tried.set(cell, tried + 1)
    return isDue
  }
}

export interface KillPlan {
  readonly point: Point
  /** For a random instant: after the host answers. */
  readonly waitMs: number | undefined
  /** For `written` and `writer`: changes of the log file after the boundary. */
  readonly writes: number
  /** Asked at each event that a client is shown. */
  readonly isDue: (event: string) => boolean
}
