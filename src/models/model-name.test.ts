import { describe, expect, it } from "vitest"
import { route, type RouteRules } from "./model-name.ts"

const rules: RouteRules = {
  isProvider: (name) => ["anthropic", "mock", "offline"].includes(name),
  configured: undefined,
  servedBy: (model) => (model.includes("claude") ? "anthropic" : undefined),
}

describe("a model name", () => {
  it("selects the provider before its first slash", () => {
    expect(route("mock/any", rules)).toEqual({ provider: "mock", model: "any" })
    expect(route("mock/qwen/qwen3", rules)).toEqual({ provider: "mock", model: "qwen/qwen3" })
  })

  it("selects the configured model's provider when it has none", () => {
    const configured = { ...rules, configured: "mock/any" }
    expect(route("claude-opus-5", configured)).toEqual({ provider: "mock", model: "claude-opus-5" })
    expect(route("meta/llama", configured)).toEqual({ provider: "mock", model: "meta/llama" })
  })

  it("selects the provider of a configured model that has no prefix either", () => {
    const configured = { ...rules, configured: "claude-sonnet-5" }
    expect(route("something", configured)).toEqual({ provider: "anthropic", model: "something" })
  })

  it("selects the provider in the price table when none is configured", () => {
    expect(route("claude-opus-5", rules)).toEqual({ provider: "anthropic", model: "claude-opus-5" })
  })

  it("selects no provider, and not the offline model, when none is known", () => {
    expect(route("whatever", rules)).toBeUndefined()
    expect(route("groq/llama", rules)).toBeUndefined()
  })

  it.each(["/x", "mock/", "/", ""])("has no provider when one half is missing: '%s'", (name) => {
    expect(route(name, rules)).toBeUndefined()
  })
})
