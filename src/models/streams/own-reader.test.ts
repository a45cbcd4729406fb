// What a caller sees of a model whose answers are read here, besides the parts (spec/answer-streams).
import type { LanguageModelV4StreamPart } from "@ai-sdk/provider"
import { expect, it } from "vitest"
import { formats, type Chunks } from "../../../spec/answer-streams/compare.ts"
import { data } from "../../../spec/answer-streams/events.ts"
import { answerOf } from "../../../spec/answer-streams/long-answer.ts"
import { MAX_EVENT_BYTES } from "./event-source.ts"
import { withOwnReader } from "./own-reader.ts"
import { batchesOf, PartStream } from "./part-stream.ts"
import { MAX_LENGTH as REPLAY_LENGTH, Replay } from "./replay.ts"
import { RequestCapture } from "./request-capture.ts"

const format = formats.compatibleChat
const encoder = new TextEncoder()
const events = answerOf(format.name, 6).map((event) => encoder.encode(event))

/** A model whose provider sends these chunks, and how many of them were taken. */
function modelOf(chunks: Chunks) {
  const seen = { taken: 0, cancelled: false, aborted: false }
  const capture = new RequestCapture(async (_input, init) => {
    init?.signal?.addEventListener("abort", () => (seen.aborted = true))
    const pull = (controller: ReadableStreamDefaultController<Uint8Array>) => {
      const chunk = chunks[seen.taken]
      seen.taken += 1
      if (chunk === undefined) return controller.close()
      if (typeof chunk === "function") return controller.error(chunk())
      controller.enqueue(chunk)
    }
    const cancel = () => void (seen.cancelled = true)
    return new Response(new ReadableStream<Uint8Array>({ pull, cancel }, { highWaterMark: 0 }))
  })
  return { model: withOwnReader(format.makeModel(capture.fetch), capture, format.makeMapper), seen }
}

const textOf = (parts: readonly LanguageModelV4StreamPart[] = []) =>
  parts.map((part) => (part.type === "text-delta" ? part.delta : "")).join("")

it("delivers the parts of one read together", async () => {
  const { model } = modelOf([Buffer.concat(events)])
  const batches = batchesOf((await model.doStream({ prompt: [] })).stream)
  expect((await batches.next())?.map(({ type }) => type)).toEqual(["stream-start"])
  expect(textOf(await batches.next())).toBe(" word0 word1 word2 word3 word4 word5")
  expect((await batches.next())?.map(({ type }) => type)).toEqual(["text-end", "finish"])
  expect(await batches.next()).toBeUndefined()
})

it("delivers a delta as soon as its event is complete", async () => {
  const { model, seen } = modelOf(events)
  const batches = batchesOf((await model.doStream({ prompt: [] })).stream)
  await batches.next()
  expect(textOf(await batches.next())).toBe(" word0")
  expect(seen.taken).toBe(1)
})

it("reads nothing of the answer before it is wanted", async () => {
  const { model, seen } = modelOf(events)
  const { stream } = await model.doStream({ prompt: [] })
  expect(seen.taken).toBe(0)
  const reader = stream.getReader()
  for (let n = 0; n < 4; n++) await reader.read() // the start, metadata, start of the text, first delta
  expect(seen.taken).toBe(1)
  await reader.read()
  expect(seen.taken).toBe(2)
})

it("is a stream of parts for any other consumer", async () => {
  const { model } = modelOf(events)
  const { stream } = await model.doStream({ prompt: [] })
  expect(stream).toBeInstanceOf(PartStream)
  const parts: LanguageModelV4StreamPart[] = []
  for await (const part of stream) parts.push(part)
  expect(textOf(parts)).toBe(" word0 word1 word2 word3 word4 word5")
})

it("ends at once when it is cancelled, and cancels the provider's answer", async () => {
  const never = new Promise<void>(() => {})
  let isCancelled = false
  const body = new ReadableStream<Uint8Array>({ pull: () => never, cancel: () => void (isCancelled = true) })
  const capture = new RequestCapture(async () => new Response(body))
  const model = withOwnReader(format.makeModel(capture.fetch), capture, format.makeMapper)
  const batches = batchesOf((await model.doStream({ prompt: [] })).stream)
  await batches.next()
  const next = batches.next()
  await batches.cancel(new Error("enough"))
  expect(await next).toBeUndefined()
  expect(isCancelled).toBe(true)
})

it("cancels the provider's answer when the package has taken over", async () => {
  const { model, seen } = modelOf([
    ...events.slice(0, 3),
    encoder.encode("data: {}\n\n"),
    ...answerOf(format.name, 1000).map((event) => encoder.encode(event)),
  ])
  const batches = batchesOf((await model.doStream({ prompt: [] })).stream)
  let parts: readonly LanguageModelV4StreamPart[] | undefined = []
  while (parts?.some(({ type }) => type === "error") === false) parts = await batches.next()
  await batches.cancel(new Error("enough"))
  expect(seen.cancelled).toBe(true)
  expect(await batches.next()).toBeUndefined()
})

it("passes an abort on to the request", async () => {
  const { model, seen } = modelOf(events)
  const controller = new AbortController()
  await model.doStream({ prompt: [], abortSignal: controller.signal })
  controller.abort()
  expect(seen.aborted).toBe(true)
})

it("explains a broken connection as the package does, after what has arrived", async () => {
  const broken = () => Object.assign(new TypeError("terminated"), { cause: { code: "UND_ERR_SOCKET" } })
  const { model } = modelOf([...events.slice(0, 3), broken])
  const batches = batchesOf((await model.doStream({ prompt: [] })).stream)
  let text = ""
  const readAll = async () => {
    for (let parts = await batches.next(); parts !== undefined; parts = await batches.next()) text += textOf(parts)
  }
  await expect(readAll()).rejects.toMatchObject({
    message: "Failed to process successful response",
    url: "http://provider.test/v1/chat/completions",
    statusCode: 200,
  })
  expect(text).toBe(" word0 word1 word2")
})

it("refuses an event that is too large instead of keeping it", async () => {
  const piece = new Uint8Array(MAX_EVENT_BYTES / 4).fill(120)
  const { model, seen } = modelOf([encoder.encode("data: "), piece, piece, piece, piece, piece, piece])
  const batches = batchesOf((await model.doStream({ prompt: [] })).stream)
  await batches.next()
  await expect(batches.next()).rejects.toThrow("an event of more than 32 MiB")
  expect(seen.taken).toBe(5)
})

it.each(["error", "response.failed"])("reports %s as a part if it comes after the call was answered", async (type) => {
  const { makeModel, makeMapper, options } = formats.responses
  const [start = ""] = answerOf(formats.responses.name, 1)
  const error = { code: "server_error", message: "Overloaded" }
  const failure = data({ type, sequence_number: 2, error, response: { error } })
  const outcomes = await Promise.all(
    ["package", "ours"].map(async (reader) => {
      const body = new TransformStream<Uint8Array, Uint8Array>()
      const writer = body.writable.getWriter()
      const capture = new RequestCapture(async () => new Response(body.readable))
      const model = makeModel(capture.fetch)
      const answer = (reader === "ours" ? withOwnReader(model, capture, makeMapper) : model).doStream({
        prompt: [],
        ...options,
      })
      await writer.write(encoder.encode(start))
      const { stream } = await answer
      void writer.write(encoder.encode(failure)).then(() => writer.close())
      return Array.fromAsync(stream)
    }),
  )
  expect(outcomes[1]).toEqual(outcomes[0])
  expect(outcomes[1]?.map((part) => part.type)).toContain("error")
})

it("keeps no more than its bound of the events so far", () => {
  const replay = new Replay()
  replay.store("x".repeat(REPLAY_LENGTH), 1)
  expect(replay.events()).toHaveLength(1)
  replay.append("input 0", "y", (text) => text)
  expect(replay.events()).toBeUndefined()
  replay.store("z", 1)
  expect(replay.events()).toBeUndefined()
})

// Before its first part the package does not answer the call, and it must not wait for us either.
it.for([
  [
    "responses",
    { type: "response.function_call_arguments.done", item_id: "fc_1", output_index: 0, arguments: "{}" },
    { type: "response.output_item.done", output_index: 0, item: { type: "new_kind", id: "x" } },
  ],
  ["anthropic", { type: "content_block_stop", index: 0 }, { type: "new_kind" }],
] as const)(
  "ends when the package takes over after a first event without a part: %s",
  async ([name, first, unknown]) => {
    const chunks = [first, unknown].map((event) => encoder.encode(data(event)))
    const capture = new RequestCapture(async () => new Response(ReadableStream.from(chunks)))
    const { makeModel, makeMapper, options } = formats[name]
    const model = withOwnReader(makeModel(capture.fetch), capture, makeMapper)
    const read = async () => Array.fromAsync((await model.doStream({ prompt: [], ...options })).stream)
    expect(
      await read().then(
        () => "parts",
        () => "fault",
      ),
    ).toBe(name === "responses" ? "parts" : "fault")
  },
)
