// The link to an agent over successive connections. Reconnects after a loss if that is enabled. Nothing is sent twice:
// the agent may have received it.
import type { ViewerMessage } from "../../../protocols/ipc/frames.ts"
import { errorOf } from "../../base/fault.ts"
import { Reconnector } from "../../base/reconnector.ts"
import { IpcClosed, IpcFault, IpcLost } from "../faults.ts"
import { defaultReconnect, defaultTimeoutMs, type AttachOptions } from "../options.ts"
import type { Connection, Received } from "./connection.ts"
import { attachTo, type Target } from "./handshake.ts"

/** `exited`: the agent ended and said why. `lost`: the connection was lost and reconnecting failed. */
export type ViewerEnd =
  | { readonly kind: "closed" }
  | { readonly kind: "exited"; readonly reason: string }
  | { readonly kind: "lost"; readonly fault: Error }

export interface LinkHandlers {
  readonly onReceived: (received: Received) => void
  /** `delayMs` until the next attempt; undefined when there is none. */
  readonly onLost: (why: string, delayMs: number | undefined) => void
}

export class AgentLink {
  readonly ended: Promise<ViewerEnd>
  readonly #target: Target
  readonly #timeoutMs: number
  readonly #handlers: LinkHandlers
  readonly #reconnector: Reconnector
  readonly #end = Promise.withResolvers<ViewerEnd>()
  readonly #leaving = new AbortController()
  #connection: Connection | undefined
  #token: string | undefined
  #exitReason: string | undefined

  constructor(target: Target, { reconnect, timeoutMs = defaultTimeoutMs }: AttachOptions, handlers: LinkHandlers) {
    this.#target = target
    this.#timeoutMs = timeoutMs
    this.#handlers = handlers
    const { attempts, firstDelayMs, mostDelayMs } = {
      ...defaultReconnect,
      ...(typeof reconnect === "object" ? reconnect : !reconnect && { attempts: 0 }),
    }
    const policy = { attempts, firstMs: firstDelayMs, maxMs: mostDelayMs }
    this.#reconnector = new Reconnector(policy, this.#leaving.signal)
    this.ended = this.#end.promise
  }

  get isConnected(): boolean {
    return this.#connection !== undefined && !this.#leaving.signal.aborted
  }

  get token(): string | undefined {
    return this.#token
  }

  async start(signal: AbortSignal): Promise<void> {
    await this.#connect(this.#target, signal)
  }

  send(message: ViewerMessage): void {
    if (this.#leaving.signal.aborted) throw new IpcClosed()
    if (this.#connection === undefined) throw new IpcLost("the agent is not connected")
    this.#connection.send(message)
  }

  /** Resolves when the current connection is closed. */
  async closed(): Promise<void> {
    await this.#connection?.closed
  }

  /** The connection works: the attempts count from zero again. */
  markStable(): void {
    this.#reconnector.reset()
  }

  /** The agent announced its end: no reconnect follows. */
  setExiting(reason: string): void {
    this.#exitReason = reason
  }

  /** No further connection follows. Buffered messages are still written. */
  leave(): void {
    this.#leaving.abort()
    if (this.#connection === undefined) this.#end.resolve({ kind: "closed" })
    this.#connection?.end()
  }

  async #connect(target: Target, signal: AbortSignal): Promise<void> {
    const { connection, token } = await attachTo(target, { onReceived: this.#handlers.onReceived, signal })
    if (signal.aborted) connection.destroy()
    signal.throwIfAborted()
    this.#token = token
    this.#connection = connection
    void connection.closed.then(() => this.#handleClose())
    connection.listen()
  }

  #handleClose(): void {
    this.#connection = undefined
    if (this.#leaving.signal.aborted) return this.#end.resolve({ kind: "closed" })
    if (this.#exitReason !== undefined) return this.#end.resolve({ kind: "exited", reason: this.#exitReason })
    void this.#reconnect()
  }

  async #reconnect(): Promise<void> {
    const { signal } = this.#leaving
    const outcome = await this.#reconnector.run(new IpcLost("the agent closed the connection"), {
      connect: () =>
        this.#connect(
          { ...this.#target, handshake: undefined, token: this.#token },
          AbortSignal.any([signal, AbortSignal.timeout(this.#timeoutMs)]),
        ),
      onAttempt: (_, delayMs, fault) => this.#handlers.onLost(errorOf(fault).message, delayMs),
    })
    if (outcome.kind === "aborted") return this.#end.resolve({ kind: "closed" })
    if (outcome.kind === "connected") return
    const fault = errorOf(outcome.fault, IpcFault)
    this.#handlers.onLost(fault.message, undefined)
    this.#end.resolve(signal.aborted ? { kind: "closed" } : { kind: "lost", fault })
  }
}
