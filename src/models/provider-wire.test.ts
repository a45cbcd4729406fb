// The real provider packages against a real server on loopback: what reaches the wire, what comes back, and what
// becomes of every way in which a provider can fail.
import type { LanguageModelV4CallOptions, LanguageModelV4StreamPart } from "@ai-sdk/provider"
import { afterEach, describe, expect, it, vi } from "vitest"
import type { Reply } from "../../spec/provider-server/script.ts"
import { startProviderServer, type ProviderServer } from "../../spec/provider-server/server.ts"
import type { Config } from "../contract/config.ts"
import { ModelFault, PromptTooLong, QuotaExhausted } from "./faults.ts"
import { ModelUnavailable, type ModelChoice } from "./model-source.ts"
import { withCacheBreakpoints } from "./prompt-cache.ts"
import { createModelSource } from "./registry.ts"
import { streamWithRetries, type RetryOptions } from "./retry.ts"
import { usageOf, type FinishPart } from "./usage.ts"

type Settings = NonNullable<Config["providers"]>[string]
interface Format {
  readonly name: string
  readonly settings: Omit<Settings, "baseURL">
  readonly model: string
  readonly base?: string
}

const key = "k-planted-0123456789"
const chatFormats: readonly Format[] = [
  { name: "anthropic", settings: { type: "anthropic", apiKey: key }, model: "claude-sonnet-5" },
  { name: "openai", settings: { type: "openai", apiKey: key }, model: "gpt-6-sol" },
  { name: "local", settings: { type: "openai-compatible", apiKey: key }, model: "any" },
]
const [anthropic, openai, local] = chatFormats
const google: Format = {
  name: "google",
  settings: { type: "google", apiKey: key },
  model: "gemini-3.8-flash",
  base: "/v1beta",
}
const bedrock: Format = {
  name: "amazon-bedrock",
  settings: { type: "amazon-bedrock", apiKey: key, region: "us-east-1" },
  model: "global.anthropic.claude-sonnet-5",
  base: "",
}
const allFormats = [...chatFormats, google, bedrock]

let server: ProviderServer
afterEach(async () => {
  vi.unstubAllEnvs()
  vi.useRealTimers()
  await server.close()
})

async function connect(format: Format | undefined, ...replies: Reply[]): Promise<ModelChoice> {
  if (format === undefined) throw new Error("no such format")
  server = await startProviderServer({ replies })
  const baseURL = `${server.url}${format.base ?? "/v1"}`
  const config = { providers: { [format.name]: { ...format.settings, baseURL } } }
  return createModelSource({ config, env: {} }).resolve(`${format.name}/${format.model}`)
}

const question: LanguageModelV4CallOptions = {
  prompt: [
    { role: "system", content: "Be brief." },
    { role: "user", content: [{ type: "text", text: "What is in the folder?" }] },
  ],
  tools: [
    { type: "function", name: "read", description: "Reads.", inputSchema: { type: "object" } },
    { type: "function", name: "ls", description: "Lists.", inputSchema: { type: "object" } },
  ],
  maxOutputTokens: 1000,
}

interface Heard {
  readonly parts: LanguageModelV4StreamPart[]
  readonly fault: unknown
  readonly slept: number[]
}

/** Everything that was heard, also of an answer that failed in the middle. */
async function ask(choice: ModelChoice, options: Partial<RetryOptions> = {}): Promise<Heard> {
  const parts: LanguageModelV4StreamPart[] = []
  const slept: number[] = []
  const signal = new AbortController().signal
  const settings = { signal, random: () => 1, sleep: async (ms: number) => slept.push(ms), ...options }
  try {
    const start = (abortSignal: AbortSignal) => choice.model.doStream({ ...question, abortSignal })
    for await (const part of await streamWithRetries(start, settings)) parts.push(part)
    return { parts, fault: undefined, slept }
  } catch (fault) {
    return { parts, fault, slept }
  }
}

function textOf({ parts }: Heard): string {
  return parts.map((part) => (part.type === "text-delta" ? part.delta : "")).join("")
}

function callsOf({ parts }: Heard) {
  return parts.flatMap((part) => (part.type === "tool-call" ? [{ tool: part.toolName, input: part.input }] : []))
}

function finishOf({ parts }: Heard): FinishPart | undefined {
  return parts.find((part) => part.type === "finish")
}

const hello: Reply = { blocks: [{ text: "Hello from the other side." }] }

describe.each(allFormats)("$name", (format) => {
  it("says its text whole and ends properly", async () => {
    const heard = await ask(await connect(format, hello))
    expect(textOf(heard)).toBe("Hello from the other side.")
    expect(finishOf(heard)?.finishReason.unified).toBe("stop")
    expect(server.requests).toHaveLength(1)
  })

  it("calls two tools at once, whose input came in fragments", async () => {
    const blocks = [
      { tool: "read", id: "call_a", input: { path: "a/long/path/to/a/file.txt" } },
      { tool: "ls", id: "call_b", input: { path: "." } },
    ]
    const heard = await ask(await connect(format, { blocks }))
    expect(callsOf(heard)).toEqual([
      { tool: "read", input: '{"path":"a/long/path/to/a/file.txt"}' },
      { tool: "ls", input: '{"path":"."}' },
    ])
    expect(finishOf(heard)?.finishReason.unified).toBe("tool-calls")
  })

  it("is asked again after a failure of its server", async () => {
    const heard = await ask(await connect(format, { status: 500 }, { status: 503 }, hello))
    expect(textOf(heard)).toBe("Hello from the other side.")
    expect(heard.slept).toEqual([1000, 2000])
    expect(server.requests).toHaveLength(3)
  })

  it("is asked again as late as it wants", async () => {
    const heard = await ask(await connect(format, { status: 429, headers: { "retry-after": "3" } }, hello))
    expect(heard.slept).toEqual([3000])
    expect(textOf(heard)).toBe("Hello from the other side.")
  })

  it("can wait for a limit that lifts later", async () => {
    const limited: Reply = { status: 429, headers: { "retry-after": "7200" } }
    const heard = await ask(await connect(format, limited), { now: () => 1000 })
    expect(heard.fault).toBeInstanceOf(QuotaExhausted)
    expect(heard.fault).toMatchObject({ until: 7_201_000 })
    expect(server.requests).toHaveLength(1)
  })

  it("names the configuration key when its key is refused, and repeats nothing of it", async () => {
    const refusal: Reply = { status: 401, error: { message: `bad key ${key}` } }
    const { fault } = await ask(await connect(format, refusal))
    expect(fault).toEqual(
      new ModelUnavailable(
        `Provider ${format.name} refused the key (401): check providers.${format.name}.apiKey in the configuration.`,
      ),
    )
    expect(server.requests).toHaveLength(1)
  })

  it("names a model that it does not know", async () => {
    const { fault } = await ask(await connect(format, { status: 404 }))
    expect(fault).toBeInstanceOf(ModelUnavailable)
    expect(fault).toHaveProperty("message", expect.stringContaining(`knows no model ${format.model}`))
  })

  it("is asked again when its connection breaks before the first word", async () => {
    const heard = await ask(await connect(format, { blocks: [], end: "cut" }, hello))
    expect(textOf(heard)).toBe("Hello from the other side.")
    expect(server.requests).toHaveLength(2)
  })

  it("is not asked again when its connection breaks in the middle", async () => {
    const heard = await ask(await connect(format, { blocks: [{ text: "Half an answer" }], end: "cut" }, hello))
    expect(heard.fault).toBeInstanceOf(ModelFault)
    expect("Half an answer").toContain(textOf(heard))
    expect(server.requests).toHaveLength(1)
  })

  it("is not believed when it ends without a finish", async () => {
    const heard = await ask(await connect(format, { blocks: [{ text: "Half an answer" }], end: "eof" }, hello))
    expect(heard.fault).toBeInstanceOf(ModelFault)
    expect(textOf(heard)).toBe("Half an answer")
    expect(server.requests).toHaveLength(1)
  })

  it("is asked again when it is overloaded before the first word", async () => {
    const heard = await ask(await connect(format, { blocks: [], end: "overloaded" }, hello))
    expect(textOf(heard)).toBe("Hello from the other side.")
    expect(server.requests).toHaveLength(2)
  })

  it("is not asked again when it is overloaded in the middle", async () => {
    const heard = await ask(await connect(format, { blocks: [{ text: "Half" }], end: "overloaded" }, hello))
    expect(heard.fault).toBeInstanceOf(ModelFault)
    expect(heard.fault).toHaveProperty("message", expect.stringContaining("Overloaded"))
    expect(server.requests).toHaveLength(1)
  })

  it("may be slow to begin", async () => {
    const heard = await ask(await connect(format, { ...hello, firstByteAfterMs: 30 }))
    expect(textOf(heard)).toBe("Hello from the other side.")
  })

  it("is asked again when it does not begin at all", async () => {
    const heard = await ask(await connect(format, { hang: true }, hello), { firstByteMs: 200 })
    expect(textOf(heard)).toBe("Hello from the other side.")
    await (
      await server.arrived(1)
    ).abandoned
  })

  it("is cut off when it falls silent in the middle", async () => {
    const silent: Reply = { blocks: [{ text: "Half an answer" }], end: "hang" }
    const heard = await ask(await connect(format, silent), { idleMs: 200 })
    expect(heard.fault).toHaveProperty("message", "The model was silent for 0.2 s in the middle of its answer.")
    expect(textOf(heard)).toBe("Half an answer")
    await (
      await server.arrived(1)
    ).abandoned
  })

  it("obeys an abort at once", async () => {
    const controller = new AbortController()
    const reason = new Error("interrupted")
    const asking = ask(await connect(format, { hang: true }), { signal: controller.signal })
    const request = await server.arrived(1)
    controller.abort(reason)
    expect((await asking).fault).toBe(reason)
    await request.abandoned
  })
})

describe("malformed tool input", () => {
  it.each([...chatFormats, bedrock])("arrives as $name sent it", async (format) => {
    const heard = await ask(await connect(format, { blocks: [{ tool: "read", raw: '{"path": "a' }] }))
    expect(callsOf(heard)).toEqual([{ tool: "read", input: '{"path": "a' }])
  })
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

describe("what reaches the wire", () => {
  it("has Anthropic's cache breakpoints on the system text, the last tool and the newest messages", async () => {
    const { model } = await connect(anthropic, hello)
    const { stream } = await model.doStream(withCacheBreakpoints(model, question))
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

  it("asks a server that speaks OpenAI's format for its usage, with the key and the headers", async () => {
    const choice = await connect(
      {
        name: "gate",
        settings: { type: "openai-compatible", apiKey: key, headers: { "x-team": "blue" } },
        model: "any",
      },
      hello,
    )
    await ask(choice)
    expect(server.requests[0]).toMatchObject({
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
  ])("says how closely to look at a picture: $name", async (format, providerOptions) => {
    const { model } = await connect(format, hello)
    const url = new URL("https://pictures.example/a.png")
    const picture = { type: "file", mediaType: "image/*", data: { type: "url", url }, providerOptions } as const
    const { stream } = await model.doStream({ prompt: [{ role: "user", content: [picture] }] })
    await stream.cancel()
    const { body } = await server.arrived(1)
    expect(JSON.stringify(body)).toMatch(/pictures\.example\/a\.png"(?:\},)?,?"detail":"low"/)
  })

  it("lets OpenAI itself keep nothing", async () => {
    server = await startProviderServer({
      replies: [{ blocks: [{ thinking: "Hm.", signature: "sealed" }, { text: "Yes." }] }],
    })
    const redirected: typeof fetch = (input, init) => {
      const { pathname } = new URL(input instanceof Request ? input.url : input)
      return fetch(`${server.url}${pathname}`, init)
    }
    const source = createModelSource({ config: {}, env: { OPENAI_API_KEY: key }, fetch: redirected })
    const heard = await ask(await source.resolve("openai/gpt-6-sol"))
    expect(textOf(heard)).toBe("Yes.")
    expect(server.requests[0]).toMatchObject({
      path: "/v1/responses",
      body: { store: false, include: ["reasoning.encrypted_content"] },
    })
    expect(heard.parts.find((part) => part.type === "reasoning-end")).toMatchObject({
      providerMetadata: { openai: { reasoningEncryptedContent: "sealed" } },
    })
  })

  it("is signed for Bedrock with the keys that were given, whatever the process's environment has", async () => {
    vi.stubEnv("AWS_BEARER_TOKEN_BEDROCK", "not-this-one")
    server = await startProviderServer({ replies: [hello] })
    const config = { providers: { "amazon-bedrock": { type: "amazon-bedrock", baseURL: server.url } } } as const
    const env = { AWS_ACCESS_KEY_ID: "AKIAEXAMPLE", AWS_SECRET_ACCESS_KEY: "s", AWS_REGION: "eu-west-1" }
    const choice = await createModelSource({ config, env }).resolve("amazon-bedrock/amazon.nova-pro-v1:0")
    expect(textOf(await ask(choice))).toBe("Hello from the other side.")
    expect(server.requests[0]?.headers["authorization"]).toMatch(
      /^AWS4-HMAC-SHA256 Credential=AKIAEXAMPLE\/\d+\/eu-west-1/,
    )
    expect(server.requests[0]?.path).toBe("/model/amazon.nova-pro-v1%3A0/converse-stream")
  })
})

describe("thoughts", () => {
  it("come from Anthropic with the signature it wants back", async () => {
    const blocks = [{ thinking: "Let me see.", signature: "sealed==" }, { text: "Yes." }]
    const { parts } = await ask(await connect(anthropic, { blocks }))
    const thoughts = parts.filter((part) => part.type === "reasoning-delta")
    expect(thoughts.map((part) => part.delta).join("")).toBe("Let me see.")
    expect(thoughts.at(-1)?.providerMetadata).toEqual({ anthropic: { signature: "sealed==" } })
  })

  it("come from servers that speak OpenAI's format", async () => {
    const { parts } = await ask(await connect(local, { blocks: [{ thinking: "Let me see." }, { text: "Yes." }] }))
    const thoughts = parts.filter((part) => part.type === "reasoning-delta")
    expect(thoughts.map((part) => part.delta).join("")).toBe("Let me see.")
  })
})

describe("a request that is too long", () => {
  it.each([
    [anthropic, { type: "invalid_request_error", message: "prompt is too long: 210000 tokens > 200000 maximum" }],
    [openai, { code: "context_length_exceeded", message: "Your input exceeds the context window of this model." }],
    [local, { message: "This model's maximum context length is 4096 tokens. However, you requested 5000 tokens." }],
    [
      google,
      {
        type: "INVALID_ARGUMENT",
        message: "The input token count (1048600) exceeds the maximum number of tokens allowed (1048576).",
      },
    ],
    [bedrock, { message: "Input is too long for requested model." }],
  ])("is recognised in the words of $name and not repeated", async (format, error) => {
    const { fault, slept } = await ask(await connect(format, { status: 400, error }))
    expect(fault).toBeInstanceOf(PromptTooLong)
    expect(slept).toEqual([])
  })
})

describe("credit that is gone", () => {
  it.each([
    [anthropic, { status: 400, error: { message: "Your credit balance is too low to access the API." } }],
    [openai, { status: 429, error: { type: "insufficient_quota", code: "insufficient_quota" } }],
    [local, { status: 402, error: { message: "Payment required" } }],
  ] as const)("is a quota, not a failure: $name", async (format, reply) => {
    const { fault } = await ask(await connect(format, reply))
    expect(fault).toBeInstanceOf(QuotaExhausted)
    expect(fault).toMatchObject({ until: undefined })
    expect(server.requests).toHaveLength(1)
  })
})

it("Google's refusal of a key is understood although it comes as a bad request", async () => {
  const refusal: Reply = { status: 400, error: { message: "API key not valid.", code: "API_KEY_INVALID" } }
  const { fault } = await ask(await connect(google, refusal))
  expect(fault).toHaveProperty("message", expect.stringContaining("google refused the key (400)"))
})

it("a server that is not there is told by its address", async () => {
  const choice = await connect(local, hello)
  const { url } = server
  await server.close()
  const { fault } = await ask(choice, { attempts: 2 })
  expect(fault).toHaveProperty(
    "message",
    `Nothing answers at ${new URL(url).host} (ECONNREFUSED): is the server running?`,
  )
})
