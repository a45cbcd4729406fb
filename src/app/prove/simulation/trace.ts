// What happened in a simulated session, as a hash over everything and, where it is wanted, as lines to read.

const OFFSET = 0x811c9dc5
const PRIME = 0x01000193

export class Trace {
  readonly lines: string[] = []
  readonly #keepsLines: boolean
  readonly #now: () => number
  readonly #startedAt: number
  #hash = OFFSET

  constructor(keepsLines: boolean, now: () => number) {
    this.#keepsLines = keepsLines
    this.#now = now
    this.#startedAt = now()
  }

  /** FNV-1a over all lines so far. */
  get hash(): number {
    return this.#hash >>> 0
  }

  add(who: string, what: string): void {
    const at = (this.#now() - this.#startedAt).toFixed(3)
    this.#mix(at)
    this.#mix(who)
    this.#mix(what)
    if (this.#keepsLines) this.lines.push(`${at.padStart(11)} ${who.padEnd(9)} ${what}`)
  }

  #mix(text: string): void {
    let hash = this.#hash
    for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), PRIME)
    this.#hash = hash
  }
}
