// The newest part of a text of any length, for stderr.
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
    if (this.#text.length > 2 * this.#limit) this.#text = this.text // rarely, because cutting copies
  }
}
