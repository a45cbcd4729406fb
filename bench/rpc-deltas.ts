// What engine and door add to a delta, in this process: the same model stream, once only read, once through a session and
// its stdio door into a pipe.
import { setImmediate } from "node:timers/promises"
import type { LanguageModelV4, LanguageModelV4StreamPart } from "@ai-sdk/provider"
import { RpcDoor } from "../src/doors/rpc/door.ts"
import type { ModelSource } from "../src/models/model-source.ts"
import { newSession, testHost } from "../src/testing/test-host.ts"
import { portOf } from "../src/testing/doors/served-host.ts"

const deltas = 50_000
/** Parts that come with one read of a socket. */
const perRead = 20
const rounds = 5
const firstDeltas = 100

export interface DeltaCosts {
  readonly readerUs: number
  readonly addedUs: number
  readonly firstDeltaMs: number
}

export async function deltaCosts(): Promise<DeltaCosts> {
  const parent = await openParent()
  const reader: number[] = []
  const whole: number[] = []
  for (let n = 0; n < rounds; n++) {
    reader.push(await cpuUs(() => readAlone(deltas)))
    whole.push(await cpuUs(() => parent.turn(deltas)))
  }
  const readerUs = least(reader) / deltas
  const addedUs = least(whole) / deltas - readerUs
  const delays: number[] = []
  for (let n = 0; n < firstDeltas; n++) {
    await parent.turn(3)
    delays.push(parent.firstDeltaMs())
  }
  await parent.close()
  return { readerUs, addedUs, firstDeltaMs: delays.toSorted((a, b) => a - b)[firstDeltas / 2] ?? NaN }
}

async function openParent() {
  let count = 0
  let firstSaid = 0
  let firstHeard = 0
  let closed: (() => void) | undefined
  const model = streaming(
    () => count,
    () => (firstSaid = performance.now()),
  )
  const models: ModelSource = {
    resolve: async (name) => ({
      name,
      model,
      contextWindow: 1e9,
      maxOutput: 1e9,
      takesPrefill: true,
      costUsd: () => 0,
    }),
  }
  const { host } = await testHost(models)
  const port = portOf(host)
  const by = { principal: "bench", door: "rpc" }
  const opened = await port.open((await newSession(host)).id, by)
  if (opened.kind === "refused") throw new Error(opened.refusal.code)
  const door = await RpcDoor.open(opened.handle, {
    port,
    by,
    request: { cwd: "/", origin: "bench" },
    extended: false,
    errorWindowMs: 55_000,
    pipe: {
      write: (text) => {
        if (firstHeard === 0 && text.includes("text_delta")) firstHeard = performance.now()
        if (text.includes('"command":"prompt"')) closed?.()
        return true
      },
    },
    listen: () => {},
    newId: () => Math.random().toString(36).slice(2),
    now: Date.now,
    onReplaced: (sessionId) => host.closeSession(sessionId),
    onShutdown: () => {},
    onLost: () => {},
    onFault: (fault) => console.error(fault),
  })
  return {
    turn: async (wanted: number) => {
      count = wanted
      firstHeard = 0
      const done = new Promise<void>((resolve) => (closed = resolve))
      door.receive({ kind: "line", text: '{"type":"prompt","id":"p","message":"go"}' })
      await done
      door.receive({ kind: "line", text: '{"type":"new_session","id":"n"}' }) // the next turn has no history to send
      await door.idle()
    },
    firstDeltaMs: () => firstHeard - firstSaid,
    close: () => host.close(),
  }
}

export async function readAlone(count: number): Promise<void> {
  const { stream } = await streaming(
    () => count,
    () => {},
  ).doStream({ prompt: [] })
  let read = 0
  for await (const _ of stream) read += 1
  if (read !== count + 4) throw new Error("parts are missing")
}

export function streaming(count: () => number, onFirst: () => void): LanguageModelV4 {
  return {
    specificationVersion: "v4",
    provider: "bench",
    modelId: "bench",
    supportedUrls: {},
    doGenerate: () => Promise.reject(new Error("not here")),
    doStream: async () => ({ stream: ReadableStream.from(parts(count(), onFirst)) }),
  }
}

async function* parts(count: number, onFirst: () => void): AsyncGenerator<LanguageModelV4StreamPart> {
  yield { type: "stream-start", warnings: [] }
  yield { type: "text-start", id: "0" }
  onFirst()
  for (let n = 0; n < count; n++) {
    if (n % perRead === perRead - 1) await setImmediate()
    yield { type: "text-delta", id: "0", delta: "word " }
  }
  yield { type: "text-end", id: "0" }
  yield {
    type: "finish",
    finishReason: { unified: "stop", raw: "stop" },
    usage: {
      inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
      outputTokens: { total: count, text: count, reasoning: 0 },
    },
  }
}

export async function cpuUs(work: () => Promise<void>): Promise<number> {
  const before = process.cpuUsage()
  await work()
  const { user, system } = process.cpuUsage(before)
  return user + system
}

/** The run with the least interference. */
export function least(values: readonly number[]): number {
  return Math.min(...values)
}
