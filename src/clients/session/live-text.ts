// The text of the open step while a model writes it. What is stored is removed: the transcript has it.
import type { StepId } from "../../contract/ids.ts"
import type { StreamedBlock } from "../../contract/values.ts"
import { UnsentText } from "../../projection/unsent-text.ts"

type Kind = StreamedBlock["kind"]

export class LiveText {
  readonly #unsent = new UnsentText()
  readonly #blocks = new Map<number, { readonly kind: Kind; text: string }>()
  #stepId: StepId | undefined

  get stepId(): StepId | undefined {
    return this.#stepId
  }

  get text(): string {
    return this.#joined("text")
  }

  get reasoning(): string {
    return this.#joined("reasoning")
  }

  startStep(stepId: StepId | undefined): void {
    this.#unsent.startStep(stepId)
    this.#blocks.clear()
    this.#stepId = stepId
  }

  delta(kind: Kind, stepId: StepId, block: number, delta: string): void {
    this.#append(kind, stepId, block, this.#unsent.delta(stepId, block, delta))
  }

  /** The text so far, for a client that joins or was behind. */
  streamed(stepId: StepId, blocks: readonly StreamedBlock[]): void {
    if (!this.#unsent.isCurrent(stepId)) this.startStep(stepId)
    for (const { block, kind, text } of blocks)
      this.#append(kind, stepId, block, this.#unsent.textSoFar(stepId, block, text))
  }

  ended(stepId: StepId, block: number, text: string): void {
    this.#unsent.ended(stepId, block, text)
    this.#blocks.delete(block)
  }

  #append(kind: Kind, stepId: StepId, block: number, text: string): void {
    if (text === "") return
    this.#stepId = stepId
    const known = this.#blocks.get(block)
    if (known === undefined) this.#blocks.set(block, { kind, text })
    else known.text += text
  }

  #joined(kind: Kind): string {
    return [...this.#blocks.values()].flatMap((block) => (block.kind === kind ? [block.text] : [])).join("\n\n")
  }
}
