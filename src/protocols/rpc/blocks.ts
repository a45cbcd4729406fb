// The text and reasoning of one step, told piece by piece. How much of each block was told is known, so that the text
// so far, or the whole text at the end, can be told from where the pieces stopped: nothing twice, nothing left out.
import type { StreamedBlock } from "../../contract/values.ts"
import { endsInHalf, tellPiece, type FrameSink } from "./sink.ts"

interface ToldBlock {
  /** Characters of the block that were told. */
  told: number
  /** The first half of a character whose second half comes with the next piece. */
  half: string
}

export class ToldBlocks {
  readonly #sink: FrameSink
  readonly #blocks = new Map<number, ToldBlock>()

  constructor(sink: FrameSink) {
    this.#sink = sink
  }

  piece(kind: StreamedBlock["kind"], block: number, delta: string): void {
    const known = this.#block(block)
    this.#tellWhole(kind, known, known.half + delta)
  }

  /** The block as far as it is known now. */
  soFar({ kind, block, text }: StreamedBlock): void {
    const known = this.#block(block)
    this.#tellWhole(kind, known, text.slice(known.told))
  }

  ended({ kind, block, text }: StreamedBlock): void {
    const known = this.#block(block)
    this.#tell(kind, known, text.slice(known.told))
  }

  #block(block: number): ToldBlock {
    const known = this.#blocks.get(block)
    if (known !== undefined) return known
    const fresh = { told: 0, half: "" }
    this.#blocks.set(block, fresh)
    return fresh
  }

  /** Whole characters only. */
  #tellWhole(kind: StreamedBlock["kind"], block: ToldBlock, text: string): void {
    const isHalf = text !== "" && endsInHalf(text.charCodeAt(text.length - 1))
    block.half = isHalf ? text.slice(-1) : ""
    this.#tell(kind, block, isHalf ? text.slice(0, -1) : text)
  }

  #tell(kind: StreamedBlock["kind"], block: ToldBlock, delta: string): void {
    if (delta === "") return
    block.told += delta.length
    tellPiece(this.#sink, { type: kind === "text" ? "text_delta" : "thinking_delta", delta })
  }
}
