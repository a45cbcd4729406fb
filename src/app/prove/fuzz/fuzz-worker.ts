// The process that feeds one target. It must not outlive the proof: it ends with its standard input.
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { tryParseJson } from "../../../contract/json-object.ts"
import { Coverage } from "./engine/coverage.ts"
import { FuzzRun } from "./engine/fuzz-run.ts"
import { bytesOf, readable } from "./engine/readable.ts"
import { encodeMessage, jobIn, SAMPLE_EVERY, type FuzzJob, type FuzzMessage } from "./fuzz-job.ts"
import { targets } from "./targets.ts"

const HEARTBEAT_MS = 1000
/** Messages with samples that may wait for the real processes. */
const MAX_UNANSWERED = 4

/** One promise for each message with samples that was not answered. */
const unanswered: PromiseWithResolvers<void>[] = []
let sampled = 0

// Not awaited here: the bundler would give every module that this process shares with others a file of its own.
work(jobIn(tryParseJson(process.argv[2] ?? ""))).then(
  () => process.exit(0),
  (fault: unknown) => {
    process.stderr.write(`${fault instanceof Error ? fault.stack : "unknown"}\n`)
    process.exit(1)
  },
)

async function work(job: FuzzJob): Promise<void> {
  process.stdin
    .on("end", () => process.exit(1))
    .on("data", (chunk: Buffer) => {
      for (const answered of unanswered.splice(0, chunk.length)) answered.resolve() // an answer is one byte
    })
  const run = await prepare(job)
  const fail = (fault: unknown) => run.fail(fault)
  process.on("unhandledRejection", fail).on("uncaughtException", fail)
  const heartbeat = setInterval(() => void write({ kind: "progress", figures: run.figures }), HEARTBEAT_MS)
  const found = await run.run()
  clearInterval(heartbeat)
  if (found !== undefined) await write({ kind: "found", found })
  await write({ kind: "end", figures: run.figures })
}

async function prepare({ target, seed, frames, folder, samples }: FuzzJob): Promise<FuzzRun> {
  const entry = targets.find(({ name }) => name === target)
  if (entry === undefined) throw new Error(`'${target}' is not a target`)
  const coverage = Coverage.start() // before the modules of the target are loaded
  const { openTarget } = await entry.load()
  const { cases = [], inputs = [] } = (await entry.loadCorpus?.())?.default ?? {}
  return new FuzzRun({
    open: openTarget,
    place: { folder },
    coverage,
    seed,
    frames,
    corpus: [...cases.flatMap((one) => one.inputs), ...inputs].map(bytesOf),
    // found there when the process hangs or dies
    onBatch: (batch) => writeFileSync(join(folder, "batch.json"), JSON.stringify({ inputs: batch.map(readable) })),
    onRun: samples ? sendSamples : async () => {},
  })
}

async function sendSamples(batch: readonly Uint8Array[]): Promise<void> {
  const inputs = batch.filter(() => sampled++ % SAMPLE_EVERY === 0)
  if (inputs.length === 0) return
  const oldest = unanswered.at(-MAX_UNANSWERED)
  unanswered.push(Promise.withResolvers())
  await write({ kind: "samples", inputs })
  await oldest?.promise
}

function write(message: FuzzMessage): Promise<void> {
  return new Promise((resolve) => process.stdout.write(`${encodeMessage(message)}\n`, () => resolve()))
}
