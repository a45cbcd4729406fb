// What a gateway says that an answer costs. It knows its own prices and discounts; where it says something, that counts
// before what the price table would make of the tokens. The first value above zero is taken.
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
  /** Of the answer that was started last. */
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
