// How an answer of OpenAI's responses ended, and its counts.
import type { LanguageModelV4FinishReason, LanguageModelV4Usage } from "@ai-sdk/provider"
import type { Part } from "./event-mapper.ts"
import { noUsage } from "./no-usage.ts"
import type { EndedResponse } from "./responses-events.ts"

type Finish = Extract<Part, { type: "finish" }>

export function responsesFinish(ended: EndedResponse | undefined, hasCall: boolean): Omit<Finish, "providerMetadata"> {
  if (ended === undefined)
    return { type: "finish", finishReason: { unified: "interrupted", raw: undefined }, usage: noUsage }
  const raw = ended.incomplete_details?.reason
  return { type: "finish", finishReason: { unified: unifiedReason(raw, hasCall), raw }, usage: counts(ended.usage) }
}

function unifiedReason(reason: string | undefined, hasCall: boolean): LanguageModelV4FinishReason["unified"] {
  if (reason === "max_output_tokens") return "length"
  if (reason === "content_filter") return "content-filter"
  if (hasCall) return "tool-calls"
  return reason === undefined ? "stop" : "other"
}

function counts(usage: EndedResponse["usage"]): LanguageModelV4Usage {
  if (usage === undefined || usage === null) return noUsage
  const { input_tokens: input, output_tokens: output } = usage
  const cacheRead = usage.input_tokens_details?.cached_tokens ?? 0
  const cacheWrite = usage.input_tokens_details?.cache_write_tokens ?? undefined
  const reasoning = usage.output_tokens_details?.reasoning_tokens ?? 0
  return {
    inputTokens: { total: input, noCache: input - cacheRead - (cacheWrite ?? 0), cacheRead, cacheWrite },
    outputTokens: { total: output, text: output - reasoning, reasoning },
    raw: usage,
  }
}
