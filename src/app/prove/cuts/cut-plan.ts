// Decides after which frame a connection is cut. A frame after which a client was cut seldom is preferred.

/** In percent: for a frame after which no connection was cut, for one where one was cut, and at least. */
const NEW_FRAME = 90
const KNOWN_FRAME = 40
const ANY_FRAME = 8

export class CutPlan {
  readonly #below: (below: number) => number
  readonly #tried = new Map<string, number>()

  constructor(below: (below: number) => number) {
    this.#below = below
  }

  isDue(frame: string): boolean {
    const tried = this.#tried.get(frame) ?? 0
    const isDue = this.#below(100) < (tried === 0 ? NEW_FRAME : Math.max(ANY_FRAME, KNOWN_FRAME / tried))
    if (isDue) this.#tried.set(frame, tried + 1)
    return isDue
  }
}
