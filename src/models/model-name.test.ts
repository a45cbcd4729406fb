import { describe, expect, it } from "vitest"
import { route, type RouteRules } from "./model-name.ts"

const rules: RouteRules = {
  isProvider: (name) => ["anthropic", "mock", "offline"].includes(name),
  configured: undefined,
  servedBy: (model) => (model.includes("claude") ? "anthropic" : undefined),
}

describe("a model name", () => {
  it("goes to the provider before its first slash", () => {
    expect(route("mock/any", rules)).toEqual({ provider: "mock", model: "any" })
    expect(route("mock/qwen/qwen3", rules)).toEqual({ provider: "mock", model: "qwen/qwen3" })
  })

  it("goes whole to the configured model's provider when it names none", () => {
    const configured = { ...rules, configured: "mock/any" }
    expect(route("claude-opus-5", configured)).toEqual({ provider: "mock", model: "claude-opus-5" })
    expect(route("meta/llama", configured)).toEqual({ provider: "mock", model: "meta/llama" })
  })

  it("follows a configured model that names no provider either", () => {
    const configured = { ...rules, configured: "claude-sonnet-5" }
    expect(route("something", configured)).toEqual({ provider: "anthropic", model: "something" })
  })

  it("goes where the price table would send it when nothing is configured", () => {
    expect(route("claude-opus-5", rules)).toEqual({ provider: "anthropic", model: "claude-opus-5" })
  })

  it("goes nowhere, and not to the offline model, when no provider is known for it", () => {
    expect(route("whatever", rules)).toBeUndefined()
    expect(route("groq/llama", rules)).toBeUndefined()
  })

  it.each(["/x", "mock/", "/", ""])("is no provider's when a half of it is missing: '%s'", (name) => {
    expect(route(name, rules)).toBeUndefined()
  })
})
