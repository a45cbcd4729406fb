// All text of one turn in the order in which it is told, whatever steps and blocks it came from. What was told is what
// the turn has said: the pieces, put together, are the whole, separators included, for whoever was there from the
// beginning as for one who got the text so far first. A character is never told in halves.
import type { StepId } from "../../../contract/ids.ts"
import type { StreamedBlock } from "../../../contract/values.ts"
import { endsInHalf } from "../../rpc/sink.ts"

/** Between two blocks of text, also of different steps. */
export const blockSeparator = "\n\n"

interface Block {
  readonly block: number
  /** How much of it was told. */
  told: number
  /** The first half of a character whose second half comes with the next piece. */
  half: string
}

export class TurnText {
  #said: string
  #stepId: StepId | undefined
  #blocks = new Map<number, Block>()
  /** The one that spoke last. */
  #current: Block | undefined
  /** The last text of this step was cut off: a step that continues it goes on in the same word. */
  #isCutOff: boolean
  #separator: string

  /** A turn that is open already: what it has said, and the step in which it is. */
  constructor(said = "", stepId?: StepId, isCutOff = false) {
    this.#said = said
    this.#stepId = stepId
    this.#isCutOff = isCutOff
    this.#separator = isCutOff ? "" : blockSeparator
  }

  get said(): string {
    return this.#said
  }

  stepStarted(stepId: StepId, isContinued: boolean): void {
    this.#stepId = stepId
    this.#blocks = new Map()
    this.#current = undefined
    this.#isCutOff &&= isContinued
    this.#separator = this.#isCutOff ? "" : blockSeparator
  }

  /** What is to be told of it now. */
  piece(stepId: StepId, block: number, delta: string): string {
    if (stepId !== this.#stepId) return ""
    const known = this.#block(block)
    const text = known.half === "" ? delta : known.half + delta
    return this.#tell(known, this.#whole(known, text))
  }

  /** The open step as far as it has come. */
  soFar(stepId: StepId, blocks: readonly StreamedBlock[]): string {
    this.#stepId ??= stepId
    if (stepId !== this.#stepId) return ""
    let told = ""
    for (const { kind, block, text } of blocks) {
      if (kind !== "text") continue
      const known = this.#block(block)
      told += this.#tell(known, this.#whole(known, text.slice(known.told)))
    }
    return told
  }

  /** The rest of a block that has ended. Nothing at all if more was told than is true: then `said` is put right. */
  ended(stepId: StepId, block: number, text: string, isCutOff: boolean): string | undefined {
    this.#isCutOff = isCutOff
    if (stepId !== this.#stepId) this.stepStarted(stepId, false)
    const known = this.#block(block)
    const excess = known.told - text.length
    known.half = ""
    if (excess <= 0) return this.#tell(known, text.slice(known.told).toWellFormed())
    this.#said = this.#said.slice(0, -excess)
    known.told = text.length
    return undefined
  }

  #block(block: number): Block {
    if (this.#current?.block === block) return this.#current
    const known = this.#blocks.get(block) ?? { block, told: 0, half: "" }
    this.#blocks.set(block, known)
    this.#current = known
    return known
  }

  #whole(block: Block, text: string): string {
    const isHalf = text !== "" && endsInHalf(text.charCodeAt(text.length - 1))
    block.half = isHalf ? text.slice(-1) : ""
    return (isHalf ? text.slice(0, -1) : text).toWellFormed()
  }

  #tell(block: Block, text: string): string {
    if (text === "") return ""
    const isFirst = block.told === 0
    block.told += text.length
    const told = isFirst ? this.#opening() + text : text
    this.#said += told
    return told
  }

  #opening(): string {
    const separator = this.#said === "" ? "" : this.#separator
    this.#separator = blockSeparator
    return separator
  }
}
