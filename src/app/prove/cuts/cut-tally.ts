// Counts the cuts of a proof: by the client, and by the frame after which its connection was cut.

export class CutTally {
  cuts = 0
  conversations = 0
  readonly #rows = new Map<string, number>()
  readonly #wanted: number
  readonly #onCut: (cuts: number) => void

  constructor(wanted: number, onCut: (cuts: number) => void) {
    this.#wanted = wanted
    this.#onCut = onCut
  }

  get isComplete(): boolean {
    return this.cuts >= this.#wanted
  }

  count(client: string, frame: string): void {
    const key = `${client} ${frame}`
    this.#rows.set(key, (this.#rows.get(key) ?? 0) + 1)
    this.cuts += 1
    this.#onCut(this.cuts)
  }

  /** By client and frame. */
  get rows(): readonly CutRow[] {
    const sorted = [...this.#rows].toSorted(([one], [other]) => one.localeCompare(other))
    return sorted.map(([key, cuts]) => {
      const [client = "", frame = ""] = key.split(" ")
      return { client, frame, cuts }
    })
  }
}

export interface CutRow {
  readonly client: string
  readonly frame: string
  readonly cuts: number
}
