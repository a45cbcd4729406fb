import type { LanguageModelV4StreamPart } from "@ai-sdk/provider"
import { setImmediate } from "node:timers/promises"
import { describe, expect, it } from "vitest"
import { answerOf, gate, scriptedModel, user } from "../../testing/index.ts"
import { offlineModel } from "./offline-model.ts"
import type { Part } from "./part.ts"
import { fragments, splitWords } from "./play.ts"

const prompt = [user("hi")]

function types(parts: readonly LanguageModelV4StreamPart[]): readonly string[] {
  return parts.map((part) => part.type)
}

function deltas(parts: readonly LanguageModelV4StreamPart[]): readonly string[] {
  return parts.flatMap((part) => ("delta" in part ? [part.delta] : []))
}

async function said(...parts: readonly Part[]) {
  return answerOf(scriptedModel([parts]), { prompt })
}

describe("the stream of a call", () => {
  it("has the parts of a provider's stream in order", async () => {
    const { parts } = await said({ reasoning: "I think." }, { text: "Two words" }, { call: { tool: "ls", input: {} } })
    expect(types(parts)).toEqual([
      "stream-start",
      "response-metadata",
      "reasoning-start",
      "reasoning-delta",
      "reasoning-delta",
      "reasoning-end",
      "text-start",
      "text-delta",
      "text-delta",
      "text-end",
      "tool-input-start",
      "tool-input-delta",
      "tool-input-end",
      "tool-call",
      "finish",
    ])
  })

  it("sends text word by word without changing it", async () => {
    const text = "  One two,\n\nthree.  \n"
    const { parts } = await said({ text })
    expect(deltas(parts)).toEqual(["  One", " two,", "\n\nthree.  \n"])
  })

  it("sends chunks exactly as they are given", async () => {
    expect(deltas((await said({ chunks: ["a b", "", "c"] })).parts)).toEqual(["a b", "", "c"])
  })

  it("sends tool input in several fragments", async () => {
    const input = { path: "a/rather/long/path.txt" }
    const { parts, calls, finish } = await said({ call: { tool: "read", input } })
    expect(deltas(parts).length).toBeGreaterThan(2)
    expect(deltas(parts).join("")).toBe(JSON.stringify(input))
    expect(calls[0]?.input).toBe(JSON.stringify(input))
    expect(finish).toBe("tool-calls")
  })

  it("gives every call a new id, or the id from the script", async () => {
    const call = { tool: "ls", input: {} }
    const { calls } = await said({ call }, { call }, { call: { ...call, id: "mine" } })
    expect(new Set(calls.map((made) => made.toolCallId)).size).toBe(3)
    expect(calls[2]?.toolCallId).toBe("mine")
  })

  it("passes on input that is not JSON", async () => {
    expect((await said({ call: { tool: "ls", inputText: '{"path": ' } })).calls[0]?.input).toBe('{"path": ')
  })

  it("joins consecutive texts with a pause between them into one block", async () => {
    const { parts } = await said({ text: "One" }, { delayMs: 1 }, { text: " two" })
    expect(types(parts).filter((type) => type === "text-start")).toHaveLength(1)
  })

  it("finishes with the reason from the script", async () => {
    expect((await said({ text: "One" }, { finish: "length" })).finish).toBe("length")
    expect((await said({ text: "One" })).finish).toBe("stop")
  })

  it("estimates usage that the script does not set", async () => {
    const { usage } = await said({ reasoning: "12345678" }, { text: "1234" })
    expect(usage?.outputTokens).toEqual({ total: 3, text: 1, reasoning: 2 })
    expect(usage?.inputTokens).toEqual({ total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 })
  })

  it("reports the usage that the script sets", async () => {
    const { usage } = await said(
      { text: "x" },
      { usage: { input: 100, output: 9, cacheRead: 60, cacheWrite: 30, reasoning: 4 } },
    )
    expect(usage?.inputTokens).toEqual({ total: 100, noCache: 10, cacheRead: 60, cacheWrite: 30 })
    expect(usage?.outputTokens).toEqual({ total: 9, text: 5, reasoning: 4 })
  })

  it("counts tools, results and files as input", async () => {
    const model = scriptedModel([[{ text: "x" }]])
    const file = { type: "file", mediaType: "image/png", data: { type: "data", data: "AAAA" } } as const
    const tools = [{ type: "function", name: "ls", inputSchema: { type: "object" } } as const]
    const small = await answerOf(model, { prompt })
    const large = await answerOf(model, { prompt: [{ role: "user", content: [file] }], tools })
    expect(large.usage?.inputTokens.total).toBeGreaterThan((small.usage?.inputTokens.total ?? 0) + 250)
  })

  it("stops at maxOutputTokens", async () => {
    const answer = await answerOf(scriptedModel([[{ text: "word ".repeat(100) }]]), { prompt, maxOutputTokens: 10 })
    expect(answer.text).toBe("word word word word word word word word")
    expect(answer.finish).toBe("length")
  })

  it("can be read as one result", async () => {
    const model = scriptedModel([
      [{ reasoning: "I think." }, { text: "Two words" }, { call: { tool: "ls", input: {}, id: "c" } }],
    ])
    const { content, finishReason } = await model.doGenerate({ prompt })
    expect(content).toEqual([
      { type: "reasoning", text: "I think." },
      { type: "text", text: "Two words" },
      { type: "tool-call", toolCallId: "c", toolName: "ls", input: "{}" },
    ])
    expect(finishReason.unified).toBe("tool-calls")
  })
})

describe("an error", () => {
  const error = { message: "slow down", status: 429, retryAfter: 3 }

  it("before any output fails the call, as a provider's error", async () => {
    const call = scriptedModel([[{ delayMs: 1 }, { error }]]).doStream({ prompt })
    await expect(call).rejects.toMatchObject({
      name: "AI_APICallError",
      message: "slow down",
      statusCode: 429,
      isRetryable: true,
      responseHeaders: { "retry-after": "3" },
    })
  })

  it.each([
    [undefined, true],
    [400, false],
    [401, false],
    [503, true],
  ])("with status %s is retryable: %s", async (status, isRetryable) => {
    const call = scriptedModel([[{ error: { message: "no", status } }]]).doStream({ prompt })
    await expect(call).rejects.toMatchObject({ isRetryable })
  })

  it("after output breaks the stream in the middle of its block", async () => {
    const { stream } = await scriptedModel([[{ text: "Half" }, { error }]]).doStream({ prompt })
    const seen: string[] = []
    const reading = async () => {
      for await (const part of stream) seen.push(part.type)
    }
    await expect(reading()).rejects.toMatchObject({ statusCode: 429 })
    expect(seen).toEqual(["stream-start", "response-metadata", "text-start", "text-delta"])
  })

  it("inside the stream is a part, and the stream continues", async () => {
    const { parts, finish } = await said({ text: "Half" }, { error: { ...error, inStream: true } }, { finish: "error" })
    expect(types(parts)).toContain("error")
    expect(finish).toBe("error")
    const model = scriptedModel([[{ error: { ...error, inStream: true } }]])
    await expect(model.doGenerate({ prompt })).rejects.toMatchObject({ statusCode: 429 })
  })
})

describe("a stream that is cut", () => {
  it("ends without closing its block and without a finish", async () => {
    const { parts } = await said({ text: "Half" }, { cut: true }, { text: " and more" })
    expect(types(parts)).toEqual(["stream-start", "response-metadata", "text-start", "text-delta"])
  })

  it("is no complete answer", async () => {
    await expect(scriptedModel([[{ cut: true }]]).doGenerate({ prompt })).rejects.toThrow("without a finish")
  })
})

describe("an abort", () => {
  it("stops the stream between two words", async () => {
    const abort = new AbortController()
    const model = offlineModel("offline/demo", { delayMs: 3_600_000 })
    const { stream } = await model.doStream({ prompt, abortSignal: abort.signal })
    const reader = stream.getReader()
    while ((await reader.read()).value?.type !== "text-start");
    const word = reader.read()
    abort.abort()
    await expect(word).rejects.toMatchObject({ name: "AbortError" })
  })

  it("is seen at the next read when no read was pending", async () => {
    const abort = new AbortController()
    const { stream } = await scriptedModel([[{ text: "One two three" }]]).doStream({
      prompt,
      abortSignal: abort.signal,
    })
    const reader = stream.getReader()
    await reader.read()
    abort.abort()
    await expect(reader.read()).rejects.toMatchObject({ name: "AbortError" })
  })

  it("stops a long text that is read without a pause", async () => {
    const abort = new AbortController()
    const { stream } = await scriptedModel([[{ text: "word ".repeat(100_000) }]]).doStream({
      prompt,
      abortSignal: abort.signal,
    })
    setTimeout(() => abort.abort(), 1)
    await expect(Array.fromAsync(stream)).rejects.toMatchObject({ name: "AbortError" })
  })

  it("ends a hang, before and after the first output", async () => {
    const abort = new AbortController()
    const options = { prompt, abortSignal: abort.signal }
    const silent = scriptedModel([[{ hang: true }]]).doStream(options)
    const { stream } = await scriptedModel([[{ text: "One" }, { hang: true }]]).doStream(options)
    const begun = Array.fromAsync(stream)
    abort.abort()
    await expect(silent).rejects.toMatchObject({ name: "AbortError" })
    await expect(begun).rejects.toMatchObject({ name: "AbortError" })
  })

  it("ends the wait for a file", async () => {
    const abort = new AbortController()
    const model = scriptedModel([[{ text: "One" }, { untilFile: "/nowhere/at/all" }]])
    const { stream } = await model.doStream({ prompt, abortSignal: abort.signal })
    const begun = Array.fromAsync(stream)
    abort.abort()
    await expect(begun).rejects.toMatchObject({ name: "AbortError" })
  })

  it("keeps its reason when that is an error", async () => {
    const reason = new Error("the turn was interrupted")
    const abort = new AbortController()
    const before = gate()
    const model = scriptedModel([[{ text: "One" }, { gate: before }, { delayMs: 3_600_000 }]])
    const begun = Array.fromAsync((await model.doStream({ prompt, abortSignal: abort.signal })).stream)
    await before.arrived
    before.open()
    await setImmediate() // it waits in its delay now
    abort.abort(reason)
    await expect(begun).rejects.toBe(reason)
    const call = scriptedModel([[{ text: "One" }]]).doStream({ prompt, abortSignal: AbortSignal.abort(reason) })
    await expect(call).rejects.toBe(reason)
    const plain = scriptedModel([[{ text: "One" }]]).doStream({ prompt, abortSignal: AbortSignal.abort("enough") })
    await expect(plain).rejects.toMatchObject({ name: "AbortError" })
  })

  it("by the reader ends the playback", async () => {
    const here = gate()
    let stopped: Promise<void> | undefined
    const pass = (signal?: AbortSignal) => (stopped = here.pass(signal))
    const { stream } = await scriptedModel([[{ text: "One" }, { gate: { pass } }]]).doStream({ prompt })
    const reader = stream.getReader()
    while ((await reader.read()).value?.type !== "text-delta");
    const pending = reader.read()
    await here.arrived
    await reader.cancel()
    expect(await pending).toEqual({ done: true, value: undefined })
    await expect(stopped).rejects.toMatchObject({ name: "AbortError" })
  })
})

describe("a gate", () => {
  it("holds the stream in the middle of a text until it is opened", async () => {
    const halfway = gate()
    const { stream } = await scriptedModel([[{ text: "One" }, { gate: halfway }, { text: " two" }]]).doStream({
      prompt,
    })
    let text = ""
    const reading = (async () => {
      for await (const part of stream) if (part.type === "text-delta") text += part.delta
    })()
    await halfway.arrived
    expect(text).toBe("One")
    halfway.open()
    await reading
    expect(text).toBe("One two")
  })
})

describe("text deltas", () => {
  it.each(["", " ", "one", " one ", "one two", "\n\n", "a\n b\t"])("joined are the text: %j", (text) => {
    expect(splitWords(text).join("")).toBe(text)
    expect(fragments(text).join("")).toBe(text)
  })
})
