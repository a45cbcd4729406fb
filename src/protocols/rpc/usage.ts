// Token counts of this wire. Tokens read from or written to the provider's cache are not counted as input.
import type { Usage } from "../../contract/values.ts"
import type { TurnUsage } from "./frames.ts"

export function turnUsage(usage: Usage, model: string | undefined): TurnUsage {
  const { cacheWrite5m, cacheWrite1h } = usage
  return {
    input_tokens: inputTokens(usage),
    output_tokens: usage.output,
    cache_read_input_tokens: usage.cacheRead,
    cache_creation_input_tokens: cacheWrite5m + cacheWrite1h,
    ...(cacheWrite5m + cacheWrite1h > 0 ? { cache_creation_5m: cacheWrite5m, cache_creation_1h: cacheWrite1h } : {}),
    ...(model === undefined ? {} : { model }),
  }
}

export function inputTokens({ input, cacheRead, cacheWrite5m, cacheWrite1h }: Usage): number {
  return Math.max(0, input - cacheRead - cacheWrite5m - cacheWrite1h)
}
