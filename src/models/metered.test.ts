import type { LanguageModelV4StreamPart } from "@ai-sdk/provider"
import { describe, expect, it } from "vitest"
import { metered } from "./metered.ts"

async function costOf(headers: Record<string, string> | undefined): Promise<number | undefined> {
  const stream = new ReadableStream<LanguageModelV4StreamPart>()
  const meter = metered(async () => ({ stream, ...(headers === undefined ? {} : { response: { headers } }) }))
  await meter.start(new AbortController().signal)
  return meter.costUsd
}

describe("the cost reported by a gateway", () => {
  it.each([
    "x-litellm-response-cost-margin-amount",
    "x-litellm-response-cost-original",
    "x-litellm-response-cost",
    "x-response-cost",
    "x-cost-usd",
  ])("is read from %s", async (name) => {
    expect(await costOf({ [name]: "0.0125" })).toBe(0.0125)
    expect(await costOf({ [name.toUpperCase()]: "1e-4" })).toBe(0.0001)
  })

  it("is the first header with a value above zero", async () => {
    expect(await costOf({ "x-cost-usd": "3", "x-litellm-response-cost": "2", "x-response-cost": "0" })).toBe(2)
    expect(await costOf({ "x-litellm-response-cost": "0", "x-cost-usd": "3" })).toBe(3)
  })

  it("is unknown without a usable header", async () => {
    expect(await costOf(undefined)).toBeUndefined()
    expect(await costOf({})).toBeUndefined()
    expect(
      await costOf({ "x-cost-usd": "free", "x-response-cost": "-1", "x-litellm-response-cost": "" }),
    ).toBeUndefined()
  })
})
