// The children of one session, one after another. A child that died is restarted with its session if that is enabled
// and has not happened too often in a row; commands wait meanwhile. A child that exited with code 0 is not restarted.
import { errorOf } from "../../base/fault.ts"
import { RpcClosed, RpcFault, type ChildEnd } from "../faults.ts"
import { defaultTimeouts, type StartOptions, type Timeouts } from "../options.ts"
import { commandLine } from "./command-line.ts"
import type { Flow } from "./flow.ts"
import type { ChildEvent, Ready } from "./read-event.ts"
import { RpcChild } from "./rpc-child.ts"

export type OnEvent = (event: ChildEvent, weight: number) => void

export class RestartingChild {
  readonly timeouts: Timeouts
  readonly #options: StartOptions
  readonly #flow: Flow
  readonly #onEvent: OnEvent
  readonly #ended = Promise.withResolvers<ChildEnd>()
  /** Resolves when no further child follows. */
  readonly ended: Promise<ChildEnd> = this.#ended.promise
  #child: RpcChild
  #ready: Ready | undefined
  #model: string | undefined
  #deaths = 0
  #closing: Promise<ChildEnd> | undefined

  constructor(options: StartOptions, flow: Flow, onEvent: OnEvent) {
    this.#options = options
    this.timeouts = { ...defaultTimeouts, ...options.timeouts }
    this.#flow = flow
    this.#onEvent = onEvent
    this.#model = options.model
    this.#child = this.#start(options.continue)
    this.ended.catch(() => {}) // reported to its caller
  }

  /** The current child, when it is ready. */
  async current(): Promise<RpcChild> {
    const child = this.#child
    await child.ready
    return child
  }

  get newest(): RpcChild {
    return this.#child
  }

  /** Session and model of the newest child that was ready. */
  get ready(): Ready | undefined {
    return this.#ready
  }

  /** A restart continues this session from now on. */
  setSession(sessionId: string): void {
    if (this.#ready !== undefined) this.#ready = { ...this.#ready, session_id: sessionId }
  }

  setModel(model: string): void {
    this.#model = model
    if (this.#ready !== undefined) this.#ready = { ...this.#ready, model }
  }

  /** The child works: restarts count from zero again. */
  markStable(): void {
    this.#deaths = 0
  }

  close(): Promise<ChildEnd> {
    this.#closing ??= this.#close()
    return this.#closing
  }

  async #close(): Promise<ChildEnd> {
    this.#flow.openPermanently()
    await this.#stop(this.#child, new RpcClosed())
    return this.ended
  }

  #start(sessionId: string | undefined): RpcChild {
    const child = new RpcChild({
      ...this.#options,
      commandLine: commandLine({ ...this.#options, continue: sessionId, model: this.#model }),
      onEvent: this.#onEvent,
      flow: this.#flow,
      readyMs: this.timeouts.readyMs,
    })
    child.ready.then(
      (ready) => (this.#ready = ready),
      (fault) => this.#stop(child, errorOf(fault, RpcFault)),
    )
    child.ended.then(
      (end) => this.#handleEnd(end),
      (fault) => this.#ended.reject(fault),
    )
    return child
  }

  #stop(child: RpcChild, reason: Error): Promise<void> {
    return child.close({ graceMs: this.timeouts.closeMs, termMs: this.timeouts.termMs }, reason)
  }

  #handleEnd(end: ChildEnd): void {
    const { restart } = this.#options
    this.#deaths += 1
    const mayRestart = restart !== undefined && this.#deaths <= (restart.attempts ?? 1)
    const hasCrashed = end.code !== 0 && this.#ready !== undefined && this.#closing === undefined
    if (!mayRestart || !hasCrashed) return this.#ended.resolve(end)
    restart.onRestart?.(end)
    this.#child = this.#start(this.#ready?.session_id)
  }
}
