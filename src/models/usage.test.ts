import type { LanguageModelV4Usage } from "@ai-sdk/provider"
import { describe, expect, it } from "vitest"
import { finishOf, usageOf } from "./usage.ts"

function reported(input: Partial<LanguageModelV4Usage["inputTokens"]>, raw?: LanguageModelV4Usage["raw"]) {
  const usage: LanguageModelV4Usage = {
    inputTokens: { total: undefined, noCache: undefined, cacheRead: undefined, cacheWrite: undefined, ...input },
    outputTokens: { total: 30, text: undefined, reasoning: 10 },
    ...(raw === undefined ? {} : { raw }),
  }
  return usageOf({ usage })
}

describe("usage of a finished answer", () => {
  it("splits Anthropic's cache writes by how long they live", () => {
    const raw = { cache_creation: { ephemeral_5m_input_tokens: 150, ephemeral_1h_input_tokens: 50 } }
    expect(reported({ total: 1212, cacheRead: 1000, cacheWrite: 200 }, raw)).toEqual({
      input: 1212,
      output: 30,
      cacheRead: 1000,
      cacheWrite5m: 150,
      cacheWrite1h: 50,
      reasoning: 10,
    })
  })

  it("splits Bedrock's cache writes by how long they live", () => {
    const raw = {
      cacheDetails: [
        { ttl: "1h", inputTokens: 20 },
        { ttl: "5m", inputTokens: 80 },
      ],
    }
    expect(reported({ total: 500, cacheWrite: 100 }, raw)).toMatchObject({ cacheWrite5m: 80, cacheWrite1h: 20 })
  })

  it("counts cache writes without a split as short-lived ones", () => {
    expect(reported({ total: 500, cacheWrite: 100 })).toMatchObject({ cacheWrite5m: 100, cacheWrite1h: 0 })
  })

  it("counts at least the cache tokens as input, whatever the total says", () => {
    expect(reported({ total: 5, cacheRead: 40, cacheWrite: 10 })).toMatchObject({ input: 50 })
  })

  it("is undefined when the provider reports no counts", () => {
    const nothing = { total: undefined, text: undefined, reasoning: undefined }
    const inputTokens = { total: undefined, noCache: undefined, cacheRead: undefined, cacheWrite: undefined }
    expect(usageOf({ usage: { inputTokens, outputTokens: nothing } })).toBeUndefined()
  })
})

it("finishOf keeps the meaning of a finish reason", () => {
  const unified = ["stop", "length", "tool-calls", "content-filter", "other"] as const
  expect(unified.map((reason) => finishOf({ unified: reason, raw: `provider's ${reason}` }))).toEqual(unified)
})

it.each(["refusal", "stop", undefined])("distinguishes a refusal from a filter by the raw reason %s", (raw) => {
  expect(finishOf({ unified: "content-filter", raw })).toBe("refusal")
  expect(finishOf({ unified: "content-filter", raw: "SAFETY" })).toBe("content-filter")
})
