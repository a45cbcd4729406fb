import { readFileSync } from "node:fs"
import { describe, expect, it } from "vitest"
import type { Usage } from "../contract/values.ts"
import { loadPriceTable, priceData } from "./price-table.ts"
import { vendors } from "./providers/builtin.ts"

const table = await loadPriceTable()
const none: Usage = { input: 0, output: 0, cacheRead: 0, cacheWrite5m: 0, cacheWrite1h: 0, reasoning: 0 }

describe("the price table", () => {
  it("has the date of the bundled data", () => {
    const manifest = new URL("../../node_modules/@pydantic/genai-prices/package.json", import.meta.url)
    // When this fails the data was renewed: set release and date together.
    expect(readFileSync(manifest, "utf8")).toContain(`"version": "${priceData.release}"`)
    expect(priceData.date).toMatch(/^\d{4}-\d{2}-\d{2}$/)
  })

  it("prices cache reads and both kinds of cache writes separately", () => {
    const sonnet = table.find("anthropic", "claude-sonnet-5")
    const million = 1_000_000
    const cost = (usage: Partial<Usage>) => sonnet?.costUsd({ ...none, ...usage })
    expect(sonnet?.prices).toEqual({ input: 2, output: 10, cacheRead: 0.2, cacheWrite5m: 2.5, cacheWrite1h: 4 })
    expect(cost({ input: million })).toBeCloseTo(2)
    expect(cost({ output: million })).toBeCloseTo(10)
    expect(cost({ input: million, cacheRead: million })).toBeCloseTo(0.2)
    expect(cost({ input: million, cacheWrite5m: million })).toBeCloseTo(2.5)
    expect(cost({ input: million, cacheWrite1h: million })).toBeCloseTo(4)
    expect(cost({ input: 1212, output: 30, cacheRead: 1000, cacheWrite5m: 150, cacheWrite1h: 50 })).toBeCloseTo(
      0.001099,
      9,
    )
  })

  it("charges more for a long context where the vendor does", () => {
    const sol = table.find("openai", "gpt-6-sol")
    expect(sol?.costUsd({ ...none, input: 100_000 })).toBeCloseTo(0.2)
    expect(sol?.costUsd({ ...none, input: 500_000 })).toBeCloseTo(2)
    expect(sol?.prices).toMatchObject({ input: 2, output: 10 })
  })

  it("has no price for an unknown model", () => {
    expect(table.find("anthropic", "claude-of-tomorrow-99")).toBeUndefined()
    expect(table.find("nobody", "claude-sonnet-5")).toBeUndefined()
  })

  it("returns no cost for impossible counts", () => {
    expect(table.find("anthropic", "claude-sonnet-5")?.costUsd({ ...none, input: 1, cacheRead: 5 })).toBeUndefined()
  })

  it("finds the vendor of a model", () => {
    expect(["claude-opus-5", "gpt-6-sol", "gemini-3.8-flash", "anything"].map(table.vendorOf)).toEqual([
      "anthropic",
      "openai",
      "google",
      undefined,
    ])
  })

  it("finds vendors by base URL, but no self-hosted server", () => {
    expect(table.vendorAt("https://api.groq.com/openai/v1")).toBe("groq")
    expect(table.vendorAt("http://127.0.0.1:11434/v1")).toBeUndefined()
  })

  it("lists chat models only", () => {
    const ids = table.models("openai").map((model) => model.id)
    expect(ids).toContain("gpt-6-sol")
    expect(ids.filter((id) => /embed|whisper|image|tts|realtime/.test(id))).toEqual([])
  })

  it.each(Object.values(vendors).filter((vendor) => vendor.defaultModel !== undefined))(
    "has price and window of the default model $defaultModel",
    ({ priceTable = "", defaultModel = "" }) => {
      const facts = table.find(priceTable, defaultModel)
      expect(facts?.prices).toBeDefined()
      expect(facts?.contextWindow).toBeGreaterThan(100_000)
    },
  )
})
