// Chat completions as OpenAI's package maps them.
import type { JSONObject } from "@ai-sdk/provider"
import { chatFinish, ChatMapper, chatUsage, type ChatChoice, type ChatDialect, type ChatEnd } from "./chat-mapper.ts"
import type { ChatDelta, ChatUsage } from "./chat-events.ts"
import type { MakeMapper, Part } from "./event-mapper.ts"

export const openaiChat: MakeMapper = (_model, options) =>
  options.includeRawChunks === true ? undefined : new ChatMapper(new OpenaiDialect())

class OpenaiDialect implements ChatDialect {
  readonly isReadyAtOnce = false
  #hasText = false

  fits({ index, delta, logprobs }: ChatChoice): boolean {
    if (index === undefined || isGiven(logprobs)) return false
    return delta?.role !== "" && !isGiven(delta?.annotations)
  }

  addText({ content, refusal }: ChatDelta, parts: Part[]): void {
    if (content) this.#addDelta(content, parts)
    if (refusal) this.#addDelta(refusal, parts)
    if (content === "" && !refusal) this.#addDelta(content, parts)
  }

  beforeCalls(): void {}

  endText(parts: Part[]): void {
    if (this.#hasText) parts.push({ type: "text-end", id: "0" })
  }

  finish({ rawReason, usage, predictions, hasRefusal }: ChatEnd): Part {
    const unified = rawReason === undefined ? "interrupted" : chatFinish(rawReason, hasRefusal)
    const cacheWrite = usage?.prompt_tokens_details?.cache_write_tokens ?? undefined
    return {
      type: "finish",
      finishReason: { unified, raw: rawReason },
      usage: chatUsage(usage, usage && knownUsage(usage), cacheWrite),
      providerMetadata: { openai: predictions },
    }
  }

  #addDelta(delta: string, parts: Part[]): void {
    if (!this.#hasText) parts.push({ type: "text-start", id: "0" })
    this.#hasText = true
    parts.push({ type: "text-delta", id: "0", delta })
  }
}

function isGiven(value: unknown): boolean {
  return value !== undefined && value !== null
}

/** The package keeps only the fields that it knows. */
function knownUsage(usage: ChatUsage): JSONObject {
  const { prompt_tokens_details: input, completion_tokens_details: output } = usage
  return {
    ...only(usage, ["prompt_tokens", "completion_tokens", "total_tokens"]),
    ...(input === undefined
      ? {}
      : { prompt_tokens_details: input && only(input, ["cached_tokens", "cache_write_tokens"]) }),
    ...(output === undefined ? {} : { completion_tokens_details: output && only(output, outputDetails) }),
  }
}

const outputDetails = ["reasoning_tokens", "accepted_prediction_tokens", "rejected_prediction_tokens"]

function only(from: JSONObject, keys: readonly string[]): JSONObject {
  return Object.fromEntries(Object.entries(from).filter(([key]) => keys.includes(key)))
}
