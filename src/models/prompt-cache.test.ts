import type { LanguageModelV4CallOptions, LanguageModelV4Prompt } from "@ai-sdk/provider"
import { describe, expect, it } from "vitest"
import { changing } from "../contract/rules/changing-part.ts"
import { withCachePoints } from "./prompt-cache.ts"

const claude = { provider: "anthropic.messages", modelId: "claude-sonnet-5" }
const bedrock = { provider: "amazon-bedrock", modelId: "global.anthropic.claude-sonnet-5" }
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

describe("cache points", () => {
  it("are set after the system text and the last two messages that are not the model's own", () => {
    expect(marked(withCachePoints(claude, { prompt: conversation }).prompt)).toEqual([0, 3, 5])
  })

  it("are set after the last tool", () => {
    const options = withCachePoints(claude, { prompt: conversation, tools })
    expect(marked(options.tools ?? [])).toEqual([1])
  })

  it("are the same when set twice", () => {
    const once = withCachePoints(claude, { prompt: conversation, tools })
    expect(withCachePoints(claude, once)).toEqual(once)
  })

  it("keep other provider options of a message", () => {
    const prompt: LanguageModelV4Prompt = [
      {
        role: "user",
        content: [{ type: "text", text: "hi" }],
        providerOptions: { anthropic: { a: 1 }, other: { b: 2 } },
      },
    ]
    expect(withCachePoints(claude, { prompt }).prompt[0]?.providerOptions).toEqual({
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
    expect(marked(withCachePoints(claude, { prompt }).prompt)).toEqual([1])
  })

  it("come before a part that may change, also in a message that has nothing else", () => {
    const prompt: LanguageModelV4Prompt = [
      ...conversation,
      {
        role: "user",
        content: [
          { type: "text", text: "third" },
          { type: "text", text: "the date", providerOptions: changing },
          { type: "text", text: "more", providerOptions: changing },
        ],
      },
      { role: "user", content: [{ type: "text", text: "only this", providerOptions: changing }] },
    ]
    const sent = withCachePoints(claude, { prompt }).prompt
    expect(marked(sent)).toEqual([0, 5, 6])
    expect(sent.slice(6).map(({ content }) => content)).toMatchObject([
      [{ text: "third" }],
      [{ text: "the date" }, { text: "more" }],
      [{ text: "only this" }],
    ])
  })

  it("are set for models of Bedrock that can cache, except on tools", () => {
    const { prompt, tools: offered } = withCachePoints(bedrock, { prompt: conversation, tools })
    const points = prompt.flatMap(({ providerOptions }, index) => (providerOptions === undefined ? [] : [index]))
    expect(points).toEqual([0, 3, 5])
    expect(prompt[0]?.providerOptions).toEqual({ bedrock: { cachePoint: { type: "default" } } })
    expect(offered).toBe(tools)
  })

  it.each([
    ["us.anthropic.claude-3-7-sonnet-20250219-v1:0", true],
    ["anthropic.claude-3-5-haiku-20241022-v1:0", true],
    ["eu.amazon.nova-pro-v1:0", true],
    ["anthropic.claude-3-5-sonnet-20240620-v1:0", false],
    ["anthropic.claude-3-haiku-20240307-v1:0", false],
    ["anthropic.claude-v2:1", false],
    ["meta.llama3-3-70b-instruct-v1:0", false],
  ])("of Bedrock for %s: %s", (modelId, caches) => {
    const options = { prompt: conversation }
    expect(withCachePoints({ ...bedrock, modelId }, options) !== options).toBe(caches)
  })

  it("change nothing for other providers", () => {
    const options = { prompt: conversation, tools }
    expect(withCachePoints({ provider: "openai.responses", modelId: "gpt-6-sol" }, options)).toBe(options)
  })
})
