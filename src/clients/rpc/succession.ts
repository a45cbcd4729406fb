// The children of one parent, one after another. A child that died is followed by one that continues its session, if
// that was asked for and not too often in a row; commands meanwhile wait for it. A child that left with code 0 meant
// to, and is not followed.
import { commandLine } from "./command-line.ts"
import { asError, RpcClosed, type ChildEnd } from "./faults.ts"
import type { Flow } from "./flow.ts"
import { defaultTimeouts, type StartOptions, type Timeouts } from "./options.ts"
import type { ChildEvent } from "./read-event.ts"
import { RpcChild, type Ready } from "./rpc-child.ts"

export type OnEvent = (event: ChildEvent, weight: number) => void

export class Succession {
  readonly timeouts: Timeouts
  readonly #options: StartOptions
  readonly #flow: Flow
  readonly #onEvent: OnEvent
  readonly #over = Promise.withResolvers<ChildEnd>()
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
    this.#child = this.#launch(options.continue)
    this.#over.promise.catch(() => {}) // whoever asks is told
  }

  /** The child that takes commands now, when it is ready. */
  async current(): Promise<RpcChild> {
    const child = this.#child
    await child.ready
    return child
  }

  get newest(): RpcChild {
    return this.#child
  }

  /** The newest that is known of the session. */
  get ready(): Ready | undefined {
    return this.#ready
  }

  /** Over for good: no other child follows. */
  get ended(): Promise<ChildEnd> {
    return this.#over.promise
  }

  /** The session is another one from now on. */
  movedTo(sessionId: string): void {
    if (this.#ready !== undefined) this.#ready = { ...this.#ready, session_id: sessionId }
  }

  selectedModel(model: string): void {
    this.#model = model
    if (this.#ready !== undefined) this.#ready = { ...this.#ready, model }
  }

  /** The child has shown that it works. */
  proved(): void {
    this.#deaths = 0
  }

  close(): Promise<ChildEnd> {
    this.#closing ??= this.#close()
    return this.#closing
  }

  async #close(): Promise<ChildEnd> {
    this.#flow.openForGood()
    await this.#stop(this.#child, new RpcClosed())
    return this.#over.promise
  }

  #launch(sessionId: string | undefined): RpcChild {
    const { cwd, env, onStderr, onNoise } = this.#options
    const child = new RpcChild({
      commandLine: commandLine({ ...this.#options, continue: sessionId, model: this.#model }),
      cwd,
      env,
      onStderr,
      onNoise,
      onEvent: this.#onEvent,
      flow: this.#flow,
      readyMs: this.timeouts.readyMs,
    })
    child.ready.then(
      (ready) => (this.#ready = ready),
      (fault) => this.#stop(child, asError(fault)),
    )
    child.ended.then(
      (end) => this.#follow(end),
      (fault) => this.#over.reject(fault),
    )
    return child
  }

  #stop(child: RpcChild, reason: Error): Promise<void> {
    return child.close({ graceMs: this.timeouts.closeMs, termMs: this.timeouts.termMs }, reason)
  }

  #follow(end: ChildEnd): void {
    const { restart } = this.#options
    this.#deaths += 1
    const isWanted = restart !== undefined && this.#deaths <= (restart.attempts ?? 1)
    const diedAtWork = end.code !== 0 && this.#ready !== undefined && this.#closing === undefined
    if (!isWanted || !diedAtWork) return this.#over.resolve(end)
    restart.onRestart?.(end)
    this.#child = this.#launch(this.#ready?.session_id)
  }
}
