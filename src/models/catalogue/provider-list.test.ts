import { describe, expect, it } from "vitest"
import { readProviderList } from "./provider-list.ts"

describe("the list of a provider", () => {
  it("of Anthropic has limits and abilities", () => {
    const capabilities = {
      image_input: { supported: true },
      pdf_input: { supported: false },
      thinking: { supported: true },
    }
    const entry = {
      type: "model",
      id: "claude-x",
      display_name: "Claude X",
      max_input_tokens: 500_000,
      max_tokens: 64_000,
      capabilities,
    }
    expect(readProviderList({ data: [entry] })).toMatchObject([
      {
        id: "claude-x",
        name: "Claude X",
        contextWindow: 500_000,
        outputLimit: 64_000,
        abilities: { images: true, pdf: false, thinking: true },
      },
    ])
  })

  it("of Google has names without their prefix, and models that generate text only", () => {
    const models = [
      {
        name: "models/gemini-x",
        displayName: "Gemini X",
        inputTokenLimit: 1_048_576,
        outputTokenLimit: 65_536,
        thinking: true,
        supportedGenerationMethods: ["generateContent"],
      },
      { name: "models/gemini-embedding", supportedGenerationMethods: ["embedContent"] },
      { name: "models/chooser", supportedGenerationMethods: ["countTokens"] },
    ]
    expect(readProviderList({ models })).toMatchObject([
      {
        id: "gemini-x",
        name: "Gemini X",
        contextWindow: 1_048_576,
        outputLimit: 65_536,
        abilities: { thinking: true },
      },
    ])
  })

  it("of OpenRouter has prices for a million tokens", () => {
    const entry = {
      id: "lab/model",
      name: "Lab: Model",
      context_length: 131_072,
      architecture: { input_modalities: ["text", "file"], output_modalities: ["text"] },
      pricing: { prompt: "0.0000006", completion: "0.0000025", input_cache_read: "0" },
      top_provider: { max_completion_tokens: 16_384 },
      supported_parameters: ["tools", "reasoning"],
    }
    expect(readProviderList({ data: [entry] })).toMatchObject([
      {
        id: "lab/model",
        contextWindow: 131_072,
        outputLimit: 16_384,
        abilities: { images: false, pdf: true, tools: true, thinking: true },
        prices: { base: { input: 0.6, output: 2.5, cacheRead: 0 } },
      },
    ])
  })

  it("has no price where it varies", () => {
    const [model] = readProviderList({ data: [{ id: "auto", pricing: { prompt: "-1", completion: "-1" } }] }) ?? []
    expect(model?.prices).toBeUndefined()
  })

  it("of Mistral, Groq, vLLM and Together is read", () => {
    const mistral = {
      id: "m",
      max_context_length: 256_000,
      capabilities: { completion_chat: true, function_calling: true, vision: false },
    }
    expect(readProviderList({ data: [mistral] })).toMatchObject([
      { contextWindow: 256_000, abilities: { tools: true, images: false } },
    ])
    expect(readProviderList({ data: [{ ...mistral, capabilities: { completion_chat: false } }] })).toEqual([])
    expect(
      readProviderList({ data: [{ id: "g", context_window: 131_072, max_completion_tokens: 8192 }] }),
    ).toMatchObject([{ contextWindow: 131_072, outputLimit: 8192 }])
    expect(readProviderList({ data: [{ id: "v", max_model_len: 40_960 }] })).toMatchObject([{ contextWindow: 40_960 }])
    expect(
      readProviderList([
        { id: "t", type: "chat", context_length: 4096 },
        { id: "i", type: "image" },
      ]),
    ).toMatchObject([{ id: "t" }])
  })

  it("leaves out what is no model for text", () => {
    const ids = [
      "gpt-6-sol",
      "text-embedding-3-large",
      "whisper-1",
      "gpt-image-2",
      "tts-1",
      "omni-moderation-latest",
      "\u001b[2J",
    ]
    expect(readProviderList({ data: ids.map((id) => ({ id })) })?.map(({ id }) => id)).toEqual(["gpt-6-sol"])
  })

  it.each([null, 7, "x", {}, { data: "x" }])("is not %j", (answer) => expect(readProviderList(answer)).toBeUndefined())
})
