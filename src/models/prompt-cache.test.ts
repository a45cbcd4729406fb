import type { LanguageModelV4CallOptions, LanguageModelV4Prompt } from "@ai-sdk/provider"
import { describe, expect, it } from "vitest"
import { withCacheBreakpoints } from "./prompt-cache.ts"

const claude = { provider: "anthropic.messages" }
const conversation: LanguageModelV4Prompt = [
  { role: "system", content: "You are careful." },
  { role: "user", content: [{ type: "text", text: "first" }] },
  { role: "assistant", content: [{ type: "tool-call", toolCallId: "c1", toolName: "read", input: {} }] },
  {
    role: "tool",
    content: [{ type: "tool-result", toolCallId: "c1", toolName: "read", output: { type: "text", value: "…" } }],
  },
  { role: "assistant", content: [{ type: "text", text: "Done." }] },
  { role: "user", content: [{ type: "text", text: "second" }] },
]
const tools: NonNullable<LanguageModelV4CallOptions["tools"]> = [
  { type: "function", name: "read", inputSchema: {} },
  { type: "function", name: "write", inputSchema: {} },
]

function marked(list: readonly object[]): number[] {
  return list.flatMap((entry, index) => (JSON.stringify(entry).includes("cacheControl") ? [index] : []))
}

describe("cache breakpoints", () => {
  it("are set after the system text and the last two messages that are not the model's own", () => {
    expect(marked(withCacheBreakpoints(claude, { prompt: conversation }).prompt)).toEqual([0, 3, 5])
  })

  it("are set after the last tool", () => {
    const options = withCacheBreakpoints(claude, { prompt: conversation, tools })
    expect(marked(options.tools ?? [])).toEqual([1])
  })

  it("are the same when set twice", () => {
    const once = withCacheBreakpoints(claude, { prompt: conversation, tools })
    expect(withCacheBreakpoints(claude, once)).toEqual(once)
  })

  it("keep other provider options of a message", () => {
    const prompt: LanguageModelV4Prompt = [
      {
        role: "user",
        content: [{ type: "text", text: "hi" }],
        providerOptions: { anthropic: { a: 1 }, other: { b: 2 } },
      },
    ]
    expect(withCacheBreakpoints(claude, { prompt }).prompt[0]?.providerOptions).toEqual({
      anthropic: { a: 1, cacheControl: { type: "ephemeral" } },
      other: { b: 2 },
    })
  })

  it("are never set on an empty text, which the API refuses", () => {
    const prompt: LanguageModelV4Prompt = [
      { role: "system", content: "" },
      { role: "user", content: [{ type: "text", text: "hi" }] },
      { role: "user", content: [{ type: "text", text: "" }] },
    ]
    expect(marked(withCacheBreakpoints(claude, { prompt }).prompt)).toEqual([1])
  })

  it("change nothing for other providers", () => {
    const options = { prompt: conversation, tools }
    expect(withCacheBreakpoints({ provider: "openai.responses" }, options)).toBe(options)
  })
})
