// Turns the answer of an extension's model into stream parts. The final result repeats everything streamed; only the
// rest is emitted. A result that contradicts its stream adds no text of that kind, because text cannot be taken back.
import { isJsonObject } from "../../contract/json-object.ts"
import type { LanguageModelV4FinishReason, LanguageModelV4StreamPart, LanguageModelV4Usage } from "@ai-sdk/provider"
import type { JsonValue } from "../../contract/values.ts"
import type { ProviderBlock } from "../../protocols/extension/frames.ts"
import type { ProviderAnswer } from "../../protocols/extension/providers.ts"

type Kind = "text" | "reasoning"

const unifiedReasons: Readonly<Record<string, LanguageModelV4FinishReason["unified"]>> = {
  end_turn: "stop",
  stop_sequence: "stop",
  stop: "stop",
  max_tokens: "length",
  length: "length",
  tool_use: "tool-calls",
  tool_calls: "tool-calls",
  refusal: "content-filter",
  content_filter: "content-filter",
}

export class ModelAnswer {
  readonly #emit: (part: LanguageModelV4StreamPart) => void
  readonly #signedBy: string
  /** Streamed text that the result has not repeated yet. */
  readonly #unrepeated: Record<Kind, string> = { text: "", reasoning: "" }
  readonly #hasDiverged: Record<Kind, boolean> = { text: false, reasoning: false }
  #open: { readonly kind: Kind; readonly id: string } | undefined
  #blocks = 0
  #calls = 0
  #length = 0

  constructor(emit: (part: LanguageModelV4StreamPart) => void, signedBy: string) {
    this.#emit = emit
    this.#signedBy = signedBy
  }

  /** Characters emitted so far. */
  get length(): number {
    return this.#length
  }

  /** Text that arrives before the result. */
  stream(kind: Kind, delta: string): void {
    this.#unrepeated[kind] += delta
    this.#emitDelta(kind, delta)
  }

  /** `streamedUsage` applies when the result has no usage. */
  end({ blocks, stopReason, usage }: ProviderAnswer, streamedUsage: JsonValue): void {
    for (const block of blocks) this.#add(block)
    this.#close()
    const finishReason = { unified: this.#calls > 0 ? "tool-calls" : unified(stopReason), raw: stopReason } as const
    this.#emit({ type: "finish", finishReason, usage: usageIn(usage ?? streamedUsage) })
  }

  #add(block: ProviderBlock): void {
    switch (block.type) {
      case "text":
        return this.#emitDelta("text", this.#newIn("text", block.text))
      case "thinking":
        this.#emitDelta("reasoning", this.#newIn("reasoning", block.thinking))
        return this.#close(block.signature ?? undefined)
      case "tool_use": {
        this.#close()
        const { id, name: toolName, input = {} } = block
        const toolCallId = `${this.#calls++} ${id}` // ids of an extension need not be unique
        return this.#emit({ type: "tool-call", toolCallId, toolName, input: JSON.stringify(input) })
      }
    }
  }

  #newIn(kind: Kind, text: string): string {
    const unrepeated = this.#unrepeated[kind]
    if (this.#hasDiverged[kind] || unrepeated.startsWith(text)) {
      this.#unrepeated[kind] = unrepeated.slice(text.length)
      return ""
    }
    this.#unrepeated[kind] = ""
    if (text.startsWith(unrepeated)) return text.slice(unrepeated.length)
    this.#hasDiverged[kind] = true
    return ""
  }

  #emitDelta(kind: Kind, delta: string): void {
    if (delta === "") return
    if (this.#open?.kind !== kind) {
      this.#close()
      this.#open = { kind, id: String(this.#blocks++) }
      this.#emit({ type: `${kind}-start`, id: this.#open.id })
    }
    this.#length += delta.length
    this.#emit({ type: `${kind}-delta`, id: this.#open.id, delta })
  }

  #close(signature?: string): void {
    if (this.#open === undefined) return
    const { kind, id } = this.#open
    this.#open = undefined
    const providerMetadata = { [this.#signedBy]: { signature } }
    this.#emit({ type: `${kind}-end`, id, ...(signature === undefined ? {} : { providerMetadata }) })
  }
}

/** A missing reason means a normal end. */
function unified(stopReason: string | undefined): LanguageModelV4FinishReason["unified"] {
  if (stopReason === undefined) return "stop"
  return Object.hasOwn(unifiedReasons, stopReason) ? (unifiedReasons[stopReason] ?? "other") : "other"
}

/** `input_tokens` exclude cached tokens. */
export function usageIn(usage: JsonValue): LanguageModelV4Usage {
  const counts = isJsonObject(usage) ? usage : {}
  const noCache = count(counts["input_tokens"])
  const cacheRead = count(counts["cache_read_input_tokens"])
  const cacheWrite = count(counts["cache_creation_input_tokens"])
  const output = count(counts["output_tokens"])
  const total = noCache === undefined ? undefined : noCache + (cacheRead ?? 0) + (cacheWrite ?? 0)
  return {
    inputTokens: { total, noCache, cacheRead, cacheWrite },
    outputTokens: { total: output, text: undefined, reasoning: undefined },
    raw: { ...counts },
  }
}

function count(value: JsonValue | undefined): number | undefined {
  return typeof value === "number" && Number.isFinite(value) && value >= 0 ? value : undefined
}
