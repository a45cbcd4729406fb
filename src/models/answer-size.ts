// Bounds one answer of a provider. An answer that is too long is cut and ends as one that reached its length limit, so
// that what it says so far counts.
import type { LanguageModelV4StreamPart } from "@ai-sdk/provider"
import { limits } from "../contract/limits.ts"
import type { FinishPart } from "./usage.ts"

/** Blocks of text or thought, and calls: more than any model writes. */
const MAX_BLOCKS = 1000
const MAX_CALLS = 10_000

export class AnswerSize {
  #textLength = 0
  #inputLength = 0
  #calls = 0
  readonly #blocks = new Set<string>()

  /** The part, cut to what still fits; undefined where the answer ends here. */
  fitting(part: LanguageModelV4StreamPart): LanguageModelV4StreamPart | undefined {
    switch (part.type) {
      case "text-delta":
      case "reasoning-delta": {
        this.#blocks.add(part.id)
        const room = limits.answerTextLength - this.#textLength
        this.#textLength += part.delta.length
        if (room <= 0 || this.#blocks.size > MAX_BLOCKS) return undefined
        return part.delta.length <= room ? part : { ...part, delta: part.delta.slice(0, room).toWellFormed() }
      }
      case "text-start":
      case "reasoning-start":
        this.#blocks.add(part.id)
        return this.#blocks.size > MAX_BLOCKS ? undefined : part
      case "tool-input-start":
        this.#calls += 1
        return this.#calls <= MAX_CALLS ? part : undefined
      case "tool-input-delta":
        return this.#addInput(part.delta.length) ? part : undefined
      case "tool-call":
        this.#calls += 1
        return this.#addInput(part.input.length) && this.#calls <= MAX_CALLS ? part : undefined
      default:
        return part
    }
  }

  /** Arguments come in pieces and once more as a whole. */
  #addInput(length: number): boolean {
    this.#inputLength += length
    return this.#inputLength <= 2 * limits.answerInputLength
  }
}

/** The provider's count of tokens is not known where its answer is cut. */
export const cutFinish: FinishPart = {
  type: "finish",
  finishReason: { unified: "length", raw: "too-long" },
  usage: {
    inputTokens: { total: undefined, noCache: undefined, cacheRead: undefined, cacheWrite: undefined },
    outputTokens: { total: undefined, text: undefined, reasoning: undefined },
  },
}
