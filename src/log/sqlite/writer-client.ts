// The near end of all writing. Requests of one tick go together; a writer thread commits them, so that the event loop
// does not wait for a disk. The thread takes a while to start: until it is ready, and in programs too short to want
// one, batches are committed here, in place. The two never write at the same time.
//
// If the thread dies, whoever waits for it is refused, and the next write starts a new one; only if it never got ready
// writing stays in place. A thread keeps the process alive only while somebody waits for an answer.
import { getCompileCacheDir } from "node:module"
import { Worker } from "node:worker_threads"
import { refused } from "../outcome.ts"
import { messageOf } from "./faults.ts"
import type { WriteAnswer, WriteRequest } from "./write-request.ts"
import type { Writer } from "./writer.ts"

export interface WriterThreadData {
  readonly path: string
}

export interface WriterBatch {
  readonly requests: readonly WriteRequest[]
  /** An earlier commit failed or was cut off: see Writer. */
  readonly isInDoubt: boolean
  /** Nothing comes after it: the thread closes the database and ends. */
  readonly last: boolean
}

export type WriterReport = "ready" | readonly WriteAnswer[]

interface Waiting {
  readonly request: WriteRequest
  readonly wantsThread: boolean
  readonly answer: (answer: WriteAnswer) => void
  readonly fail: (fault: unknown) => void
}

/** Far more than one write per open session; past it a write is refused, for the disk does not keep up at all. */
const waitingLimit = 50_000

export function startWriterThread(path: string): Worker {
  const workerData: WriterThreadData = { path }
  // A compile cache that was switched on by code is not handed down to threads by itself.
  const cache = getCompileCacheDir()
  const env = cache === undefined ? process.env : { ...process.env, NODE_COMPILE_CACHE: cache }
  return new Worker(new URL("./writer-thread.ts", import.meta.url), { workerData, env, execArgv: [] })
}

export class WriterClient {
  readonly #inPlace: Writer
  readonly #start: () => Worker
  #worker: Worker | undefined
  #isReady = false
  #isHopeless = false
  #outgoing: Waiting[] = []
  #sent: Waiting[] = []
  #ended: Promise<void> | undefined

  constructor(inPlace: Writer, start: () => Worker) {
    this.#inPlace = inPlace
    this.#start = start
  }

  /** Written by the thread, which is started if need be. */
  send(request: WriteRequest): Promise<WriteAnswer> {
    return this.#enqueue(request, true)
  }

  /** Something a program does once when it starts or stops: not worth a thread, if none is there. */
  sendOnce(request: WriteRequest): Promise<WriteAnswer> {
    return this.#enqueue(request, false)
  }

  /** Resolves when the thread is ready, or when it turned out that it cannot be started: then writing stays in place. */
  async startThread(): Promise<void> {
    const worker = this.#running()
    if (worker === undefined || this.#isReady) return
    worker.ref()
    await new Promise<void>((resolve) => {
      worker.once("message", () => resolve())
      worker.once("exit", () => resolve())
    })
  }

  /** What was sent before is still written and answered. */
  close(): Promise<void> {
    this.#ended ??= this.#end()
    return this.#ended
  }

  async #end(): Promise<void> {
    this.#flush()
    this.#inPlace.close() // first, so that it is the thread that tidies up the write-ahead log
    const worker = this.#worker
    if (worker === undefined) return
    const exited = new Promise<void>((resolve) => worker.once("exit", () => resolve()))
    worker.ref()
    if (this.#isReady) this.#post(worker, [], true)
    else await worker.terminate()
    await exited
  }

  #enqueue(request: WriteRequest, wantsThread: boolean): Promise<WriteAnswer> {
    if (this.#ended !== undefined) return Promise.resolve(unavailable("the log is closed"))
    if (this.#sent.length + this.#outgoing.length >= waitingLimit)
      return Promise.resolve(unavailable("too many writes wait for the disk"))
    return new Promise((answer, fail) => {
      // A tick and not a microtask: all sessions that were woken by one answer get into the same batch.
      if (this.#outgoing.length === 0) process.nextTick(() => this.#flush())
      this.#outgoing.push({ request, wantsThread, answer, fail })
    })
  }

  #flush(): void {
    const outgoing = this.#outgoing
    if (outgoing.length === 0) return
    this.#outgoing = []
    const requests = outgoing.map(({ request }) => request)
    if (this.#worker !== undefined && this.#isReady) {
      this.#sent.push(...outgoing)
      this.#worker.ref()
      return this.#post(this.#worker, requests, false)
    }
    this.#commitInPlace(outgoing, requests)
    if (outgoing.some(({ wantsThread }) => wantsThread)) this.#running()
  }

  #commitInPlace(outgoing: readonly Waiting[], requests: readonly WriteRequest[]): void {
    try {
      settle(outgoing, this.#inPlace.commit(requests))
    } catch (fault) {
      for (const { fail } of outgoing) fail(fault)
    }
  }

  #post(worker: Worker, requests: readonly WriteRequest[], last: boolean): void {
    const batch: WriterBatch = { requests, last, isInDoubt: this.#inPlace.handOver() }
    worker.postMessage(batch, [])
  }

  #running(): Worker | undefined {
    if (this.#worker !== undefined || this.#isHopeless || this.#ended !== undefined) return this.#worker
    const worker = this.#start()
    this.#worker = worker
    let why = "it ended"
    worker.unref()
    worker.on("message", (report: WriterReport) => this.#hear(worker, report))
    worker.on("error", (error) => (why = messageOf(error)))
    worker.on("exit", () => this.#lose(why))
    return worker
  }

  #hear(worker: Worker, report: WriterReport): void {
    if (report === "ready") this.#isReady = true
    else settle(this.#sent.splice(0, report.length), report)
    if (this.#sent.length === 0 && this.#ended === undefined) worker.unref()
  }

  #lose(why: string): void {
    this.#worker = undefined
    if (this.#ended !== undefined && this.#sent.length === 0) return
    if (!this.#isReady) process.emitWarning(`The thread that writes the log did not start: ${why}`)
    this.#isHopeless = !this.#isReady
    this.#isReady = false
    this.#inPlace.doubt()
    for (const { answer } of this.#sent.splice(0)) answer(unavailable(`the thread that writes has stopped: ${why}`))
  }
}

function settle(waiting: readonly Waiting[], answers: readonly WriteAnswer[]): void {
  for (const [index, answer] of answers.entries()) waiting[index]?.answer(answer)
}

function unavailable(what: string): WriteAnswer {
  return refused({ code: "log.unavailable", what })
}
