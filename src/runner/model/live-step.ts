// A model's answer while it streams: publishes scrubbed deltas and keeps the text for an interrupt, for clients that join
// and for checkpoints. The provider's ids distinguish blocks: some providers end a block after the next one began.
import type { LanguageModelV4StreamPart } from "@ai-sdk/provider"
import type { StepId } from "../../contract/ids.ts"
import type { JsonValue, StreamedBlock } from "../../contract/values.ts"
import type { AnswerPart, TextPart } from "../../session/report.ts"
import { QuickReplies } from "../../features/chat-service/quick-replies.ts"
import type { Scrubber } from "../session-context.ts"
import { LiveCalls, type LiveCallsOptions, type PendingCall } from "./live-calls.ts"
import type { Streaming } from "./streaming.ts"

interface Block {
  readonly block: number
  readonly kind: "text" | "reasoning"
  /** The provider's. */
  readonly id: string
  readonly scrubbing: ReturnType<Scrubber["stream"]>
  /** Where the model may suggest replies to the visitor. */
  readonly replies: QuickReplies | undefined
  text: string
  /** How much of the text was published. */
  published: number
  saved: number
  providerMetadata: JsonValue | undefined
}

export interface LiveStepOptions extends LiveCallsOptions {
  readonly quickReplies?: boolean
}

export class LiveStep implements Streaming {
  readonly stepId: StepId
  readonly #options: LiveStepOptions
  readonly #blocks: Block[] = []
  readonly #calls: LiveCalls
  /** Blocks and calls in the order in which they began. */
  readonly #order: (Block | PendingCall)[] = []
  #isHeld = false

  constructor(stepId: StepId, options: LiveStepOptions) {
    this.stepId = stepId
    this.#options = options
    this.#calls = new LiveCalls(stepId, options, (call) => this.#order.push(call))
  }

  accept(part: LanguageModelV4StreamPart): void {
    switch (part.type) {
      case "text-start":
      case "text-delta":
        return this.#addText("text", part.id, part.type === "text-delta" ? part.delta : "")
      case "reasoning-start":
      case "reasoning-delta":
      case "reasoning-end":
        this.#addText("reasoning", part.id, part.type === "reasoning-delta" ? part.delta : "")
        return this.#keepMetadata(part.id, part.providerMetadata)
      case "tool-input-start":
        this.#calls.start(part.id, part.toolName)
        return
      case "tool-input-delta":
        return this.#calls.inputDelta(part.id, part.delta)
      case "tool-call":
        return this.#calls.end(part)
      default:
        return // sources, files and raw parts have no place in a session yet
    }
  }

  streamed(): readonly StreamedBlock[] {
    return this.#blocks.map(({ block, kind, text, published }) => ({ block, kind, text: text.slice(0, published) }))
  }

  hold(): void {
    this.#isHeld = true
    this.#calls.isHeld = true
  }

  release(): void {
    this.#isHeld = false
    this.#calls.isHeld = false
    for (const block of this.#blocks) this.#publish(block)
  }

  /** The text that no checkpoint has yet. */
  takeUnsaved(): readonly StreamedBlock[] {
    const pieces: StreamedBlock[] = []
    for (const block of this.#blocks) {
      if (block.text.length > block.saved)
        pieces.push({ block: block.block, kind: block.kind, text: block.text.slice(block.saved) })
      block.saved = block.text.length
    }
    return pieces
  }

  /** They are part of the next checkpoint. */
  notSaved(pieces: readonly StreamedBlock[]): void {
    for (const block of this.#blocks) {
      const piece = pieces.find((one) => one.block === block.block)
      if (piece !== undefined) block.saved -= piece.text.length
    }
  }

  /** The whole answer, in order. */
  answer({ isCutOff = false } = {}): readonly AnswerPart[] {
    for (const block of this.#blocks) {
      this.#append(block, visibleText(block, block.scrubbing.end()))
      this.#append(block, block.replies?.end() ?? "")
    }
    return this.#order.flatMap((item): readonly AnswerPart[] => {
      if (item.kind === "call") return this.#calls.part(item, isCutOff)
      const { block, kind, text, providerMetadata } = item
      if (kind === "text") return textPart(item)
      return [{ kind, block, text, ...(providerMetadata === undefined ? {} : { providerMetadata }) }]
    })
  }

  #addText(kind: Block["kind"], id: string, delta: string): void {
    const block = this.#block(kind, id) ?? this.#newBlock(kind, id)
    this.#append(block, visibleText(block, block.scrubbing.push(delta)))
  }

  #append(block: Block, delta: string): void {
    if (delta === "") return
    block.text += delta
    if (!this.#isHeld) this.#publish(block, delta)
  }

  #publish(block: Block, delta = block.text.slice(block.published)): void {
    block.published = block.text.length
    const type = block.kind === "text" ? "text.delta" : "reasoning.delta"
    if (delta !== "") this.#options.publish({ type, stepId: this.stepId, block: block.block, delta })
  }

  /** Mostly the newest, so the search starts there. */
  #block(kind: Block["kind"], id: string): Block | undefined {
    return this.#blocks.findLast((block) => block.id === id && block.kind === kind)
  }

  #newBlock(kind: Block["kind"], id: string): Block {
    const scrubbing = this.#options.scrubber.stream()
    const replies = this.#options.quickReplies === true && kind === "text" ? new QuickReplies() : undefined
    const content = { text: "", published: 0, saved: 0, providerMetadata: undefined }
    const block: Block = { block: this.#blocks.length, kind, id, scrubbing, replies, ...content }
    this.#blocks.push(block)
    this.#order.push(block)
    return block
  }

  #keepMetadata(id: string, metadata: JsonValue | undefined): void {
    const block = this.#block("reasoning", id)
    if (block !== undefined && metadata !== undefined) block.providerMetadata = metadata
  }
}

function visibleText({ replies }: Block, text: string): string {
  return replies === undefined ? text : replies.push(text)
}

function textPart({ block, text, replies }: Block): readonly TextPart[] {
  const suggestions = replies?.proposed ?? []
  if (suggestions.length > 0) return [{ kind: "text", block, text, suggestions }]
  return text === "" ? [] : [{ kind: "text", block, text }]
}
