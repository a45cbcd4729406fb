// A credential that is read when it is first used, and again when it has expired or was refused. Callers that come
// together share one reading.
export interface Reading<Value> {
  readonly value: Value
  /** Epoch ms; absent if it holds until it is refused. */
  readonly expiresAt?: number | undefined
}

/** A credential is not used in its last minute. */
const MARGIN_MS = 60_000

export class Cached<Value> {
  readonly #read: () => Promise<Reading<Value>>
  readonly #now: () => number
  #known: Reading<Value> | undefined
  #reading: Promise<Reading<Value>> | undefined

  constructor(read: () => Promise<Reading<Value>>, now: () => number = Date.now) {
    this.#read = read
    this.#now = now
  }

  async get(): Promise<Value> {
    const known = this.#known
    if (known !== undefined && (known.expiresAt ?? Infinity) - MARGIN_MS > this.#now()) return known.value
    return (await this.#renew()).value
  }

  /** The credential in place of one that was refused. */
  async replace(refused: Value): Promise<Value> {
    if (this.#known !== undefined && this.#known.value !== refused) return this.#known.value
    return (await this.#renew()).value
  }

  #renew(): Promise<Reading<Value>> {
    this.#reading ??= this.#read()
      .then((reading) => (this.#known = reading))
      .finally(() => (this.#reading = undefined))
    return this.#reading
  }
}
