// Runs searches in a worker thread that starts with the first search and ends when idle, because the open index takes memory.
// If the worker dies, pending searches fail and the next one starts a new worker.
import { messageOf } from "../../contract/faults.ts"
import { existsSync } from "node:fs"
import { getCompileCacheDir } from "node:module"
import { Worker } from "node:worker_threads"
import type { Passage } from "../../contract/values.ts"
import type { DocumentSearch } from "../../contract/views/documents.ts"
import type { Embedder } from "../embedder.ts"
import { IndexFault } from "../index/schema.ts"
import type { Question } from "./search.ts"
import { moduleUrl } from "../../program/program-files.ts"

export interface SearchThreadData {
  readonly path: string
  /** Address of the PostgreSQL database that is searched instead of the index at `path`. */
  readonly database: string | undefined
  /** Model of the query's vector; undefined: search by words alone. */
  readonly embedder: string | undefined
}

export interface SearchRequest {
  readonly id: number
  readonly question: Question
  readonly vector: Float32Array | undefined
  readonly isExplained: boolean
}

interface Found {
  readonly passages: readonly Passage[]
  readonly explanation?: DocumentSearch
  /** Why a vector of the question was not used. */
  readonly wordsOnly?: string
}

export type SearchAnswer =
  | ({ readonly id: number } & Found)
  | { readonly id: number; readonly fault: string; readonly isOfIndex: boolean }

export interface SearchClientOptions {
  readonly path: string
  /** Address of a PostgreSQL database, which is searched instead of the index at `path`. */
  readonly database?: string | undefined
  readonly embedder: Embedder | undefined
  readonly idleMs?: number
  /** Called with the reason when the embedding model fails and a search uses words alone; once until it works again. */
  readonly onWordsOnly?: (reason: string) => void
  /** Embeds passages without a vector of the model in the background, once; told why that failed. */
  readonly onEmbeddingFailed?: (reason: string) => void
  /** How long the embedding model has for a question, and how long it is not asked after it failed. */
  readonly questionMs?: number
  readonly pauseMs?: number
}

interface Waiting {
  readonly resolve: (found: Found) => void
  readonly reject: (fault: Error) => void
}

/** Longer queries are cut; models read no further. */
const MAX_QUESTION_LENGTH = 2000
const MAX_PENDING = 1000
/** A search waits for this long at most; a turn waits for the search. */
const QUESTION_MS = 10_000
const PAUSE_MS = 30_000

export class SearchClient {
  readonly #options: SearchClientOptions
  readonly #waiting = new Map<number, Waiting>()
  #worker: Worker | undefined
  #idle: NodeJS.Timeout | undefined
  #nextId = 0
  /** Since when the embedding model fails; undefined while it works. */
  #failedAt: number | undefined
  readonly #closed = new AbortController()
  #embedding: Promise<void> | undefined
  /** Since when another process embeds. */
  #leftToOtherAt: number | undefined

  constructor(options: SearchClientOptions) {
    this.#options = options
  }

  /** Whether an index exists. */
  get exists(): boolean {
    return this.#options.database !== undefined || existsSync(this.#options.path)
  }

  async search(question: Question, signal?: AbortSignal): Promise<readonly Passage[]> {
    return (await this.#find(question, false, signal)).passages
  }

  /** The same search, with the reasons for its result. Undefined without an index or a question. */
  async explain(question: Question, signal?: AbortSignal): Promise<DocumentSearch | undefined> {
    return (await this.#find(question, true, signal)).explanation
  }

  async #find(original: Question, isExplained: boolean, signal: AbortSignal | undefined): Promise<Found> {
    const question = { ...original, text: original.text.slice(0, MAX_QUESTION_LENGTH).toWellFormed() }
    if (!this.exists || question.text.trim() === "") return { passages: [] }
    if (this.#waiting.size >= MAX_PENDING) throw new Error("too many pending searches")
    const vector = await this.#vectorOf(question.text, signal)
    signal?.throwIfAborted()
    const found = await this.#ask({ question, vector, isExplained })
    if (found.wordsOnly !== undefined) this.#fail(found.wordsOnly)
    else if (vector !== undefined) this.#failedAt = undefined
    return found
  }

  /** A provider that is down does not stop the search, nor delay each one. */
  async #vectorOf(text: string, signal: AbortSignal | undefined): Promise<Float32Array | undefined> {
    const { embedder, questionMs = QUESTION_MS, pauseMs = PAUSE_MS } = this.#options
    if (embedder === undefined) return undefined
    if (this.#failedAt !== undefined && performance.now() - this.#failedAt < pauseMs) return undefined
    const timeout = AbortSignal.timeout(questionMs)
    try {
      const [vector] = await embedder.embed([text], signal === undefined ? timeout : AbortSignal.any([signal, timeout]))
      if (vector === undefined) return undefined
      if (this.#leftToOtherAt === undefined || performance.now() - this.#leftToOtherAt >= pauseMs)
        this.#embedding ??= this.#embedMissing(embedder, vector.length)
      return vector
    } catch (fault) {
      signal?.throwIfAborted()
      this.#fail(timeout.aborted ? `it did not answer within ${questionMs / 1000} seconds` : messageOf(fault))
      return undefined
    }
  }

  /** Reported to the operator once, until it works again. */
  #fail(reason: string): void {
    if (this.#failedAt === undefined) this.#options.onWordsOnly?.(reason)
    this.#failedAt = performance.now()
  }

  /** Starts only when the provider has answered, because it may delete the vectors of another model. */
  async #embedMissing(embedder: Embedder, size: number): Promise<void> {
    const { path, onEmbeddingFailed } = this.#options
    if (onEmbeddingFailed === undefined) return
    try {
      const { embedInBackground } = await import("../index/embed-in-background.ts")
      if (await embedInBackground(path, embedder, size, this.#closed.signal)) return
      this.#leftToOtherAt = performance.now() // which may have been killed: a later search looks again
      this.#embedding = undefined
    } catch (fault) {
      if (!this.#closed.signal.aborted) onEmbeddingFailed(messageOf(fault))
    }
  }

  /** Resolves when every passage has been embedded in the background, or that has failed. */
  async embedded(): Promise<void> {
    await this.#embedding
  }

  async close(): Promise<void> {
    this.#closed.abort()
    await this.#embedding
    await this.#endWorker()
  }

  async #endWorker(): Promise<void> {
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

  #ask(request: Omit<SearchRequest, "id">): Promise<Found> {
    const worker = this.#running()
    clearTimeout(this.#idle)
    worker.ref()
    return new Promise((resolve, reject) => {
      const id = this.#nextId++
      this.#waiting.set(id, { resolve, reject })
      const numbered: SearchRequest = { id, ...request }
      worker.postMessage(numbered, [])
    })
  }

  #running(): Worker {
    if (this.#worker !== undefined) return this.#worker
    const { path, database, embedder } = this.#options
    const worker = startThread({ path, database, embedder: embedder?.name })
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
    if ("passages" in answer) waiting?.resolve(answer)
    else waiting?.reject(answer.isOfIndex ? new IndexFault(answer.fault) : new Error(answer.fault))
    if (this.#waiting.size > 0) return
    worker.unref()
    this.#idle = setTimeout(() => void this.#endWorker(), this.#options.idleMs ?? 300_000)
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

function startThread(workerData: SearchThreadData): Worker {
  // Worker threads do not inherit a compile cache that was enabled by code.
  const cache = getCompileCacheDir()
  const env = cache === undefined ? process.env : { ...process.env, NODE_COMPILE_CACHE: cache }
  return new Worker(moduleUrl("knowledge/search/search-thread"), { workerData, env, execArgv: [] })
}
