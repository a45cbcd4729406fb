import type { LanguageModelV4Prompt } from "@ai-sdk/provider"
import { describe, expect, it } from "vitest"
import { changing } from "../../contract/rules/changing-part.ts"
import { modelRequest } from "./model-request.ts"

const model = { providerId: "p", modelId: "m", name: "x:p:m", signedBy: "x:p", takesTools: true }
const bash = { type: "function", name: "bash", description: "runs", inputSchema: { type: "object" } } as const

describe("a call of an extension's model", () => {
  it("has all members, null where there is no value", () => {
    const prompt: LanguageModelV4Prompt = [{ role: "user", content: [{ type: "text", text: "hi" }] }]
    expect(modelRequest(model, { prompt })).toEqual({
      provider_id: "p",
      model_id: "m",
      model: "x:p:m",
      messages: [{ role: "user", content: "hi" }],
      system_prompt: null,
      tools: [],
      temperature: null,
      max_tokens: null,
      thinking_budget: 0,
    })
  })

  it("has a separate system prompt, and the tools in the protocol's form", () => {
    const prompt: LanguageModelV4Prompt = [{ role: "system", content: "be kind" }]
    const options = { prompt, tools: [bash], maxOutputTokens: 100, temperature: 0.5 }
    const tools = [{ name: "bash", description: "runs", input_schema: { type: "object" } }]
    const said = { system_prompt: "be kind", messages: [], max_tokens: 100, temperature: 0.5 }
    expect(modelRequest(model, options)).toMatchObject({ ...said, tools })
    expect(modelRequest({ ...model, takesTools: false }, options)).toMatchObject({ ...said, tools: [] })
  })

  it("has the newest date and git state behind the system prompt, and the user's words as text", () => {
    const words = (text: string, date: string): LanguageModelV4Prompt[number] => ({
      role: "user",
      content: [
        { type: "text", text },
        { type: "text", text: `<environment>\n${date}\n</environment>`, providerOptions: changing },
      ],
    })
    const own = "<environment>\nmine\n</environment>"
    const prompt: LanguageModelV4Prompt = [
      { role: "system", content: "be kind" },
      words("hi", "Monday"),
      words(own, "Tuesday"),
    ]
    expect(modelRequest(model, { prompt })).toMatchObject({
      system_prompt: "be kind\n\n<environment>\nTuesday\n</environment>",
      messages: [
        { role: "user", content: "hi" },
        { role: "user", content: own },
      ],
    })
  })

  it("has calls and results as blocks, and only reasoning that the provider signed", () => {
    const signed = { "x:p": { signature: "s" } }
    const prompt: LanguageModelV4Prompt = [
      {
        role: "assistant",
        content: [
          { type: "reasoning", text: "mine", providerOptions: signed },
          { type: "reasoning", text: "another's", providerOptions: { anthropic: { signature: "a" } } },
          { type: "text", text: "I look." },
          { type: "tool-call", toolCallId: "c1", toolName: "bash", input: { command: "ls" } },
        ],
      },
      {
        role: "tool",
        content: [
          { type: "tool-result", toolCallId: "c1", toolName: "bash", output: { type: "text", value: "a" } },
          { type: "tool-result", toolCallId: "c2", toolName: "bash", output: { type: "error-text", value: "no" } },
        ],
      },
      { role: "assistant", content: [{ type: "reasoning", text: "nobody's" }] },
    ]
    expect(modelRequest(model, { prompt }).messages).toEqual([
      {
        role: "assistant",
        content: [
          { type: "thinking", thinking: "mine", signature: "s" },
          { type: "text", text: "I look." },
          { type: "tool_use", id: "c1", name: "bash", input: { command: "ls" } },
        ],
      },
      {
        role: "user",
        content: [
          { type: "tool_result", tool_use_id: "c1", content: "a" },
          { type: "tool_result", tool_use_id: "c2", content: "no", is_error: true },
        ],
      },
    ])
  })

  it("has images and documents beside the text", () => {
    const prompt: LanguageModelV4Prompt = [
      {
        role: "user",
        content: [
          { type: "text", text: "look" },
          { type: "file", mediaType: "image/png", data: { type: "data", data: "AAAA" } },
          {
            type: "file",
            mediaType: "application/pdf",
            filename: "a.pdf",
            data: { type: "url", url: new URL("https://a.example/a") },
          },
        ],
      },
    ]
    expect(modelRequest(model, { prompt }).messages[0]?.content).toEqual([
      { type: "text", text: "look" },
      { type: "image", source: { type: "base64", media_type: "image/png", data: "AAAA" } },
      { type: "document", title: "a.pdf", source: { type: "url", url: "https://a.example/a" } },
    ])
  })
})
