import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterEach, describe, expect, it } from "vitest"
import type { ListedModel } from "../../spec/provider-server/script.ts"
import { startProviderServer, type ProviderServer } from "../../spec/provider-server/server.ts"
import { ModelUnavailable, UnknownProvider, type ModelChoice } from "./model-source.ts"
import { createModelSource, type ModelSourceOptions } from "./registry.ts"

const opened: { close: () => void | Promise<void> }[] = []
afterEach(async () => {
  for (const { close } of opened.splice(0)) await close()
})

async function serving(models: readonly ListedModel[]): Promise<ProviderServer> {
  const server = await startProviderServer({ replies: [], models })
  opened.push(server)
  return server
}

/** No network and no local servers; the offline model only records the requested names. */
function source(options: Partial<ModelSourceOptions> = {}) {
  const offline = async (name: string): Promise<ModelChoice> => ({
    ...(await mock.resolve("mock/x")),
    name: `offline: ${name}`,
  })
  return createModelSource({ config: {}, env: {}, localServers: [], offline, ...options })
}
const mockConfig = { providers: { mock: { type: "openai-compatible", baseURL: "http://127.0.0.1:9/v1" } } } as const
const mock = createModelSource({ config: mockConfig, env: {} })

describe("resolving a name", () => {
  it("returns the model of a configured provider under the requested name", async () => {
    const choice = await source({ config: mockConfig }).resolve("mock/any")
    expect(choice).toMatchObject({ name: "mock/any", model: { provider: "mock.chat", modelId: "any" } })
    expect(choice).toMatchObject({ contextWindow: 32_768, maxOutput: 8192, takesPrefill: false })
  })

  it("returns the same model for the same name", async () => {
    const models = source({ config: mockConfig })
    const choice = await models.resolve("mock/any")
    expect(await models.resolve("mock/any")).toBe(choice)
    expect(await models.resolve("mock/other")).toMatchObject({ model: { modelId: "other" } })
  })

  it("clears its cache when there are too many names", async () => {
    const models = source({ config: mockConfig })
    const choice = await models.resolve("mock/any")
    for (let n = 0; n < 100; n++) await models.resolve(`mock/${n}`)
    const again = await models.resolve("mock/any")
    expect(again).not.toBe(choice)
    expect(again).toMatchObject({ name: "mock/any", model: { modelId: "any" } })
  })

  it("has no price for a self-hosted server", async () => {
    const { costUsd } = await source({ config: mockConfig }).resolve("mock/gpt-6-sol")
    expect(
      costUsd({ input: 5, output: 5, cacheRead: 0, cacheWrite5m: 0, cacheWrite1h: 0, reasoning: 0 }),
    ).toBeUndefined()
  })

  it("resolves a bare name to the configured model's provider", async () => {
    const choice = await source({ config: { ...mockConfig, model: "mock/any" } }).resolve("claude-opus-5")
    expect(choice).toMatchObject({ name: "claude-opus-5", model: { provider: "mock.chat", modelId: "claude-opus-5" } })
  })

  it("resolves a bare name by the price table", async () => {
    const choice = await source({ env: { ANTHROPIC_API_KEY: "k" } }).resolve("claude-opus-5")
    expect(choice.model).toMatchObject({ provider: "anthropic.messages", modelId: "claude-opus-5" })
    expect(choice).toMatchObject({ contextWindow: 1_000_000, maxOutput: 32_000 })
  })

  it("prefers a provider with a key among those that serve a bare name", async () => {
    const config = { providers: { work: { type: "anthropic", apiKey: "k" } } } as const
    expect((await source({ config }).resolve("claude-opus-5")).model.provider).toBe("anthropic.messages")
  })

  it("resolves only offline names to the offline model", async () => {
    expect(await source().resolve("offline/demo")).toMatchObject({ name: "offline: offline/demo" })
  })

  it.each([
    ["whatever", 'model "whatever": no provider is known for it. Write it as PROVIDER/whatever'],
    ["acme/llama", 'model "acme/llama": no provider named "acme". Add it under "providers" in config.json'],
    ["command-r-plus", 'model "command-r-plus": no provider named "cohere". Add it under "providers"'],
  ])("refuses %s, whose provider is unknown, and names what to configure", async (name, message) => {
    const models = source()
    await expect(models.resolve(name)).rejects.toBeInstanceOf(UnknownProvider)
    await expect(models.resolve(name)).rejects.toThrow(message)
    await expect(models.checkProvider(name)).rejects.toThrow(message)
    await expect(models.checkProvider("offline/demo")).resolves.toBeUndefined()
  })

  it("lists models although the configured one has no provider", async () => {
    const listed = await source({ config: { model: "acme/llama" } }).list()
    expect(listed).toMatchObject([{ provider: "offline", id: "demo", isDefault: false }])
  })

  it.each([
    ["anthropic/claude-opus-5", "set ANTHROPIC_API_KEY"],
    ["claude-opus-5", "set ANTHROPIC_API_KEY"],
    ["openai/gpt-6-sol", "set OPENAI_API_KEY"],
    ["google/gemini-3.8-flash", "set GOOGLE_GENERATIVE_AI_API_KEY"],
    ["groq/llama", "set GROQ_API_KEY"],
    ["deepseek-chat", "set DEEPSEEK_API_KEY"],
    ["amazon-bedrock/any", "set AWS_BEARER_TOKEN_BEDROCK"],
    ["openai-compatible/any", "set providers.openai-compatible.baseURL"],
  ])("says what to do when %s cannot be used", async (name, advice) => {
    const fault = await source()
      .resolve(name)
      .catch((error: unknown) => error)
    expect(fault).toBeInstanceOf(ModelUnavailable)
    expect(fault).toHaveProperty("message", expect.stringContaining(advice))
  })

  it.each([
    ["calude-sonnet-5", "Did you mean anthropic/claude-sonnet-5?"],
    ["antropic/next", "Did you mean anthropic/next?"],
  ])("names the model that %s probably means", async (name, hint) => {
    const asked = source().resolve(name)
    await expect(asked).rejects.toThrow(UnknownProvider)
    await expect(asked).rejects.toThrow(hint)
  })

  it.each([
    ["acme/llama", "unknown", 'model "acme/llama": no provider named "acme".'],
    ["openai/gpt-6-sol", "unusable", 'model "openai/gpt-6-sol": Provider openai has no key: set OPENAI_API_KEY'],
    ["anthropic/claude-sonet-5", "unlisted", "Did you mean anthropic/claude-sonnet-5?"],
  ])("knows before a call what is wrong with %s: %s", async (name, kind, what) => {
    const models = source({ env: { ANTHROPIC_API_KEY: "k" } })
    expect(await models.problemOf(name)).toEqual({ kind, what: expect.stringContaining(what) })
  })

  it.each(["anthropic/claude-sonnet-5", "anthropic/a-private-one", "offline/demo", "ext:provider:model"])(
    "knows nothing against %s",
    async (name) => {
      expect(await source({ env: { ANTHROPIC_API_KEY: "k" } }).problemOf(name)).toBeUndefined()
    },
  )

  it("has no hint for a name that is like no other", async () => {
    await expect(source().resolve("whatever")).rejects.not.toThrow("Did you mean")
  })

  it("does not resolve a model of an extension", async () => {
    const asked = source({ config: mockConfig }).resolve("plugin:provider:model")
    await expect(asked).rejects.toThrow(ModelUnavailable)
    await expect(asked).rejects.toThrow("plugin:provider:model belongs to an extension")
  })

  it("creates models of Google and Bedrock without a request", async () => {
    const fetch = () => Promise.reject(new Error("the network was used"))
    const env = { GEMINI_API_KEY: "g", AWS_BEARER_TOKEN_BEDROCK: "b", AWS_REGION: "us-east-1" }
    const models = source({ env, fetch })
    expect((await models.resolve("google/gemini-3.8-flash")).model.provider).toBe("google.generative-ai")
    expect((await models.resolve("amazon-bedrock/amazon.nova-pro-v1:0")).maxOutput).toBe(10_000)
  })

  it("prefers prices and limits of the user's file, also after a mistake in it was fixed", async () => {
    const folder = mkdtempSync(join(tmpdir(), "turnhouse-registry-"))
    opened.push({ close: () => rmSync(folder, { recursive: true }) })
    const pricesFile = join(folder, "prices.json")
    const models = source({ config: mockConfig, pricesFile })
    writeFileSync(pricesFile, "not json")
    await expect(models.resolve("mock/any")).rejects.toThrow(`The price file ${pricesFile} is wrong`)
    const own = { input: 1, output: 2, contextWindow: 4096, maxOutput: 4000 }
    writeFileSync(pricesFile, JSON.stringify({ models: { "mock/any": own } }))
    const choice = await models.resolve("mock/any")
    expect(choice).toMatchObject({ contextWindow: 4096, maxOutput: 2048 })
    expect(
      choice.costUsd({ input: 1000, output: 500, cacheRead: 0, cacheWrite5m: 0, cacheWrite1h: 0, reasoning: 0 }),
    ).toBeCloseTo(0.002)
  })
})

describe("the default model", () => {
  it("is the configured one, whichever keys exist", async () => {
    const config = { ...mockConfig, model: "mock/any" }
    expect(await source({ config, env: { ANTHROPIC_API_KEY: "k" } }).defaultModel()).toBe("mock/any")
  })

  it.each([
    [{ ANTHROPIC_API_KEY: "k", OPENAI_API_KEY: "k" }, "anthropic/claude-sonnet-5"],
    [{ OPENAI_API_KEY: "k", GEMINI_API_KEY: "k" }, "openai/gpt-6-sol"],
    [{ GOOGLE_GENERATIVE_AI_API_KEY: "k" }, "google/gemini-3.8-flash"],
    [{ AWS_BEARER_TOKEN_BEDROCK: "k", AWS_REGION: "us-east-1" }, "amazon-bedrock/global.anthropic.claude-sonnet-5"],
    [{ AWS_BEARER_TOKEN_BEDROCK: "k" }, "offline/demo"],
    [{}, "offline/demo"],
  ])("follows the first key: %j", async (env, expected) => {
    expect(await source({ env }).defaultModel()).toBe(expected)
  })

  it("is the first model of a local server when there is no key", async () => {
    const [empty, full] = [await serving(["nomic-embed-text"]), await serving(["qwen3:8b", "llama3"])]
    const localServers = [
      { name: "gone", baseURL: "http://127.0.0.1:9/v1" },
      { name: "empty", baseURL: `${empty.url}/v1` },
      { name: "ollama", baseURL: `${full.url}/v1` },
    ]
    const models = source({ localServers })
    expect(await models.defaultModel()).toBe("ollama/qwen3:8b")
    expect((await models.resolve("ollama/qwen3:8b")).model.provider).toBe("ollama.chat")
  })

  it("is a configured server's before a local one's", async () => {
    const [own, local] = [await serving(["own-model"]), await serving(["local-model"])]
    const config = { providers: { own: { type: "openai-compatible", baseURL: `${own.url}/v1` } } } as const
    const localServers = [{ name: "ollama", baseURL: `${local.url}/v1` }]
    expect(await source({ config, localServers }).defaultModel()).toBe("own/own-model")
  })
})

describe("the list of models", () => {
  it("has the models of providers with a key, with context window and prices, and marks the default", async () => {
    const listed = await source({ env: { ANTHROPIC_API_KEY: "k" } }).list()
    expect([...new Set(listed.map((model) => model.provider))]).toEqual(["anthropic", "offline"])
    expect(listed.filter((model) => model.isDefault)).toEqual([
      {
        provider: "anthropic",
        id: "claude-sonnet-5",
        name: "Claude Sonnet 5",
        contextWindow: 1_000_000,
        outputLimit: 128_000,
        abilities: { images: true, thinking: true, tools: true, pdf: true },
        prices: { input: 2, output: 10, cacheRead: 0.2, cacheWrite5m: 2.5, cacheWrite1h: 4 },
        isDefault: true,
      },
    ])
  })

  it("has the models of a server, without a price", async () => {
    const server = await serving(["qwen3:8b"])
    const listed = await source({ localServers: [{ name: "ollama", baseURL: `${server.url}/v1` }] }).list()
    expect(listed.map(({ provider, id, prices, isDefault }) => ({ provider, id, prices, isDefault }))).toEqual([
      { provider: "ollama", id: "qwen3:8b", prices: undefined, isDefault: true },
      { provider: "offline", id: "demo", prices: { input: 0, output: 0 }, isDefault: false },
    ])
  })

  it("has the context window that a server reports", async () => {
    const server = await serving([{ id: "qwen3", max_model_len: 40_960 }])
    const listed = await source({ localServers: [{ name: "vllm", baseURL: `${server.url}/v1` }] }).list()
    expect(listed[0]).toMatchObject({ provider: "vllm", id: "qwen3", contextWindow: 40_960 })
  })

  it("has the default even if no list contains it", async () => {
    const listed = await source({ config: { ...mockConfig, model: "mock/any" } }).list()
    expect(listed[0]).toMatchObject({ provider: "mock", id: "any", name: "any", isDefault: true })
  })

  it("has a default of an extension under its full name", async () => {
    const [first] = await source({ config: { model: "x:p:m" } }).list()
    expect(first).toMatchObject({ provider: "x:p", id: "x:p:m", isDefault: true })
  })

  it("has the offline model when there is nothing else", async () => {
    expect(await source().list()).toMatchObject([{ provider: "offline", id: "demo", isDefault: true }])
  })
})
