import type { LanguageModelV4StreamPart } from "@ai-sdk/provider"
import { APICallError } from "@ai-sdk/provider"
import { describe, expect, it, vi } from "vitest"
import type { StartAnswer } from "./answer-stream.ts"
import { ModelFault, ProviderFailing, QuotaExhausted } from "./faults.ts"
import { ModelUnavailable } from "./model-source.ts"
import { streamWithRetries, type Retry, type RetryOptions } from "./retry.ts"

type Part = LanguageModelV4StreamPart

const nothing = { total: undefined, noCache: undefined, cacheRead: undefined, cacheWrite: undefined }
const usage = { inputTokens: nothing, outputTokens: { total: undefined, text: undefined, reasoning: undefined } }
const finish: Part = { type: "finish", usage, finishReason: { unified: "stop", raw: "stop" } }
const begin: Part = { type: "stream-start", warnings: [] }
const word: Part = { type: "text-delta", id: "0", delta: "word" }
const whole: Part[] = [begin, { type: "text-start", id: "0" }, word, { type: "text-end", id: "0" }, finish]

/** Sends the parts, then ends, fails, or stalls. */
function stream(parts: readonly Part[], then: "end" | "silence" | Error = "end"): ReadableStream<Part> {
  const left = [...parts]
  return new ReadableStream<Part>({
    pull: (controller) => {
      const part = left.shift()
      if (part !== undefined) controller.enqueue(part)
      else if (then === "end") controller.close()
      else if (then instanceof Error) controller.error(then)
      else return new Promise(() => {})
      return undefined
    },
  })
}

function slowly(parts: readonly Part[], everyMs: number): ReadableStream<Part> {
  const left = [...parts]
  return new ReadableStream<Part>({
    pull: async (controller) => {
      await new Promise((resolve) => setTimeout(resolve, everyMs))
      const part = left.shift()
      if (part === undefined) controller.close()
      else controller.enqueue(part)
    },
  })
}

/** One entry for each attempt; an error is thrown before the stream starts. */
function attempts(...outcomes: readonly (ReadableStream<Part> | Error | "hang")[]) {
  const started: AbortSignal[] = []
  const start: StartAnswer = (signal) => {
    const outcome = outcomes[started.length] ?? new Error("one attempt too many")
    started.push(signal)
    if (outcome === "hang") return new Promise(() => {})
    return outcome instanceof Error ? Promise.reject(outcome) : Promise.resolve({ stream: outcome })
  }
  return { start, started }
}

function failed(statusCode: number, headers?: Record<string, string>): APICallError {
  const common = { message: "no", url: "https://api.example.com/", requestBodyValues: {}, statusCode }
  return new APICallError(headers === undefined ? common : { ...common, responseHeaders: headers })
}

function patient(more: Partial<RetryOptions> = {}) {
  const slept: number[] = []
  const retries: Retry[] = []
  const options: RetryOptions = {
    signal: new AbortController().signal,
    random: () => 1,
    sleep: async (ms) => slept.push(ms),
    onRetry: (retry) => retries.push(retry),
    ...more,
  }
  return { options, slept, retries }
}

async function read(start: StartAnswer, options: RetryOptions): Promise<Part[]> {
  const parts: Part[] = []
  for await (const part of await streamWithRetries(start, options)) parts.push(part)
  return parts
}

describe("a call that fails before its first content", () => {
  it("is retried with growing delays until it succeeds", async () => {
    const { start, started } = attempts(failed(500), failed(529), failed(503), stream(whole))
    const { options, slept } = patient()
    expect(await read(start, options)).toEqual(whole)
    expect(started).toHaveLength(4)
    expect(slept).toEqual([1000, 2000, 4000])
  })

  it("adds jitter to its delays", async () => {
    const { start } = attempts(failed(500), failed(500), stream(whole))
    const { options, slept } = patient({ random: () => 0 })
    await read(start, options)
    expect(slept).toEqual([500, 1000])
  })

  it("waits exactly as long as the provider asks for", async () => {
    const { start } = attempts(failed(429, { "retry-after": "7" }), stream(whole))
    const { options, slept, retries } = patient()
    await read(start, options)
    expect(slept).toEqual([7000])
    expect(retries).toEqual([
      { attempt: 1, delayMs: 7000, sentence: "api.example.com limits the request rate (429): no" },
    ])
  })

  it("fails after a bounded number of attempts", async () => {
    const { start, started } = attempts(failed(500), failed(500), failed(500))
    const { options } = patient({ attempts: 3 })
    const fault = await read(start, options).catch((error: unknown) => error)
    expect(fault).toEqual(new ProviderFailing("api.example.com is failing (500): no", { status: 500 }))
    expect(started).toHaveLength(3)
  })

  it("fails at once for a permanent error", async () => {
    const { start, started } = attempts(failed(400))
    const { options } = patient()
    await expect(read(start, options)).rejects.toThrow("api.example.com refused the request (400): no")
    expect(started).toHaveLength(1)
  })

  it("keeps the message of ModelUnavailable", async () => {
    const { start } = attempts(new ModelUnavailable("Set KEY."))
    await expect(read(start, patient().options)).rejects.toThrow(ModelUnavailable)
  })

  it("becomes QuotaExhausted when the limit ends later", async () => {
    const { start, started } = attempts(failed(429, { "retry-after": "3600" }))
    const { options } = patient({ now: () => 5_000 })
    const fault = await read(start, options).catch((error: unknown) => error)
    expect(fault).toBeInstanceOf(QuotaExhausted)
    expect(fault).toMatchObject({ until: 3_605_000 })
    expect(started).toHaveLength(1)
  })

  it("shows nothing of the attempts that failed", async () => {
    const metadata: Part = { type: "response-metadata", id: "failed" }
    const opened: Part = { type: "text-start", id: "0" }
    const broken = stream([begin, metadata, opened, { type: "error", error: { message: "Overloaded" } }])
    const { start } = attempts(broken, stream(whole))
    expect(await read(start, patient().options)).toEqual(whole)
  })

  it("is retried when the stream ends without content", async () => {
    const { start } = attempts(stream([begin]), stream(whole))
    expect(await read(start, patient().options)).toEqual(whole)
  })

  it("is retried after a timeout", async () => {
    const { start, started } = attempts("hang", stream([begin], "silence"), stream(whole))
    const { options, retries } = patient({ firstByteMs: 10 })
    expect(await read(start, options)).toEqual(whole)
    expect(started.map((signal) => signal.aborted)).toEqual([true, true, false])
    expect(retries.map((retry) => retry.sentence)).toEqual([
      "The model was silent for 0 s.",
      "The model was silent for 0 s.",
    ])
  })
})

describe("a call that has shown content", () => {
  const half = [begin, word]

  it.each([
    ["an error in the stream", stream([...half, { type: "error", error: { message: "Overloaded", statusCode: 529 } }])],
    ["a broken connection", stream(half, Object.assign(new Error("closed"), { code: "UND_ERR_SOCKET" }))],
    ["an end without a finish", stream(half)],
    [
      "an interrupted finish",
      stream([...half, { ...finish, finishReason: { unified: "interrupted", raw: undefined } }]),
    ],
    [
      "a finish that is an error",
      stream([...half, { ...finish, finishReason: { unified: "error", raw: "MALFORMED" } }]),
    ],
    ["silence", stream(half, "silence")],
  ])("is never retried, but fails: %s", async (_, broken) => {
    const { start, started } = attempts(broken, stream(whole))
    const answer = await streamWithRetries(start, patient({ idleMs: 10 }).options)
    expect((await answer.next()).value).toEqual(begin)
    expect((await answer.next()).value).toEqual(word)
    await expect(answer.next()).rejects.toThrow(ModelFault)
    expect(started).toHaveLength(1)
  })

  it("ends with its finish, also when the provider does not close", async () => {
    const { start } = attempts(stream(whole, "silence"))
    expect(await read(start, patient().options)).toEqual(whole)
  })

  it("is kept alive by pings, which are not passed on", async () => {
    const { start } = attempts(stream([begin, { type: "ping" }, word, { type: "ping" }, finish]))
    expect(await read(start, patient().options)).toEqual([begin, word, finish])
  })

  it("may take any time while parts arrive", async () => {
    vi.useFakeTimers()
    try {
      const words = [begin, word, word, word, word, finish]
      const { start } = attempts(slowly(words, 60))
      const reading = read(start, patient({ idleMs: 100 }).options)
      await vi.advanceTimersByTimeAsync(60 * words.length)
      expect(await reading).toEqual(words)
    } finally {
      vi.useRealTimers()
    }
  })

  it("is not cancelled when its reader stops at the finish", async () => {
    const { start, started } = attempts(stream(whole, "silence"))
    for await (const part of await streamWithRetries(start, patient().options)) if (part.type === "finish") break
    expect(started[0]?.aborted).toBe(false)
  })

  it("ignores parts that a provider sends after an abort", async () => {
    const controller = new AbortController()
    const { promise: later, resolve } = Promise.withResolvers<Part>()
    const deaf = new ReadableStream<Part>({
      start: async (to) => {
        to.enqueue(word)
        to.enqueue(await later)
      },
    })
    const answer = await streamWithRetries(attempts(deaf).start, patient({ signal: controller.signal }).options)
    await answer.next()
    const next = answer.next()
    resolve(word)
    controller.abort(new Error("enough"))
    await expect(next).rejects.toThrow("enough")
  })

  it("is cancelled when its reader stops reading", async () => {
    const { start, started } = attempts(stream(half, "silence"))
    const answer = await streamWithRetries(start, patient().options)
    await answer.return?.()
    expect(started[0]?.aborted).toBe(true)
  })
})

describe("an abort", () => {
  const reason = new Error("the turn was interrupted")

  it("rejects at once even if the provider ignores it", async () => {
    const controller = new AbortController()
    const { start, started } = attempts("hang")
    const reading = read(start, patient({ signal: controller.signal }).options)
    controller.abort(reason)
    await expect(reading).rejects.toBe(reason)
    expect(started[0]?.aborted).toBe(true)
  })

  it("ends a retry delay", async () => {
    const controller = new AbortController()
    const { start, started } = attempts(failed(500))
    const { options } = patient({ signal: controller.signal, sleep: () => new Promise(() => {}) })
    const reading = read(start, { ...options, onRetry: () => queueMicrotask(() => controller.abort(reason)) })
    await expect(reading).rejects.toBe(reason)
    expect(started).toHaveLength(1)
  })

  it("ends an answer in the middle", async () => {
    const controller = new AbortController()
    const { start } = attempts(stream([begin, word], "silence"))
    const answer = await streamWithRetries(start, patient({ signal: controller.signal }).options)
    await answer.next()
    await answer.next()
    const next = answer.next()
    controller.abort(reason)
    await expect(next).rejects.toBe(reason)
  })

  it("before the call rejects without waiting for an answer", async () => {
    const { start } = attempts(stream(whole))
    await expect(read(start, patient({ signal: AbortSignal.abort(reason) }).options)).rejects.toBe(reason)
  })
})

it("keeps the cause of an internal error, but no request", async () => {
  const mistake = new TypeError("x is not a function")
  const faultOf = async (error: Error): Promise<unknown> => {
    return read(attempts(error).start, patient().options).catch((fault: unknown) => fault)
  }
  expect(await faultOf(mistake)).toMatchObject({ cause: mistake })
  expect(await faultOf(failed(400))).not.toHaveProperty("cause")
})
