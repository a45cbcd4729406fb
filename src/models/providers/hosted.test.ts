import { describe, expect, it } from "vitest"
import { ask, connect, hello, key, question, startServer } from "../../../spec/provider-server/connect.ts"
import { loadKnownModels } from "../model-facts.ts"
import { createModelSource } from "../registry.ts"
import { hostedAt, hostedProviders } from "./hosted.ts"
import { bodyChange } from "./quirks.ts"
import { findProvider } from "./settings.ts"

const none = { configured: {}, localServers: [] }
const entries = Object.entries(hostedProviders)

function source(env: Record<string, string>, config: Parameters<typeof createModelSource>[0]["config"] = {}) {
  return createModelSource({ config, env, localServers: [] })
}

describe("a provider with OpenAI's format", () => {
  it.each(entries)("%s needs nothing but its key", (name, { keys, baseURL }) => {
    for (const variable of keys) {
      const provider = findProvider(name, { ...none, env: { [variable]: key } })
      expect(provider).toMatchObject({ baseURL, credentials: { value: key, source: variable }, problem: undefined })
    }
    expect(findProvider(name, { ...none, env: {} })?.problem).toBe(
      `Provider ${name} has no key: set ${keys[0]}, run 'turnhouse login ${name}', or set providers.${name}.apiKey in the configuration.`,
    )
    expect(hostedAt(baseURL)?.baseURL).toBe(baseURL)
  })

  it.each(
    entries.flatMap(([name, { keys, defaultModel }]) =>
      defaultModel === undefined ? [] : [{ name, keys, defaultModel }],
    ),
  )(
    "$name is the default with its own model, whose price is known, if only its key is set",
    async ({ name, keys, defaultModel }) => {
      const env = { [keys[0] ?? ""]: key }
      expect(await source(env).defaultModel()).toBe(`${name}/${defaultModel}`)
      const provider = findProvider(name, { ...none, env })
      const facts = provider && (await loadKnownModels({})).find(provider, defaultModel)
      expect(facts?.prices).toBeDefined()
    },
  )

  it("is not the default because of a token for other purposes", async () => {
    expect(await source({ GITHUB_TOKEN: key, HF_TOKEN: key }).defaultModel()).toBe("offline/demo")
  })

  it("comes after Anthropic, OpenAI and Google", async () => {
    expect(await source({ GROQ_API_KEY: key, GEMINI_API_KEY: key }).defaultModel()).toMatch(/^google\//)
  })

  it("may have another address, from a variable or the configuration, and keeps its key", () => {
    const env = { GROQ_API_KEY: key, GROQ_BASE_URL: "https://proxy.example" }
    expect(findProvider("groq", { ...none, env })).toMatchObject({
      baseURL: "https://proxy.example/v1",
      credentials: { value: key },
    })
  })

  it("without a key is named in the refusal, unless a configured gateway may have a model of that name", async () => {
    await expect(source({}).resolve("groq/any")).rejects.toThrow("set GROQ_API_KEY")
    const gate = { type: "openai-compatible", baseURL: "https://gate.example/v1" } as const
    const config = { model: "gate/large", providers: { gate } }
    expect(await source({}, config).routeOf("groq/any")).toEqual({ provider: "gate", model: "groq/any" })
    expect(await source({ GROQ_API_KEY: key }, config).routeOf("groq/any")).toEqual({ provider: "groq", model: "any" })
  })
})

describe("what servers understand", () => {
  it("is known by their address", async () => {
    const server = await startServer(hello)
    const redirected: typeof fetch = (_input, init) => fetch(`${server.url}/v1/chat/completions`, init)
    const providers = {
      fast: { type: "openai-compatible", baseURL: "https://api.groq.com/openai/v1", apiKey: key },
    } as const
    const models = createModelSource({ config: { providers }, env: {}, fetch: redirected })
    await ask({ ...(await models.resolve("fast/openai/gpt-oss-120b")), server })
    expect(server.requests[0]?.body).toMatchObject({
      max_completion_tokens: 1000,
      stream_options: { include_usage: true },
    })
    expect(server.requests[0]?.body).not.toHaveProperty("max_tokens")
  })

  it("of an unknown server is the usual", async () => {
    const choice = await connect({ name: "own", settings: { type: "openai-compatible" }, model: "any" }, hello)
    await ask(choice)
    expect(choice.server.requests[0]?.body).toMatchObject({ max_tokens: 1000 })
    expect(bodyChange(undefined)).toBeUndefined()
  })

  it.each([
    ["thinking.type", { thinking: { type: "enabled" } }, { thinking: { type: "disabled" } }],
    ["reasoning.enabled", { reasoning: { enabled: true } }, { reasoning: { enabled: false } }],
    ["enable_thinking", { enable_thinking: true }, { enable_thinking: false }],
  ] as const)("may switch thinking on and off: %s", (thinkingSwitch, on, off) => {
    const change = bodyChange({ thinkingSwitch })
    expect(change?.({ model: "m", max_tokens: 5, reasoning_effort: "high" })).toEqual({
      model: "m",
      max_tokens: 5,
      ...on,
    })
    expect(change?.({ model: "m", reasoning_effort: "none" })).toEqual({ model: "m", ...off })
    expect(change?.({ model: "m" })).toEqual({ model: "m" })
  })

  it("may be thoughts as parts of the content, which are not sent back", async () => {
    const sent: unknown[] = []
    const answering: typeof fetch = async (_input, init) => {
      sent.push(init?.body)
      const thinking = [{ type: "thinking", thinking: [{ type: "text", text: "Let me see." }] }]
      const chunks = [{ content: thinking }, { content: [{ type: "text", text: "Yes." }] }, { content: " It is." }]
      const lines = chunks.map((delta) => `data: ${JSON.stringify({ choices: [{ index: 0, delta }] })}\n\n`)
      const end = `data: ${JSON.stringify({ choices: [{ index: 0, delta: {}, finish_reason: "stop" }] })}\n\n`
      return new Response([...lines, end, "data: [DONE]\n\n"].join(""), {
        headers: { "content-type": "text/event-stream" },
      })
    }
    const env = { MISTRAL_API_KEY: key }
    const { model } = await createModelSource({ config: {}, env, fetch: answering }).resolve("mistral/magistral-medium")
    const { stream } = await model.doStream({
      prompt: [
        ...question.prompt,
        {
          role: "assistant",
          content: [
            { type: "reasoning", text: "Hm." },
            { type: "text", text: "No." },
          ],
        },
      ],
    })
    const parts = await Array.fromAsync(stream)
    const texts = (type: string) =>
      parts.map((part) => ("delta" in part && part.type === type ? part.delta : "")).join("")
    expect(texts("reasoning-delta")).toBe("Let me see.")
    expect(texts("text-delta")).toBe("Yes. It is.")
    expect(sent).toEqual([expect.stringContaining('{"role":"assistant","content":"No."}')])
  })

  it("may exclude thinking levels", async () => {
    const choice = await source({ MISTRAL_API_KEY: key }).resolve("mistral/mistral-large-latest")
    expect(choice.thinking?.("high", 1000).note).toContain("does not take one")
  })
})
