// CPU per delta of the readers of providers' answers beside those of the provider packages: the same bytes, in this process
// and in turns, in reads of one event and of many. `bare` reads the bytes and does nothing with them.
// Run: node bench/readers.ts
import type { LanguageModelV4 } from "@ai-sdk/provider"
import { withOwnReader } from "../src/models/streams/own-reader.ts"
import { batchesOf } from "../src/models/streams/part-stream.ts"
import { RequestCapture } from "../src/models/streams/request-capture.ts"
import { formats, type Format } from "../spec/answer-streams/compare.ts"
import { answerOf } from "../spec/answer-streams/long-answer.ts"
import { median } from "./quantile.ts"

const deltas = 4000
const rounds = 15
const warmUps = 3
/** Bytes of a read in a burst, as a socket gives them. */
const burst = 16_384
const maxReaderUs = 3
type Fetch = typeof globalThis.fetch

let areAllKept = true
for (const format of Object.values(formats)) {
  const events = answerOf(format.name, deltas).map((event) => new TextEncoder().encode(event))
  await compare(`${format.name}, one event in a read`, format, events)
  await compare(`${format.name}, ${burst / 1024} KiB in a read`, format, inReads(events), maxReaderUs)
}
console.log(areAllKept ? "all bounds met" : "a bound was missed")
process.exitCode = areAllKept ? 0 : 1

/** Prints medians of rounds in turn. */
async function compare(name: string, format: Format, chunks: readonly Uint8Array[], bound?: number): Promise<void> {
  const times: Record<"bare" | "ours" | "package", number[]> = { bare: [], ours: [], package: [] }
  for (let round = -warmUps; round < rounds; round++) {
    const bare = await cpuUs(() => readBytes(chunks))
    const ours = await cpuUs(() => readBatches(ourModel(format, chunks), format))
    const packaged = await cpuUs(() => readParts(format.makeModel(answering(chunks)), format))
    if (round < 0) continue
    times.bare.push(bare)
    times.ours.push(ours)
    times.package.push(packaged)
  }
  const [bare, ours, packaged] = [median(times.bare), median(times.ours), median(times.package)].map(
    (us) => us / deltas,
  )
  if (bare === undefined || ours === undefined || packaged === undefined) throw new Error("no figures")
  const share = (packaged - bare) / (ours - bare)
  const isKept = bound === undefined || ours - bare <= bound
  areAllKept &&= isKept
  console.log(
    `${name.padEnd(58)} bare ${bare.toFixed(2)}, ours ${ours.toFixed(2)}, package ${packaged.toFixed(2)} us a delta;` +
      ` reader ${(ours - bare).toFixed(2)} us, ${share.toFixed(1)} times less than the package's` +
      (bound === undefined ? "" : `; bound ${bound} us: ${isKept ? "ok" : "missed"}`),
  )
}

async function cpuUs(work: () => Promise<void>): Promise<number> {
  const before = process.cpuUsage()
  await work()
  const { user, system } = process.cpuUsage(before)
  return user + system
}

function ourModel(format: Format, chunks: readonly Uint8Array[]): LanguageModelV4 {
  const capture = new RequestCapture(answering(chunks))
  return withOwnReader(format.makeModel(capture.fetch), capture, format.makeMapper)
}

async function readBytes(chunks: readonly Uint8Array[]): Promise<void> {
  const reader = (await answering(chunks)("http://provider.test")).body?.getReader()
  while (!(await reader?.read())?.done);
}

async function readBatches(model: LanguageModelV4, { options }: Format): Promise<void> {
  const { stream } = await model.doStream({ prompt: [], ...options })
  const batches = batchesOf(stream)
  let parts = 0
  for (let batch = await batches.next(); batch !== undefined; batch = await batches.next()) parts += batch.length
  check(parts)
}

async function readParts(model: LanguageModelV4, { options }: Format): Promise<void> {
  const { stream } = await model.doStream({ prompt: [], ...options })
  let parts = 0
  for await (const _ of stream) parts += 1
  check(parts)
}

function check(parts: number): void {
  if (parts < deltas) throw new Error(`only ${parts} parts`)
}

function answering(chunks: readonly Uint8Array[]): Fetch {
  return async () => {
    let at = 0
    const pull = (controller: ReadableStreamDefaultController<Uint8Array>) => {
      const chunk = chunks[at++]
      if (chunk === undefined) controller.close()
      else controller.enqueue(chunk)
    }
    return new Response(new ReadableStream({ pull }, { highWaterMark: 0 }))
  }
}

function inReads(events: readonly Uint8Array[]): Uint8Array[] {
  const whole = Buffer.concat(events)
  return Array.from({ length: Math.ceil(whole.length / burst) }, (_, n) => whole.subarray(n * burst, (n + 1) * burst))
}
