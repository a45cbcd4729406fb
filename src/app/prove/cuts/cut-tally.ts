// Counts the cuts of a proof: by the client, and by the frame after which its connection was cut.
import { Counts } from "../counts.ts"

export class CutTally {
  conversations = 0
  readonly #counts = new Counts<"cuts">()
  readonly #wanted: number
  readonly #onCut: (cuts: number) => void

  constructor(wanted: number, onCut: (cuts: number) => void) {
    this.#wanted = wanted
    this.#onCut = onCut
  }

  get cuts(): number {
    return this.#counts.total
  }

  get isComplete(): boolean {
    return this.cuts >= this.#wanted
  }

  count(client: string, frame: string): void {
    this.#counts.add([client, frame], "cuts")
    this.#onCut(this.cuts)
  }

  /** By client and frame. */
  get rows(): readonly CutRow[] {
    return this.#counts.rows.map(({ names: [client = "", frame = ""], counts }) => {
      return { client, frame, cuts: counts.cuts ?? 0 }
    })
  }
}

export interface CutRow {
  readonly client: string
  readonly frame: string
  readonly cuts: number
}
