// Counts of an answer of Anthropic: those of its beginning, and what the last events change.
import type { JSONObject, LanguageModelV4Usage } from "@ai-sdk/provider"
import type { AnthropicEvent } from "./anthropic-events.ts"

type StartUsage = Extract<AnthropicEvent, { type: "message_start" }>["message"]["usage"]
type EndUsage = Extract<AnthropicEvent, { type: "message_delta" }>["usage"]

/** What the package shows where an answer has no counts. */
const notSent = {
  input_tokens: 0,
  output_tokens: 0,
  cache_creation_input_tokens: 0,
  cache_read_input_tokens: 0,
  iterations: null,
}

export class AnthropicUsage {
  /** As sent. */
  raw: JSONObject | undefined
  serviceTier: string | null = null
  #input = 0
  #output = 0
  #cacheRead = 0
  #cacheWrite = 0
  #reasoning: number | undefined

  start(usage: StartUsage, serviceTier: string | null | undefined): JSONObject {
    this.serviceTier = usage.service_tier ?? serviceTier ?? null
    this.#input = usage.input_tokens
    this.#cacheRead = usage.cache_read_input_tokens ?? 0
    this.#cacheWrite = usage.cache_creation_input_tokens ?? 0
    this.raw = { ...usage }
    return this.raw
  }

  add(usage: EndUsage): void {
    const { output_tokens_details: details } = usage
    this.#input = usage.input_tokens ?? this.#input
    this.#output = usage.output_tokens
    if (details) this.#reasoning = details.thinking_tokens ?? undefined
    this.#cacheRead = usage.cache_read_input_tokens ?? this.#cacheRead
    this.#cacheWrite = usage.cache_creation_input_tokens ?? this.#cacheWrite
    this.serviceTier = usage.service_tier ?? this.serviceTier
    this.raw = { ...this.raw, ...usage, ...(details ? { output_tokens_details: known(details) } : {}) }
  }

  counts(): LanguageModelV4Usage {
    const [input, output, cacheRead, cacheWrite] = [this.#input, this.#output, this.#cacheRead, this.#cacheWrite]
    const reasoning = this.#reasoning
    return {
      inputTokens: { total: input + cacheWrite + cacheRead, noCache: input, cacheRead, cacheWrite },
      outputTokens: { total: output, text: reasoning === undefined ? undefined : output - reasoning, reasoning },
      raw: this.raw ?? notSent,
    }
  }
}

/** The package keeps only the field that it knows. */
function known({ thinking_tokens: thinking }: NonNullable<EndUsage["output_tokens_details"]>): JSONObject {
  return thinking === undefined ? {} : { thinking_tokens: thinking }
}
