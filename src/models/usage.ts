// Usage and finish reason of a model call, normalised. Providers differ in whether input includes cache tokens; here
// `input` is everything that was sent. A call without counts has no usage rather than zero.
import { isObject } from "../contract/json-object.ts"
import type { LanguageModelV4FinishReason, LanguageModelV4StreamPart, LanguageModelV4Usage } from "@ai-sdk/provider"
import type { Finish, Usage } from "../contract/values.ts"

export type FinishPart = Extract<LanguageModelV4StreamPart, { type: "finish" }>

export function usageOf(part: Pick<FinishPart, "usage">): Usage | undefined {
  const { inputTokens, outputTokens } = part.usage
  if (inputTokens.total === undefined && outputTokens.total === undefined) return undefined
  const cacheRead = tokens(inputTokens.cacheRead)
  const cacheWrite = tokens(inputTokens.cacheWrite)
  const cacheWrite1h = Math.min(hourWrites(part.usage), cacheWrite)
  const output = tokens(outputTokens.total)
  return {
    input: Math.max(tokens(inputTokens.total), cacheRead + cacheWrite),
    output,
    cacheRead,
    cacheWrite5m: cacheWrite - cacheWrite1h,
    cacheWrite1h,
    reasoning: Math.min(tokens(outputTokens.reasoning), output),
  }
}

/** Without `interrupted` and `error`, for which the stream throws (answer-stream.ts). */
export function finishOf(reason: LanguageModelV4FinishReason): Exclude<Finish, "empty"> {
  switch (reason.unified) {
    case "stop":
    case "length":
    case "tool-calls":
      return reason.unified
    case "content-filter":
      return isRefusal(reason.raw) ? "refusal" : "content-filter"
    case "error":
    case "interrupted":
    case "other":
      return "other"
  }
}

/** Provider packages report a refusal by the model as a filter; Anthropic names it, OpenAI finishes normally. */
function isRefusal(raw: string | undefined): boolean {
  return raw === undefined || ["refusal", "stop", "completed"].includes(raw)
}

/** One-hour cache entries cost more to write; Anthropic and Bedrock report their tokens separately. */
function hourWrites(usage: LanguageModelV4Usage): number {
  const raw = usage.raw
  const split = raw?.["cache_creation"]
  if (isObject(split)) return tokens(split["ephemeral_1h_input_tokens"])
  const details = raw?.["cacheDetails"]
  if (!Array.isArray(details)) return 0
  const hourly = details.filter(isObject).filter((entry) => entry["ttl"] === "1h")
  return hourly.reduce((sum, entry) => sum + tokens(entry["inputTokens"]), 0)
}

function tokens(value: unknown): number {
  return typeof value === "number" && Number.isFinite(value) && value > 0 ? Math.round(value) : 0
}
