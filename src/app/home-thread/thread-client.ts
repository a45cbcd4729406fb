// Starts the thread for queries over all sessions with the first of them, and ends it when it is idle. If it dies, pending
// queries are refused and the next one starts another thread.
import { MessageChannel, Worker, type MessagePort } from "node:worker_threads"
import type { Answers, Queries } from "../../contract/queries.ts"
import { ok, refused, type Outcome } from "../../log/event-log.ts"
import type { ClusterPlace } from "../cluster/cluster.ts"
import { moduleUrl } from "../../program/program-files.ts"

/** The configuration tells where the log is. */
export type ThreadData = ClusterPlace

export type ThreadQuery = Queries["search-sessions"] | Queries["usage-history"]

export interface ThreadRequest {
  readonly query: ThreadQuery
  readonly reply: MessagePort
}

export type ThreadAnswer<Value = Answers["search-sessions"] | Answers["usage-history"]> =
  | { readonly value: Value }
  | { readonly fault: string }

const IDLE_MS = 300_000
const MAX_PENDING = 100

export class HomeThread {
  readonly #place: ClusterPlace
  #worker: Worker | undefined
  #pending = 0
  #idle: NodeJS.Timeout | undefined

  constructor({ home, config }: ClusterPlace) {
    this.#place = { home, config }
  }

  async ask<Type extends ThreadQuery["type"]>(
    query: Queries[Type] & { readonly type: Type },
  ): Promise<Outcome<Answers[Type]>> {
    if (this.#pending >= MAX_PENDING) return unavailable("too many queries over all sessions wait; try again")
    this.#pending += 1
    clearTimeout(this.#idle)
    try {
      return await this.#ask<Type>(query)
    } finally {
      this.#pending -= 1
      if (this.#pending === 0) this.#rest()
    }
  }

  async close(): Promise<void> {
    clearTimeout(this.#idle)
    const worker = this.#worker
    this.#worker = undefined
    await worker?.terminate()
  }

  #ask<Type extends ThreadQuery["type"]>(query: Queries[Type]): Promise<Outcome<Answers[Type]>> {
    const { port1: port, port2: reply } = new MessageChannel()
    const worker = this.#running()
    return new Promise((resolve) => {
      port.once("message", (answer: ThreadAnswer<Answers[Type]>) => {
        resolve("fault" in answer ? unavailable(answer.fault) : ok(answer.value))
        port.close()
      })
      port.once("close", () => resolve(unavailable("the thread for queries over all sessions has ended; try again")))
      worker.postMessage({ query, reply }, [reply])
    })
  }

  #running(): Worker {
    if (this.#worker !== undefined) return this.#worker
    const data: ThreadData = this.#place
    const worker = new Worker(moduleUrl("app/home-thread/home-thread"), { workerData: data, execArgv: [] })
    worker.on("error", () => {}) // the pending queries are told when their ports close
    worker.on("exit", () => (this.#worker = this.#worker === worker ? undefined : this.#worker))
    worker.unref() // pending queries keep the process running by their ports
    this.#worker = worker
    return worker
  }

  #rest(): void {
    this.#idle = setTimeout(() => void this.close(), IDLE_MS)
    this.#idle.unref()
  }
}

function unavailable(what: string) {
  return refused({ code: "log.unavailable", what })
}
