// What the provider packages send, and the usage and reasoning that come back, against a real server on loopback.
import { afterEach, describe, expect, it, vi } from "vitest"
import {
  anthropic,
  ask,
  bedrock,
  connect,
  finishOf,
  google,
  hello,
  key,
  local,
  openai,
  question,
  startServer,
  textOf,
} from "../../spec/provider-server/connect.ts"
import { withCachePoints } from "./prompt-cache.ts"
import { createModelSource } from "./registry.ts"
import { usageOf } from "./usage.ts"

afterEach(() => {
  vi.unstubAllEnvs()
  vi.useRealTimers()
})

describe("usage and cost", () => {
  const usage = { input: 1212, output: 30, cacheRead: 1000, cacheWrite5m: 150, cacheWrite1h: 50, reasoning: 7 }
  const unwritten = { cacheWrite5m: 0, cacheWrite1h: 0 }

  it.each([
    [anthropic, { reasoning: 0 }, 1099], // 12 × 2 + 1000 × 0.2 + 150 × 2.5 + 50 × 4 + 30 × 10
    [openai, unwritten, 924], // 212 × 2 + 1000 × 0.2 + 30 × 10
    [google, unwritten, 346.5], // 212 × 0.75 + 1000 × 0.075 + 30 × 3.75; twice as much from 2027 on
    [bedrock, { reasoning: 0 }, 1024], // as Anthropic, but without a price of its own for an hour
    [local, unwritten, undefined],
  ])("are counted as the provider reports them: $name", async (format, differs, millionths) => {
    vi.useFakeTimers({ now: Date.parse("2026-11-15T12:00:00Z"), toFake: ["Date"] })
    const choice = await connect(format, { ...hello, usage })
    const finish = finishOf(await ask(choice))
    const counted = finish === undefined ? undefined : usageOf(finish)
    expect(counted).toEqual({ ...usage, ...differs })
    const cost = counted === undefined ? undefined : choice.costUsd(counted)
    expect(cost === undefined ? undefined : Math.round(cost * 1e7) / 10).toBe(millionths)
  })
})

describe("a request", () => {
  it("has Anthropic's cache breakpoints on the system text, the last tool and the newest messages", async () => {
    const { model, server } = await connect(anthropic, hello)
    const { stream } = await model.doStream(withCachePoints(model, question))
    await stream.cancel()
    const { body, headers, path } = await server.arrived(1)
    const ephemeral = { type: "ephemeral" }
    expect(path).toBe("/v1/messages")
    expect(headers["x-api-key"]).toBe(key)
    expect(body["system"]).toEqual([{ type: "text", text: "Be brief.", cache_control: ephemeral }])
    expect(body["messages"]).toEqual([
      { role: "user", content: [{ type: "text", text: "What is in the folder?", cache_control: ephemeral }] },
    ])
    expect(body["tools"]).toMatchObject([{ name: "read" }, { name: "ls", cache_control: ephemeral }])
    expect(JSON.stringify(body).match(/cache_control/g)).toHaveLength(3)
  })

  it("has Bedrock's cache points behind the system text and the newest messages", async () => {
    const { model, server } = await connect(bedrock, hello)
    const { stream } = await model.doStream(withCachePoints(model, question))
    await stream.cancel()
    const { body } = await server.arrived(1)
    const cachePoint = { type: "default" }
    expect(body["system"]).toEqual([{ text: "Be brief." }, { cachePoint }])
    expect(body["messages"]).toEqual([{ role: "user", content: [{ text: "What is in the folder?" }, { cachePoint }] }])
    expect(JSON.stringify(body).match(/cachePoint/g)).toHaveLength(2)
  })

  it("to an OpenAI-compatible server asks for usage and has the key and the headers", async () => {
    const choice = await connect(
      {
        name: "gate",
        settings: { type: "openai-compatible", apiKey: key, headers: { "x-team": "blue" } },
        model: "any",
      },
      hello,
    )
    await ask(choice)
    expect(choice.server.requests[0]).toMatchObject({
      path: "/v1/chat/completions",
      headers: { authorization: `Bearer ${key}`, "x-team": "blue" },
      body: {
        model: "any",
        max_tokens: 1000,
        stream: true,
        stream_options: { include_usage: true },
        messages: [{ role: "system", content: "Be brief." }, { role: "user" }],
        tools: [{ function: { name: "read" } }, { function: { name: "ls" } }],
      },
    })
  })

  it.each([
    [openai, { openai: { imageDetail: "low" } }],
    [local, { openaiCompatible: { image_url: { url: "https://pictures.example/a.png", detail: "low" } } }],
  ])("sets the detail of an image: $name", async (format, providerOptions) => {
    const { model, server } = await connect(format, hello)
    const url = new URL("https://pictures.example/a.png")
    const picture = { type: "file", mediaType: "image/*", data: { type: "url", url }, providerOptions } as const
    const { stream } = await model.doStream({ prompt: [{ role: "user", content: [picture] }] })
    await stream.cancel()
    const { body } = await server.arrived(1)
    expect(JSON.stringify(body)).toMatch(/pictures\.example\/a\.png"(?:\},)?,?"detail":"low"/)
  })

  it("to OpenAI sets store: false", async () => {
    const server = await startServer({ blocks: [{ thinking: "Hm.", signature: "sealed" }, { text: "Yes." }] })
    const redirected: typeof fetch = (input, init) => {
      const { pathname } = new URL(input instanceof Request ? input.url : input)
      return fetch(`${server.url}${pathname}`, init)
    }
    const source = createModelSource({ config: {}, env: { OPENAI_API_KEY: key }, fetch: redirected })
    const heard = await ask({ ...(await source.resolve("openai/gpt-6-sol")), server })
    expect(textOf(heard)).toBe("Yes.")
    expect(heard.server.requests[0]).toMatchObject({
      path: "/v1/responses",
      body: { store: false, include: ["reasoning.encrypted_content"] },
    })
    expect(heard.parts.find((part) => part.type === "reasoning-end")).toMatchObject({
      providerMetadata: { openai: { reasoningEncryptedContent: "sealed" } },
    })
  })

  it("to OpenAI has the encrypted thoughts of earlier steps", async () => {
    const server = await startServer(hello)
    const redirected: typeof fetch = (_input, init) => fetch(`${server.url}/v1/responses`, init)
    const source = createModelSource({ config: {}, env: { OPENAI_API_KEY: key }, fetch: redirected })
    const { model } = await source.resolve("openai/gpt-6-sol")
    const sealed = { openai: { itemId: "rs_1", reasoningEncryptedContent: "sealed" } }
    const called = { type: "tool-call", toolCallId: "c1", toolName: "ls", input: {} } as const
    const output = { type: "text", value: "a.txt" } as const
    const { stream } = await model.doStream({
      ...question,
      reasoning: "high",
      prompt: [
        ...question.prompt,
        { role: "assistant", content: [{ type: "reasoning", text: "Hm.", providerOptions: sealed }, called] },
        { role: "tool", content: [{ type: "tool-result", toolCallId: "c1", toolName: "ls", output }] },
      ],
    })
    await stream.cancel()
    const { body } = await server.arrived(1)
    expect(body["reasoning"]).toEqual({ effort: "high", summary: "detailed" })
    const thoughts = {
      type: "reasoning",
      encrypted_content: "sealed",
      summary: [{ type: "summary_text", text: "Hm." }],
    }
    expect(body["input"]).toContainEqual(expect.objectContaining(thoughts))
  })

  it("to Bedrock is signed with the configured keys, independent of the process's environment", async () => {
    vi.stubEnv("AWS_BEARER_TOKEN_BEDROCK", "not-this-one")
    const server = await startServer(hello)
    const config = { providers: { "amazon-bedrock": { type: "amazon-bedrock", baseURL: server.url } } } as const
    const env = { AWS_ACCESS_KEY_ID: "AKIAEXAMPLE", AWS_SECRET_ACCESS_KEY: "s", AWS_REGION: "eu-west-1" }
    const choice = await createModelSource({ config, env }).resolve("amazon-bedrock/amazon.nova-pro-v1:0")
    expect(textOf(await ask({ ...choice, server }))).toBe("Hello from the other side.")
    expect(server.requests[0]?.headers["authorization"]).toMatch(
      /^AWS4-HMAC-SHA256 Credential=AKIAEXAMPLE\/\d+\/eu-west-1/,
    )
    expect(server.requests[0]?.path).toBe("/model/amazon.nova-pro-v1%3A0/converse-stream")
  })
})

describe("reasoning", () => {
  it("comes from Anthropic with its signature", async () => {
    const blocks = [{ thinking: "Let me see.", signature: "sealed==" }, { text: "Yes." }]
    const { parts } = await ask(await connect(anthropic, { blocks }))
    const thoughts = parts.filter((part) => part.type === "reasoning-delta")
    expect(thoughts.map((part) => part.delta).join("")).toBe("Let me see.")
    expect(thoughts.at(-1)?.providerMetadata).toEqual({ anthropic: { signature: "sealed==" } })
  })

  it("comes from OpenAI-compatible servers", async () => {
    const { parts } = await ask(await connect(local, { blocks: [{ thinking: "Let me see." }, { text: "Yes." }] }))
    const thoughts = parts.filter((part) => part.type === "reasoning-delta")
    expect(thoughts.map((part) => part.delta).join("")).toBe("Let me see.")
  })
})
