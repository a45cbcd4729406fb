// The counts of an answer whose provider reported none.
import type { LanguageModelV4Usage } from "@ai-sdk/provider"

export const noUsage: LanguageModelV4Usage = {
  inputTokens: { total: undefined, noCache: undefined, cacheRead: undefined, cacheWrite: undefined },
  outputTokens: { total: undefined, text: undefined, reasoning: undefined },
}
