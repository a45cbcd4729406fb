import { describe, expect, it } from "vitest"
import type { ThinkingLevel } from "../../contract/values.ts"
import { limitsOf } from "../model-limits.ts"
import type { ProviderType } from "../providers/provider.ts"
import { nearest } from "./efforts.ts"
import { planThinking, type ThinkingPlan } from "./plan.ts"

function plan(type: ProviderType, id: string, level: ThinkingLevel, maxOutput = 32_000): ThinkingPlan {
  const { maxTotal } = limitsOf(type, id, { contextWindow: 200_000 })
  return planThinking({ name: `${type}/${id}`, id, type, maxTotal }, level, maxOutput)
}

describe("a thinking level", () => {
  it.each([
    ["anthropic", "claude-sonnet-5", "high", { reasoning: "high", maxOutputTokens: 52_000 }],
    ["anthropic", "claude-sonnet-5", "off", { reasoning: "none", maxOutputTokens: 32_000 }],
    ["openai", "gpt-6-sol", "max", { reasoning: "max", maxOutputTokens: 64_000 }],
    ["openai", "o3", "off", { reasoning: "low", maxOutputTokens: 32_000 }],
    ["openai", "gpt-5-pro", "low", { reasoning: "high", maxOutputTokens: 36_096 }],
    ["openai", "gpt-5.1-codex-max", "max", { reasoning: "xhigh", maxOutputTokens: 64_000 }],
    ["amazon-bedrock", "global.anthropic.claude-sonnet-5", "max", { reasoning: "xhigh", maxOutputTokens: 64_000 }],
    ["openai-compatible", "qwen/qwen3-32b", "minimal", { reasoning: "low", maxOutputTokens: 32_000 }],
    ["openai-compatible", "qwen/qwen3-32b", "max", { reasoning: "high", maxOutputTokens: 32_000 }],
  ] as const)("of %s/%s: %s", (type, id, level, options) => {
    const planned = plan(type, id, level)
    expect(planned.options).toEqual(options)
    expect(planned.maxOutput).toBe(options.maxOutputTokens)
    expect(planned.note).toBeUndefined()
  })

  it("is a budget for older models of Anthropic, inside what the call may cost", () => {
    const { maxOutput, options } = plan("anthropic", "claude-sonnet-4-5-20250929", "high")
    expect(maxOutput).toBe(52_000)
    const thinking = { type: "enabled", budgetTokens: 20_000 }
    expect(options).toEqual({ maxOutputTokens: 32_000, providerOptions: { anthropic: { thinking } } }) // the package adds them
  })

  it("leaves a quarter of the answer to the text where the model cannot give more", () => {
    const { maxOutput, options } = plan("anthropic", "claude-opus-4-1", "max")
    expect(maxOutput).toBe(32_000)
    expect(options).toMatchObject({
      maxOutputTokens: 8000,
      providerOptions: { anthropic: { thinking: { budgetTokens: 24_000 } } },
    })
  })

  it("is a budget for Gemini 2.5 and a level for later ones; the thoughts are shown", () => {
    const budget = { google: { thinkingConfig: { thinkingBudget: 4096, includeThoughts: true } } }
    expect(plan("google", "gemini-2.5-pro", "low").options).toEqual({
      maxOutputTokens: 36_096,
      providerOptions: budget,
    })
    expect(plan("google", "gemini-3.8-flash", "low").options).toEqual({
      reasoning: "low",
      maxOutputTokens: 36_096,
      providerOptions: { google: { thinkingConfig: { includeThoughts: true } } },
    })
  })

  it.each([
    ["anthropic", "claude-3-5-haiku-latest"],
    ["openai", "gpt-4o"],
    ["openai", "gpt-5-chat-latest"],
    ["google", "gemini-2.0-flash"],
    ["amazon-bedrock", "amazon.nova-pro-v1:0"],
    ["openai-compatible", "openai/gpt-4o-mini"],
  ] as const)("is ignored with a note by a model that does not think: %s/%s", (type, id) => {
    const planned = plan(type, id, "high", 4096)
    expect(planned).toEqual({
      maxOutput: 4096,
      options: {},
      note: `thinking level 'high' is ignored: ${type}/${id} does not take one`,
    })
    expect(plan(type, id, "off", 4096).note).toBeUndefined()
  })

  it("is ignored where the answer is too short for the smallest budget", () => {
    const model = { name: "m", id: "claude-sonnet-4-5", type: "anthropic", maxTotal: 1200 } as const
    expect(planThinking(model, "low", 1000)).toMatchObject({ maxOutput: 1000, options: {} })
  })

  it("becomes the nearest effort of the provider", () => {
    expect(nearest("off")).toBe("none")
    expect(nearest("minimal", ["low", "high"])).toBe("low")
    expect(nearest("medium", ["low", "high"])).toBe("low")
    expect(nearest("max", ["low", "high"])).toBe("high")
  })
})
