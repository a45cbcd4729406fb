// The cost of an answer as reported by a gateway, which takes precedence over the price table. The first header with a
// value above zero is used.
import type { LanguageModelV4StreamResult } from "@ai-sdk/provider"

const costHeaders = [
  "x-litellm-response-cost-margin-amount",
  "x-litellm-response-cost-original",
  "x-litellm-response-cost",
  "x-response-cost",
  "x-cost-usd",
]

type Start = (abortSignal: AbortSignal) => PromiseLike<LanguageModelV4StreamResult>

export interface Metered {
  readonly start: Start
  /** Of the newest answer. */
  readonly costUsd: number | undefined
}

export function metered(start: Start): Metered {
  let costUsd: number | undefined
  return {
    start: async (signal) => {
      const answer = await start(signal)
      costUsd = chargedUsd(answer.response?.headers)
      return answer
    },
    get costUsd() {
      return costUsd
    },
  }
}

export function chargedUsd(headers: Readonly<Record<string, string>> | undefined): number | undefined {
  const named = new Map(Object.entries(headers ?? {}).map(([name, value]) => [name.toLowerCase(), value]))
  return costHeaders.map((name) => Number(named.get(name))).find((usd) => Number.isFinite(usd) && usd > 0)
}
