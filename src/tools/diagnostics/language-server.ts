// Lifecycle of one language server: started with the first check, restarted with growing pauses, given up after a few
// failures in a row. A check never takes longer than its limit, whatever the server does.
import { messageOf } from "../../contract/faults.ts"
import type { StartedCommand } from "../start-command.ts"
import type { CheckedFile } from "./describe-problems.ts"
import { LanguageClient, type Checked, type ClientTiming, type FileChange } from "./language-client.ts"
import type { Place } from "./protocol.ts"
import { orAborted } from "./waiting.ts"

export interface ServerTiming extends ClientTiming {
  /** Until the server has answered `initialize`. A check does not wait that long. */
  readonly startMs: number
  /** Pauses before the first, second and third restart in a row; there is no fourth. */
  readonly restartAfterMs: readonly number[]
  /** A check of a server that has published nothing in the last checks. */
  readonly shortWaitMs: number
}

export const usualTiming: ServerTiming = {
  settleMs: 400,
  shutdownMs: 500,
  startMs: 120_000,
  restartAfterMs: [1000, 5000, 30_000],
  shortWaitMs: 1000,
}

export interface ServerDeps {
  readonly start: () => Promise<StartedCommand>
  readonly timing: ServerTiming
  /** How long an edit waits, the start included. */
  readonly waitMs: number
  readonly now: () => number
}

export type ServerCheck =
  | { readonly kind: "files"; readonly files: readonly CheckedFile[] }
  | { readonly kind: "none"; readonly reason: string }
  /** It is not started again. */
  | { readonly kind: "off"; readonly reason: string }

/** Checks in a row without an answer after which a server counts as hung. */
const MAX_UNANSWERED = 3
/** Checks in a row without published diagnostics after which the wait is short. */
const MAX_SILENT = 2

export class LanguageServer {
  readonly #place: Place
  readonly #deps: ServerDeps
  readonly #stopper = new AbortController()
  #tail: Promise<unknown> = Promise.resolve()
  #client: LanguageClient | undefined
  #starting: Promise<string | undefined> | undefined
  /** Ends of processes that were given up. */
  #ending: Promise<unknown> = Promise.resolve()
  #failures = 0
  #lastFault = ""
  #retryAt = 0
  #unanswered = 0

  constructor(place: Place, deps: ServerDeps) {
    this.#place = place
    this.#deps = deps
  }

  /** One check at a time, in order. */
  async check(changes: readonly FileChange[], signal: AbortSignal): Promise<ServerCheck> {
    const isShort = this.#client?.pulls === false && this.#unanswered >= MAX_SILENT
    const waitMs = isShort ? Math.min(this.#deps.timing.shortWaitMs, this.#deps.waitMs) : this.#deps.waitMs
    const wait = AbortSignal.any([signal, this.#stopper.signal, AbortSignal.timeout(waitMs)])
    const done = this.#tail.then(() => this.#check(changes, wait, waitMs, signal))
    this.#tail = done.catch(() => {}) // the caller gets the fault
    return done
  }

  /** Starts nothing afterwards and leaves no process behind. */
  async stop(): Promise<void> {
    this.#stopper.abort()
    await this.#starting
    await this.#tail
    await Promise.all([this.#client?.stop(), this.#ending])
    this.#client = undefined
  }

  async #check(
    changes: readonly FileChange[],
    wait: AbortSignal,
    waitMs: number,
    signal: AbortSignal,
  ): Promise<ServerCheck> {
    if (this.#stopper.signal.aborted) return none("was stopped")
    if (wait.aborted) return none("is busy with another check")
    const client = await this.#ready(wait, waitMs)
    if (!(client instanceof LanguageClient)) return client
    const checked = await client.check(changes, wait)
    if (signal.aborted || this.#stopper.signal.aborted) return none("was interrupted")
    return this.#judged(checked, client, waitMs)
  }

  #judged(checked: Checked, client: LanguageClient, waitMs: number): ServerCheck {
    if (checked.kind === "fault") return this.#failed(checked.reason)
    this.#unanswered = checked.kind === "silent" ? this.#unanswered + 1 : 0
    if (checked.kind === "files") {
      this.#failures = 0
      return checked
    }
    if (checked.kind === "error") return none(`answered with an error: ${checked.message}`)
    if (client.pulls && this.#unanswered >= MAX_UNANSWERED)
      return this.#failed(`it did not answer ${MAX_UNANSWERED} times in a row`)
    return none(`sent none within ${waitMs / 1000} s`)
  }

  /** A client to use, or why there is none. */
  async #ready(wait: AbortSignal, waitMs: number): Promise<LanguageClient | ServerCheck> {
    if (this.#client?.isClosed === true) return this.#failed(await this.#client.closed)
    if (this.#client !== undefined) return this.#client
    if (this.#failures > this.#deps.timing.restartAfterMs.length) return this.#off()
    if (this.#deps.now() < this.#retryAt) return none(`is not running (${this.#lastFault})`)
    this.#starting ??= this.#start().finally(() => (this.#starting = undefined))
    const started = await orAborted(
      this.#starting.then((reason) => ({ reason })),
      wait,
    )
    if (started === undefined) return none(`is still starting after ${waitMs / 1000} s`)
    if (started.reason !== undefined)
      return this.#failures > this.#deps.timing.restartAfterMs.length
        ? this.#off()
        : none(`did not start: ${started.reason}`)
    return this.#client ?? none("was stopped")
  }

  /** Why it did not start; undefined if it did. */
  async #start(): Promise<string | undefined> {
    const started = await this.#deps
      .start()
      .catch((fault: unknown) => ({ kind: "no", reason: messageOf(fault) }) as const)
    if (started.kind === "no") return this.#noted(started.reason)
    const client = new LanguageClient(started.gated, this.#place, this.#deps.timing)
    const limit = AbortSignal.any([this.#stopper.signal, AbortSignal.timeout(this.#deps.timing.startMs)])
    const problem = await client.initialize(limit)
    if (problem !== undefined) {
      await client.kill()
      return this.#noted(problem)
    }
    this.#client = client
    this.#unanswered = 0
    return undefined
  }

  #failed(reason: string): ServerCheck {
    const client = this.#client
    this.#client = undefined
    this.#ending = Promise.all([this.#ending, client?.kill()])
    this.#noted(reason)
    return this.#failures > this.#deps.timing.restartAfterMs.length ? this.#off() : none(`failed: ${reason}`)
  }

  #noted(reason: string): string {
    this.#retryAt = this.#deps.now() + (this.#deps.timing.restartAfterMs[this.#failures] ?? 0)
    this.#failures += 1
    this.#lastFault = reason
    return reason
  }

  #off(): ServerCheck {
    const times = this.#deps.timing.restartAfterMs.length
    return { kind: "off", reason: `is off: ${this.#lastFault}, and ${times} restarts did not help` }
  }
}

function none(reason: string): ServerCheck {
  return { kind: "none", reason }
}
