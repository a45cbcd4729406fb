import type { LanguageModelV4StreamPart } from "@ai-sdk/provider"
import { join } from "node:path"
import { describe, expect, it, onTestFinished } from "vitest"
import type { JsonValue } from "../../contract/values.ts"
import { testClock } from "../../testing/test-clock.ts"
import { type Clock, timing } from "../process/clock.ts"
import type { Behaviour } from "../fixtures/misbehaving.ts"
import { extensionDeps, recorded, specOf, temporaryFolder } from "../fixtures/plugins.ts"
import { hostExtension, type HostedExtension } from "../hosted-extension.ts"
import type { ProvidedModel } from "./provider-model.ts"

const models = [
  { id: "plain", display_name: "Plain" },
  { id: "streaming", capabilities: { streaming: true, tool_use: true }, context_window: 9000 },
]
const providers = [{ id: "p", display_name: "P", description: "answers", models }]
const greeting = { protocol_version: 1, capabilities: { providers } }
const soon = { timeout: 20_000, interval: 10 }
const bash = { type: "function", name: "bash", description: "runs", inputSchema: { type: "object" } } as const
const whole = { content: [{ type: "text", text: "hello world" }], stop_reason: "end_turn" }
const hello = { type: "text", delta: "hello " }

async function bringing(behaviour: Behaviour, clock?: Clock) {
  const record = join(temporaryFolder(), "record")
  const spec = specOf({ greeting, record, ...behaviour }, { permissions: ["providers.register"], hooks: [] })
  const deps = extensionDeps(clock === undefined ? {} : { clock })
  const hosted = hostExtension(spec, false, deps, new AbortController())
  onTestFinished(() => hosted.stop())
  expect(await hosted.started).toMatchObject({ kind: "started" })
  return { hosted, record, printed: deps.printed }
}

function modelOf({ models: all }: HostedExtension, id: string): ProvidedModel {
  const found = all.find((model) => model.id === id)
  if (found === undefined) throw new Error(`no model ${id}`)
  return found
}

interface Wish {
  readonly model?: "plain" | "streaming"
  readonly withTools?: boolean
  readonly signal?: AbortSignal
}

/** Asks a model and gives its parts as they come. */
async function ask(hosted: HostedExtension, { model = "plain", withTools = false, signal }: Wish = {}) {
  const { stream } = await modelOf(hosted, model).language.doStream({
    prompt: [{ role: "user", content: [{ type: "text", text: "hi" }] }],
    ...(withTools ? { tools: [bash] } : {}),
    ...(signal === undefined ? {} : { abortSignal: signal }),
  })
  return stream
}

async function heard(stream: ReadableStream<LanguageModelV4StreamPart>): Promise<readonly string[]> {
  const deltas: string[] = []
  for await (const part of stream) if (part.type === "text-delta") deltas.push(part.delta)
  return deltas
}

const methods = (record: string) => recorded(record).map(({ method }) => method)

describe("a model of an extension", () => {
  it("is listed with its name and context window", async () => {
    const { hosted } = await bringing({})
    expect(hosted.status.models).toEqual([
      { name: "subject:p:plain", displayName: "Plain", contextWindow: null },
      { name: "subject:p:streaming", displayName: "streaming", contextWindow: 9000 },
    ])
  })

  it("is called with provider.complete if it does not stream", async () => {
    const { hosted, record } = await bringing({ answer: whole })
    expect(await heard(await ask(hosted))).toEqual(["hello world"])
    const params = { provider_id: "p", model_id: "plain", model: "subject:p:plain", messages: [{ content: "hi" }] }
    expect(recorded(record).at(-1)).toMatchObject({ method: "provider.complete", params })
  })

  it("is called with provider.stream if it streams", async () => {
    const streams = [hello, { event: { type: "text", text: "world" } }, { type: "done" }]
    const { hosted, record } = await bringing({ streams, answer: { content: [] } })
    expect(await heard(await ask(hosted, { model: "streaming" }))).toEqual(["hello ", "world"])
    expect(methods(record)).toEqual(["initialize", "provider.stream"])
  })

  it("is not streamed when the call has tools", async () => {
    const { hosted, record } = await bringing({ answer: whole })
    expect(await heard(await ask(hosted, { model: "streaming", withTools: true }))).toEqual(["hello world"])
    expect(methods(record)).toEqual(["initialize", "provider.complete"])
  })

  it("gets no tools without the capability tool_use", async () => {
    const { hosted, record } = await bringing({ answer: whole })
    await heard(await ask(hosted, { withTools: true }))
    expect(recorded(record).at(-1)).toMatchObject({ params: { tools: [] } })
  })

  it("streams its text while it arrives", async () => {
    const { hosted } = await bringing({ manner: "at a signal", streams: [hello], answer: whole })
    const reader = (await ask(hosted, { model: "streaming" })).getReader()
    const types: string[] = []
    for (let at = 0; at < 4; at++) types.push((await reader.read()).value?.type ?? "end")
    expect(types).toEqual(["stream-start", "ping", "text-start", "text-delta"])
    process.kill(hosted.status.pid ?? 0, "SIGUSR2")
    expect((await reader.read()).value).toMatchObject({ type: "text-delta", delta: "world" })
  })

  it("uses the usage of the stream when the result has none", async () => {
    const usage = { type: "usage", input_tokens: 4, output_tokens: 2 }
    const { hosted } = await bringing({ streams: [hello, usage], answer: whole })
    const parts = await Array.fromAsync(await ask(hosted, { model: "streaming" }))
    expect(parts.at(-1)).toMatchObject({ usage: { inputTokens: { total: 4 }, outputTokens: { total: 2 } } })
  })

  it("can generate without a stream", async () => {
    const { hosted } = await bringing({ answer: whole })
    const prompt = [{ role: "user" as const, content: [{ type: "text" as const, text: "hi" }] }]
    expect(await modelOf(hosted, "streaming").language.doGenerate({ prompt })).toMatchObject({
      content: [{ type: "text", text: "hello world" }],
      finishReason: { unified: "stop" },
    })
  })

  it("ignores invalid events and tool calls in its stream", async () => {
    const nonsense = [{ type: "dance" }, 5, { type: "text" }, { type: "tool_use", id: "1", name: "bash" }]
    const { hosted, printed } = await bringing({ streams: [...nonsense, hello], answer: whole })
    const parts = await Array.fromAsync(await ask(hosted, { model: "streaming" }))
    expect(parts.map(({ type }) => type)).not.toContain("tool-call")
    expect(printed).toHaveLength(nonsense.length)
  })
})

describe("a model of an extension that fails", () => {
  const cases: [string, Wish["model"], Behaviour, string][] = [
    ["an error", "plain", { manner: "error" }, "answered provider.complete with an error: no idea"],
    ["a crash", "plain", { manner: "exit always" }, "failed during provider.complete: it ended with exit code 1"],
    ["garbage", "plain", { manner: "garbage" }, "failed during provider.complete: a message is not JSON"],
    ["no content", "plain", { answer: {} }, "answered provider.complete with an invalid result: must have required"],
    [
      "words instead of blocks",
      "plain",
      { answer: { content: "hi" } },
      "with an invalid result: content must be array",
    ],
    ["half a block", "plain", { answer: { content: [{ type: "text" }] } }, 'a block of the type "text" is incomplete'],
    ["nothing", "plain", { answer: { content: [] } }, "answered provider.complete with an empty result"],
    [
      "an error after words",
      "streaming",
      { streams: [hello], manner: "error" },
      "provider.stream with an error: no idea",
    ],
    ["a crash after words", "streaming", { streams: [hello], manner: "exit always" }, "failed during provider.stream"],
    ["garbage after words", "streaming", { streams: [hello], manner: "garbage" }, "failed during provider.stream"],
    [
      "an error event",
      "streaming",
      { streams: [hello, { type: "error", message: "too hot" }] },
      "aborted its answer: too hot",
    ],
    [
      "a stream without a word",
      "streaming",
      { streams: [{ type: "done" }], answer: { content: [] } },
      "with an empty result",
    ],
    [
      "a flood",
      "streaming",
      { streams: [{ type: "text", delta: "x".repeat(100_000) }], streamTimes: 50 },
      "sent an answer without end",
    ],
  ]
  it.for(cases)("with %s ends the answer with an error that says so", async ([, model, behaviour, sentence]) => {
    const { hosted, record } = await bringing(behaviour)
    const wish = model === undefined ? {} : { model }
    await expect(heard(await ask(hosted, wish))).rejects.toThrow(new RegExp(`^extension subject .*${sentence}`))
    expect(methods(record)).toHaveLength(2) // it was asked once
  })

  it("works the next time", async () => {
    const marker = join(temporaryFolder(), "marker")
    const { hosted } = await bringing({ manner: "exit once", marker, answer: whole })
    await expect(heard(await ask(hosted))).rejects.toThrow("failed during provider.complete")
    expect(await heard(await ask(hosted))).toEqual(["hello world"])
    expect(hosted.status.restarts).toBe(1)
  })

  it.for<[string, Wish["model"], readonly JsonValue[], string]>([
    ["that hangs", "plain", [], "did not answer provider.complete within 60 s"],
    ["that falls silent", "streaming", [hello], "stopped sending during provider.stream for 60 s"],
    [
      "that is done without a result",
      "streaming",
      [{ type: "done" }, hello],
      "reported the end of its stream, but sent no result",
    ],
  ])("%s is aborted", async ([, model = "plain", streams, sentence]) => {
    const clock = testClock()
    const { hosted, record } = await bringing({ manner: "hang", streams }, clock)
    const reader = (await ask(hosted, { model })).getReader()
    await expect.poll(() => methods(record).length, soon).toBe(2)
    for (let part = ""; part !== (streams.length === 0 ? "ping" : "text-delta");)
      part = (await reader.read()).value?.type ?? "end"
    await Promise.all([
      expect(reader.read()).rejects.toThrow(`extension subject ${sentence}`),
      clock.advance(timing.providerMs),
    ])
  })
})

describe("a call of an extension's model that is cancelled", () => {
  it("ends at once, and its late answer is dropped", async () => {
    const { hosted, record } = await bringing({ manner: "at a signal", answer: whole })
    const stopper = new AbortController()
    const called = heard(await ask(hosted, { signal: stopper.signal }))
    await expect.poll(() => methods(record).length, soon).toBe(2)
    stopper.abort(new Error("enough"))
    await expect(called).rejects.toThrow("enough")
    const second = heard(await ask(hosted))
    await expect.poll(() => methods(record).length, soon).toBe(3)
    process.kill(hosted.status.pid ?? 0, "SIGUSR2") // answers both
    expect(await second).toEqual(["hello world"])
    expect(hosted.status.restarts).toBe(0)
  })

  it("ends at once even while the extension handles another", async () => {
    const { hosted, record } = await bringing({ manner: "hang" })
    const stopper = new AbortController()
    const first = heard(await ask(hosted, { signal: stopper.signal }))
    await expect.poll(() => methods(record).length, soon).toBe(2)
    const waiting = new AbortController()
    const second = heard(await ask(hosted, { signal: waiting.signal }))
    waiting.abort(new Error("enough"))
    await expect(second).rejects.toThrow("enough")
    stopper.abort(new Error("that too"))
    await expect(first).rejects.toThrow("that too")
    expect(methods(record)).toHaveLength(2)
  })

  it("leaves nothing of its stream to the next one", async () => {
    const streams = [{ type: "text", delta: "stale" }]
    const { hosted, record } = await bringing({ manner: "at a signal", streams, answer: whole })
    const reader = (await ask(hosted, { model: "streaming" })).getReader()
    for (let part = ""; part !== "text-delta";) part = (await reader.read()).value?.type ?? "end"
    await reader.cancel()
    const second = heard(await ask(hosted, { model: "streaming" }))
    await expect.poll(() => methods(record).length, soon).toBe(3)
    process.kill(hosted.status.pid ?? 0, "SIGUSR2")
    expect(await second).toEqual(["hello world"])
  })
})
