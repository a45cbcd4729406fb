// The end of a text that may be endless: what the child says on stderr is kept up to a limit, the newest last.
export class Tail {
  readonly #limit: number
  #text = ""

  constructor(limit: number) {
    this.#limit = limit
  }

  get text(): string {
    return this.#text.slice(-this.#limit)
  }

  add(piece: string): void {
    this.#text += piece
    if (this.#text.length > 2 * this.#limit) this.#text = this.text // cut now and then, not at every piece
  }
}
