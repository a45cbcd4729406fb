// The inputs from which new ones are made: those to begin with, and those that reached code that none had reached before.
import { pick } from "../../seeded.ts"

type Below = (below: number) => number

const MAX_FOUND = 4000
/** Of longer inputs nothing is made: they would only become longer. */
const MAX_BYTES = 16 * 1024
/** Inputs that take longer are chosen the more rarely. */
const CHEAP_MS = 0.3
const MAX_CHOICES = 20

export class KnownInputs {
  readonly found: Uint8Array[] = []
  readonly #first: readonly Uint8Array[]
  readonly #costs = new Map<Uint8Array, number>()
  readonly #below: Below

  constructor(first: readonly Uint8Array[], below: Below) {
    this.#first = first
    this.#below = below
  }

  add(input: Uint8Array): void {
    if (input.length <= MAX_BYTES && this.found.length < MAX_FOUND) this.found.push(input)
  }

  /** Processor time that an input takes, the check after it included. */
  note(input: Uint8Array, ms: number): void {
    this.#costs.set(input, ms)
  }

  any(): Uint8Array {
    let input = this.#choose()
    for (let choices = 1; choices < MAX_CHOICES && this.#isTooDear(input); choices += 1) input = this.#choose()
    return input
  }

  #isTooDear(input: Uint8Array): boolean {
    const cost = this.#costs.get(input) ?? 0
    return cost > CHEAP_MS && this.#below(1000) > (1000 * CHEAP_MS) / cost
  }

  #choose(): Uint8Array {
    const below = this.#below
    if (this.found.length === 0 || below(3) === 0) return pick(this.#first, below)
    const newest = this.found.slice(-Math.ceil(this.found.length / 5))
    return pick(below(2) === 0 ? newest : this.found, below)
  }
}
