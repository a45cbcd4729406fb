// What holds a viewer to its agent: one connection after another, as long as the viewer wants to stay. A lost one is
// followed by a new one if that was asked for, each attempt later than the one before it. Nothing that was said is said
// again: it may have been heard.
import { setTimeout as sleep } from "node:timers/promises"
import type { ViewerMessage } from "../../protocols/ipc/frames.ts"
import { asError, IpcClosed, IpcLost } from "./faults.ts"
import { greet, type Wish } from "./greet.ts"
import type { Heard, Link } from "./link.ts"
import { defaultReconnect, defaultTimeoutMs, type AttachOptions, type ReconnectOptions } from "./options.ts"

/** `exited`: the agent is gone, and said why. `lost`: the connection is, and no other follows. */
export type ViewerEnd =
  | { readonly kind: "closed" }
  | { readonly kind: "exited"; readonly reason: string }
  | { readonly kind: "lost"; readonly fault: Error }

export interface TetherListeners {
  readonly hear: (heard: Heard) => void
  /** `delayMs` until the next attempt; undefined when there will be none. */
  readonly lost: (why: string, delayMs: number | undefined) => void
}

export class Tether {
  readonly ended: Promise<ViewerEnd>
  readonly #wish: Wish
  readonly #reconnect: Required<ReconnectOptions> | undefined
  readonly #timeoutMs: number
  readonly #listeners: TetherListeners
  readonly #over = Promise.withResolvers<ViewerEnd>()
  readonly #leaving = new AbortController()
  #link: Link | undefined
  #token: string | undefined
  #attempts = 0
  #exitReason: string | undefined

  constructor(wish: Wish, { reconnect, timeoutMs = defaultTimeoutMs }: AttachOptions, listeners: TetherListeners) {
    this.#wish = wish
    this.#reconnect = reconnect ? { ...defaultReconnect, ...(reconnect === true ? {} : reconnect) } : undefined
    this.#timeoutMs = timeoutMs
    this.#listeners = listeners
    this.ended = this.#over.promise
  }

  get isConnected(): boolean {
    return this.#link !== undefined && !this.#leaving.signal.aborted
  }

  get token(): string | undefined {
    return this.#token
  }

  async begin(signal: AbortSignal): Promise<void> {
    await this.#enter(this.#wish, signal)
  }

  send(message: ViewerMessage): void {
    if (this.#leaving.signal.aborted) throw new IpcClosed()
    if (this.#link === undefined) throw new IpcLost("the agent is not connected at the moment")
    this.#link.send(message)
  }

  /** The connection that is there now is closed by then. */
  async closed(): Promise<void> {
    await this.#link?.closed
  }

  /** The conversation was shown: this connection is a good one. */
  proved(): void {
    this.#attempts = 0
  }

  /** The agent has said that it leaves; it is not looked for again. */
  exits(reason: string): void {
    this.#exitReason = reason
  }

  /** No other connection follows. What was sent is still written. */
  leave(): void {
    this.#leaving.abort()
    if (this.#link === undefined) this.#over.resolve({ kind: "closed" })
    this.#link?.end()
  }

  async #enter(wish: Wish, signal: AbortSignal): Promise<void> {
    const { link, token } = await greet(wish, { hear: this.#listeners.hear, signal })
    if (signal.aborted) link.destroy()
    signal.throwIfAborted() // nobody would close it
    this.#token = token
    this.#link = link
    void link.closed.then(() => this.#gone())
    link.listen()
  }

  #gone(): void {
    this.#link = undefined
    if (this.#leaving.signal.aborted) return this.#over.resolve({ kind: "closed" })
    if (this.#exitReason !== undefined) return this.#over.resolve({ kind: "exited", reason: this.#exitReason })
    void this.#comeBack(new IpcLost("the agent closed the connection"))
  }

  async #comeBack(first: Error): Promise<void> {
    let fault = first
    while (this.#reconnect !== undefined && this.#attempts < this.#reconnect.attempts) {
      const delayMs = delayBefore(this.#attempts, this.#reconnect)
      this.#attempts += 1
      this.#listeners.lost(fault.message, delayMs)
      const next = await this.#tryAgain(delayMs)
      if (next === undefined) return
      fault = next
    }
    this.#listeners.lost(fault.message, undefined)
    this.#over.resolve(this.#leaving.signal.aborted ? { kind: "closed" } : { kind: "lost", fault })
  }

  /** What was in the way; undefined when nothing was, or nobody wants it any more. */
  async #tryAgain(delayMs: number): Promise<Error | undefined> {
    const { signal: leaving } = this.#leaving
    const signal = AbortSignal.any([leaving, AbortSignal.timeout(delayMs + this.#timeoutMs)])
    try {
      await sleep(delayMs, undefined, { signal: leaving })
      await this.#enter({ ...this.#wish, handshake: undefined, token: this.#token }, signal)
      return undefined
    } catch (fault) {
      if (!leaving.aborted) return asError(fault)
      this.#over.resolve({ kind: "closed" })
      return undefined
    }
  }
}

/** Not all viewers of an agent come back at the same moment. */
function delayBefore(attempt: number, { firstDelayMs, mostDelayMs }: Required<ReconnectOptions>): number {
  const delay = Math.min(mostDelayMs, firstDelayMs * 2 ** attempt)
  return Math.round(delay * (0.75 + Math.random() / 2))
}
