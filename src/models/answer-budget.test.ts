// What a delta costs between the provider's bytes and the engine, in promises: figures that do not depend on the machine.
import { createHook } from "node:async_hooks"
import { afterEach, expect, it } from "vitest"
import { formats } from "../../spec/answer-streams/compare.ts"
import { answerOf } from "../../spec/answer-streams/long-answer.ts"
import { openAnswer } from "./answer-stream.ts"
import { withOwnReader } from "./streams/own-reader.ts"
import { RequestCapture } from "./streams/request-capture.ts"

const DELTAS = 1000
/** Of the reader, the answer, the stream of the platform and this test. */
const MAX_PROMISES_ALONE = 10
const MAX_PROMISES_IN_A_BURST = 0.25
const EVENTS_IN_A_READ = 50

let promises = 0
const hook = createHook({
  init: (_id, type) => {
    if (type === "PROMISE") promises += 1
  },
})
afterEach(() => hook.disable())

it.each(Object.values(formats))("costs few promises for a delta that comes alone: $name", async (format) => {
  const events = answerOf(format.name, DELTAS)
  expect(await promisesPerDelta(format, events)).toBeLessThan(MAX_PROMISES_ALONE)
})

it.each(Object.values(formats))("costs hardly any promise for a delta in a burst: $name", async (format) => {
  const events = answerOf(format.name, DELTAS)
  const reads = Array.from({ length: Math.ceil(events.length / EVENTS_IN_A_READ) }, (_, n) =>
    events.slice(n * EVENTS_IN_A_READ, (n + 1) * EVENTS_IN_A_READ).join(""),
  )
  expect(await promisesPerDelta(format, reads)).toBeLessThan(MAX_PROMISES_IN_A_BURST)
})

async function promisesPerDelta(format: (typeof formats)[keyof typeof formats], reads: readonly string[]) {
  const chunks = reads.map((text) => new TextEncoder().encode(text))
  const capture = new RequestCapture(async () => new Response(bodyOf(chunks)))
  const model = withOwnReader(format.makeModel(capture.fetch), capture, format.makeMapper)
  const limits = { signal: new AbortController().signal, firstByteMs: 60_000, idleMs: 60_000 }
  const start = (abortSignal: AbortSignal) => model.doStream({ prompt: [], ...format.options, abortSignal })
  const answer = await openAnswer(start, limits, (fault) => fault)
  promises = 0
  hook.enable()
  let deltas = 0
  for (let parts = await answer.nextBatch(); parts !== undefined; parts = await answer.nextBatch())
    deltas += parts.filter(({ type }) => type === "text-delta").length
  hook.disable()
  expect(deltas).toBe(DELTAS)
  return promises / DELTAS
}

function bodyOf(chunks: readonly Uint8Array[]): ReadableStream<Uint8Array> {
  let at = 0
  const pull = (controller: ReadableStreamDefaultController<Uint8Array>) => {
    const chunk = chunks[at++]
    if (chunk === undefined) controller.close()
    else controller.enqueue(chunk)
  }
  return new ReadableStream({ pull }, { highWaterMark: 0 })
}
