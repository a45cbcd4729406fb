// The connection of a process to NATS: opened once, and again whenever it is lost, forever.
import type { NatsConnection } from "@nats-io/transport-node"
import { setTimeout as delay } from "node:timers/promises"
import { dial } from "./dial.ts"
import { LinkFault } from "./link-fault.ts"
import type { NatsServer } from "./servers.ts"
import type { Warnings } from "./warnings.ts"

/** `idle` until the first use. */
export type BusState = "idle" | "connecting" | "connected" | "closed"

export interface ConnectionOptions {
  readonly servers: readonly NatsServer[]
  readonly name: string
  readonly inboxPrefix: string
  readonly retryMs: number
  readonly warnings: Warnings
  readonly onConnected: (connection: NatsConnection) => void
  readonly onLost: () => void
}

/** For what is on its way when the connection is closed. */
const DRAIN_MS = 1000

export class ReconnectingConnection {
  readonly #options: ConnectionOptions
  readonly #stopping = new AbortController()
  readonly #listeners = new Set<(state: BusState) => void>()
  readonly #firstAttempt = Promise.withResolvers<void>()
  #state: BusState = "idle"
  #current: NatsConnection | undefined
  #lastFault = "it has not answered yet"
  #connects = 0

  constructor(options: ConnectionOptions) {
    this.#options = options
  }

  get state(): BusState {
    return this.#state
  }

  get current(): NatsConnection | undefined {
    return this.#isClosed || this.#current?.isClosed() === true ? undefined : this.#current
  }

  get reconnects(): number {
    return Math.max(0, this.#connects - 1)
  }

  /** Without credentials. */
  get place(): string {
    return `NATS at ${this.#options.servers.map(({ address }) => address).join(", ")}`
  }

  onState(listener: (state: BusState) => void): () => void {
    this.#listeners.add(listener)
    return () => void this.#listeners.delete(listener)
  }

  /** Resolves after the first attempt to connect, whether it succeeded or not. */
  open(): Promise<void> {
    if (this.#state === "idle") void this.#run()
    return this.#firstAttempt.promise
  }

  /** Rejects when there is no connection within that time. */
  async within(ms: number): Promise<NatsConnection> {
    void this.open()
    if (this.current !== undefined) return this.current
    const settled = Promise.withResolvers<void>()
    const timer = setTimeout(settled.resolve, ms)
    const unlisten = this.onState((state) => state !== "connecting" && settled.resolve())
    if (this.#state !== "closed") await settled.promise
    clearTimeout(timer)
    unlisten()
    return this.current ?? this.#fail()
  }

  /** Resolves when the server has processed what was sent, or the connection is lost. */
  async flushed(): Promise<void> {
    const connection = this.current
    if (connection !== undefined) await Promise.race([connection.flush().catch(() => {}), connection.closed()])
  }

  async close(): Promise<void> {
    if (this.#state === "closed") return
    const connection = this.#current
    this.#change("closed")
    this.#stopping.abort()
    this.#firstAttempt.resolve()
    if (connection === undefined) return
    await Promise.race([connection.drain().catch(() => {}), delay(DRAIN_MS, undefined, { ref: false })])
    await connection.close()
  }

  #fail(): never {
    if (this.#state === "closed") throw new LinkFault("unreachable", `the connection to ${this.place} is closed`)
    throw new LinkFault("unreachable", this.#unreachable())
  }

  #unreachable(): string {
    return `${this.place} cannot be reached (${this.#lastFault}). Start it, or correct its address in the configuration.`
  }

  async #run(): Promise<void> {
    this.#change("connecting")
    while (!this.#isClosed) {
      const connection = await this.#dialAny()
      if (connection !== undefined) await this.#use(connection)
      this.#firstAttempt.resolve()
      await delay(this.#options.retryMs, undefined, { signal: this.#stopping.signal }).catch(() => {})
    }
  }

  get #isClosed(): boolean {
    return this.#stopping.signal.aborted
  }

  /** Begins anywhere, so that nodes spread over the servers. */
  async #dialAny(): Promise<NatsConnection | undefined> {
    const { servers, name, inboxPrefix, warnings } = this.#options
    const first = Math.floor(Math.random() * servers.length)
    for (const server of [...servers.slice(first), ...servers.slice(0, first)]) {
      try {
        return await dial(server, { name, inboxPrefix, signal: this.#stopping.signal })
      } catch (fault) {
        if (this.#isClosed) return undefined
        this.#lastFault = fault instanceof Error ? fault.message : String(fault)
      }
    }
    warnings.warn("unreachable", this.#unreachable())
    return undefined
  }

  async #use(connection: NatsConnection): Promise<void> {
    this.#current = connection
    this.#connects += 1
    void this.#watch(connection)
    this.#options.onConnected(connection)
    await this.flushed() // from then on, peers reach what listens here
    if (this.current === connection) this.#change("connected")
    this.#firstAttempt.resolve()
    const fault = await connection.closed()
    this.#lastFault = fault instanceof Error ? fault.message : "it closed the connection"
    this.#current = undefined
    this.#options.onLost()
    if (!this.#isClosed) this.#change("connecting")
  }

  async #watch(connection: NatsConnection): Promise<void> {
    for await (const status of connection.status()) {
      if (status.type === "staleConnection") void connection.close()
      if (status.type === "error") this.#options.warnings.warn("error", `${this.place}: ${status.error.message}`)
    }
  }

  #change(state: BusState): void {
    if (this.#state === "closed") return
    this.#state = state
    for (const listener of this.#listeners) listener(state)
  }
}
