// Runs searches in a worker thread that starts with the first search and ends when idle, because its model takes memory.
// If the worker dies, pending searches fail and the next one starts a new worker.
import { messageOf } from "../../contract/faults.ts"
import { existsSync } from "node:fs"
import { getCompileCacheDir } from "node:module"
import { Worker } from "node:worker_threads"
import type { Passage } from "../../contract/values.ts"
import { type Embedder, localName } from "../embedder.ts"
import { IndexFault } from "../index/schema.ts"
import type { Question } from "./search.ts"
import { moduleUrl } from "../../program/program-files.ts"

export interface SearchThreadData {
  readonly path: string
  /** Model of the query's vector; undefined: search by words alone. */
  readonly embedder: string | undefined
}

export interface SearchRequest {
  readonly id: number
  readonly question: Question
  /** For a provider's model; the worker runs the local model itself. */
  readonly vector: Float32Array | undefined
}

export type SearchAnswer =
  | { readonly id: number; readonly passages: readonly Passage[] }
  | { readonly id: number; readonly fault: string; readonly isOfIndex: boolean }

export interface SearchClientOptions {
  readonly path: string
  /** Local, a provider's, or none. */
  readonly embedder: "local" | Embedder | undefined
  readonly idleMs?: number
}

interface Waiting {
  readonly resolve: (passages: readonly Passage[]) => void
  readonly reject: (fault: Error) => void
}

/** Longer queries are cut; models read no further. */
const MAX_QUESTION_LENGTH = 2000
const MAX_PENDING = 1000

export class SearchClient {
  readonly #options: SearchClientOptions
  readonly #waiting = new Map<number, Waiting>()
  #worker: Worker | undefined
  #idle: NodeJS.Timeout | undefined
  #nextId = 0

  constructor(options: SearchClientOptions) {
    this.#options = options
  }

  /** Whether an index exists. */
  get exists(): boolean {
    return existsSync(this.#options.path)
  }

  async search(original: Question, signal?: AbortSignal): Promise<readonly Passage[]> {
    const question = { ...original, text: original.text.slice(0, MAX_QUESTION_LENGTH).toWellFormed() }
    if (!this.exists || question.text.trim() === "") return []
    if (this.#waiting.size >= MAX_PENDING) throw new Error("too many pending searches")
    const { embedder } = this.#options
    const vectors = typeof embedder === "object" ? await embedder.embed([question.text], signal) : []
    signal?.throwIfAborted()
    return this.#ask(question, vectors[0])
  }

  async close(): Promise<void> {
    const worker = this.#worker
    if (worker === undefined) return
    this.#dropWorker(worker, "it was ended") // the next search starts a new worker
    await worker.terminate()
  }

  /** Resolves when no worker is running. */
  async ended(): Promise<void> {
    const worker = this.#worker
    if (worker !== undefined) await new Promise((exited) => worker.once("exit", exited))
  }

  #ask(question: Question, vector: Float32Array | undefined): Promise<readonly Passage[]> {
    const worker = this.#running()
    clearTimeout(this.#idle)
    worker.ref()
    return new Promise((resolve, reject) => {
      const id = this.#nextId++
      this.#waiting.set(id, { resolve, reject })
      const request: SearchRequest = { id, question, vector }
      worker.postMessage(request, [])
    })
  }

  #running(): Worker {
    if (this.#worker !== undefined) return this.#worker
    const { path, embedder } = this.#options
    const worker = startThread({ path, embedder: typeof embedder === "object" ? embedder.name : localOrNone(embedder) })
    let reason = "it ended"
    worker.on("message", (answer: SearchAnswer) => this.#receive(worker, answer))
    worker.on("error", (fault) => (reason = messageOf(fault)))
    worker.on("exit", () => this.#dropWorker(worker, reason))
    this.#worker = worker
    return worker
  }

  #receive(worker: Worker, answer: SearchAnswer): void {
    const waiting = this.#waiting.get(answer.id)
    this.#waiting.delete(answer.id)
    if ("passages" in answer) waiting?.resolve(answer.passages)
    else waiting?.reject(answer.isOfIndex ? new IndexFault(answer.fault) : new Error(answer.fault))
    if (this.#waiting.size > 0) return
    worker.unref()
    this.#idle = setTimeout(() => void this.close(), this.#options.idleMs ?? 300_000)
    this.#idle.unref()
  }

  #dropWorker(worker: Worker, reason: string): void {
    if (this.#worker !== worker) return
    this.#worker = undefined
    clearTimeout(this.#idle)
    for (const { reject } of this.#waiting.values()) reject(new Error(`the search worker has stopped: ${reason}`))
    this.#waiting.clear()
  }
}

function localOrNone(embedder: "local" | undefined): string | undefined {
  return embedder === "local" ? localName : undefined
}

function startThread(workerData: SearchThreadData): Worker {
  // Worker threads do not inherit a compile cache that was enabled by code.
  const cache = getCompileCacheDir()
  const env = cache === undefined ? process.env : { ...process.env, NODE_COMPILE_CACHE: cache }
  return new Worker(moduleUrl("knowledge/search/search-thread"), { workerData, env, execArgv: [] })
}
