// Chat completions of other servers, as the package for them maps them: thoughts beside the text.
import {
  chatFinish,
  ChatMapper,
  chatUsage,
  predictionTokens,
  type ChatChoice,
  type ChatDialect,
  type ChatEnd,
} from "./chat-mapper.ts"
import type { ChatDelta } from "./chat-events.ts"
import type { MakeMapper, Part } from "./event-mapper.ts"

const textId = "txt-0"
const thoughtId = "reasoning-0"

export const compatibleChat: MakeMapper = ({ provider }, { includeRawChunks, providerOptions }) => {
  if (includeRawChunks === true) return undefined
  const name = provider.split(".")[0]?.trim() ?? ""
  const camelCase = name.replaceAll(/[_-]([a-z])/g, (match) => match.slice(1).toUpperCase())
  const isCamelCase = camelCase !== name && providerOptions?.[camelCase] !== undefined
  return new ChatMapper(new CompatibleDialect(isCamelCase ? camelCase : name))
}

class CompatibleDialect implements ChatDialect {
  readonly isReadyAtOnce = true
  /** The key of the metadata. */
  readonly #name: string
  #open: "text" | "thought" | undefined

  constructor(name: string) {
    this.#name = name
  }

  fits(_choice: ChatChoice): boolean {
    return true
  }

  addText({ content, refusal, reasoning_content: thought, reasoning }: ChatDelta, parts: Part[]): void {
    const thinking = thought ?? reasoning
    if (thinking) this.#addThought(thinking, parts)
    if (content) this.#addText(content, parts)
    if (refusal) this.#addText(refusal, parts)
  }

  /** A text stays open. */
  beforeCalls(parts: Part[]): void {
    if (this.#open === "thought") this.endText(parts)
  }

  endText(parts: Part[]): void {
    if (this.#open === "thought") parts.push({ type: "reasoning-end", id: thoughtId })
    if (this.#open === "text") parts.push({ type: "text-end", id: textId })
    this.#open = undefined
  }

  finish({ rawReason, usage, hasRefusal }: ChatEnd): Part | undefined {
    if (rawReason === undefined) return undefined
    return {
      type: "finish",
      finishReason: { unified: chatFinish(rawReason, hasRefusal), raw: rawReason },
      usage: chatUsage(usage, usage),
      providerMetadata: { [this.#name]: predictionTokens(usage) },
    }
  }

  #addThought(delta: string, parts: Part[]): void {
    if (this.#open !== "thought") {
      this.endText(parts)
      parts.push({ type: "reasoning-start", id: thoughtId })
      this.#open = "thought"
    }
    parts.push({ type: "reasoning-delta", id: thoughtId, delta })
  }

  #addText(delta: string, parts: Part[]): void {
    if (this.#open !== "text") {
      this.endText(parts)
      parts.push({ type: "text-start", id: textId })
      this.#open = "text"
    }
    parts.push({ type: "text-delta", id: textId, delta })
  }
}
