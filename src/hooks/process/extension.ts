// Lifecycle of one extension: start, one request at a time, restart, stop. It is restarted only within a failed request,
// at most once per request and three times in a row; the request is then sent again. A timeout causes no restart.
import type { JsonValue } from "../../contract/values.ts"
import type { ProcessSupervisor } from "../../processes/process-supervisor.ts"
import type { HookEvent, ProviderSpec, ToolSpec } from "../../protocols/extension/frames.ts"
import { initializeParams, readInitializeResult } from "../../protocols/extension/handshake.ts"
import { encodeRequest } from "../../protocols/json-rpc.ts"
import { timedOut, withinSilence, withTimeout, type Clock, type Timing } from "./clock.ts"
import { startFailure } from "./command-line.ts"
import type { ExtensionSpec } from "../discovery/discover.ts"
import { RpcProcess, type Reply, type RpcHandlers, type RpcNotice } from "../../processes/rpc-process.ts"
import type { PrepareStart } from "./plugin-sandbox.ts"

export interface ExtensionDeps extends RpcHandlers {
  readonly processes: ProcessSupervisor
  /** Owner of its processes. */
  readonly owner: string
  readonly release: string
  readonly clock: Clock
  readonly timing: Timing
  /** Whether each hook call writes a trace record. */
  readonly trace?: boolean
  readonly prepare: PrepareStart
}

export type Started =
  | { readonly kind: "started"; readonly tools: readonly ToolSpec[]; readonly providers: readonly ProviderSpec[] }
  | { readonly kind: "failed"; readonly reason: string }

export type Health = "starting" | "running" | "degraded" | "restarting" | "failed" | "stopped"

export interface RequestLimit {
  readonly ms: number
  /** Whether time in the queue and in a restart counts. */
  readonly from: "asked" | "written"
  /** Not sent again after a failure, because it must not happen twice. */
  readonly once?: boolean
  /** Stops waiting. */
  readonly signal?: AbortSignal
  /** Gets notifications before the response; true if one is part of the answer. Restarts a limit that counts from `written`. */
  readonly onNotice?: (notice: RpcNotice) => boolean
}

export class Extension {
  readonly spec: ExtensionSpec
  readonly #deps: ExtensionDeps
  #process: RpcProcess | undefined
  #turn: Promise<unknown> = Promise.resolve()
  #lastId = 0
  /** Restarts since the last answer, and in total. */
  #restartsInARow = 0
  #restarts = 0
  #health: Health = "starting"
  #lastFault: string | undefined
  #spawning: Promise<unknown> = Promise.resolve()
  readonly #stopper = new AbortController()

  constructor(spec: ExtensionSpec, deps: ExtensionDeps) {
    this.spec = spec
    this.#deps = deps
  }

  get health(): Health {
    return this.#health
  }

  get restarts(): number {
    return this.#restarts
  }

  get lastFault(): string | undefined {
    return this.#lastFault
  }

  get pid(): number | undefined {
    return this.#process?.isClosed === false ? this.#process.pid : undefined
  }

  async start(): Promise<Started> {
    const started = await this.#inTurn(() => this.#launch(this.#deps.timing.initializeMs))
    if (this.#health === "stopped") return { kind: "failed", reason: "it was stopped" }
    this.#health = started.kind === "started" ? "running" : "failed"
    return started
  }

  /** Never rejects. Requests are sent one at a time, in order. */
  async request(method: string, params: JsonValue | HookEvent, limit: RequestLimit): Promise<Reply> {
    const stop = new AbortController()
    const signal = limit.signal === undefined ? stop.signal : AbortSignal.any([stop.signal, limit.signal])
    const reply = this.#inTurn(() => this.#ask(method, params, signal, limit))
    if (limit.from === "written") return reply
    const timely = await withTimeout(reply, limit.ms, this.#deps.clock)
    if (timely !== timedOut) return timely
    stop.abort()
    return { kind: "given-up" }
  }

  /** Sends `shutdown`, closes its input, then kills it. Starts nothing and leaves nothing behind. */
  async stop(): Promise<void> {
    if (this.#health === "stopped") return
    this.#health = "stopped"
    this.#stopper.abort()
    await this.#spawning
    const running = this.#process
    if (running === undefined) return
    const { clock, timing } = this.#deps
    const closed = running.closed
    const shutdownReply = running.request(++this.#lastId, encodeRequest(this.#lastId, "shutdown", null))
    await withTimeout(Promise.race<unknown>([shutdownReply, closed]), timing.shutdownMs, clock)
    running.endInput()
    await withTimeout(closed, timing.shutdownMs, clock)
    await running.terminate()
  }

  #inTurn<Value>(work: () => Promise<Value>): Promise<Value> {
    const done = this.#turn.then(work)
    this.#turn = done.catch(() => {}) // the caller gets the fault
    return done
  }

  async #ask(method: string, params: JsonValue | HookEvent, signal: AbortSignal, limit: RequestLimit): Promise<Reply> {
    const wasRunning = this.#process?.isClosed === false
    const first = await this.#exchange(method, params, signal, limit)
    if (first.kind !== "fault") return first
    this.#lastFault = first.reason
    if (limit.once === true && wasRunning) return first
    const problem = await this.#restart(first.reason)
    if (problem !== undefined) return { kind: "fault", reason: problem }
    return this.#exchange(method, params, signal, limit)
  }

  async #exchange(
    method: string,
    params: JsonValue | HookEvent,
    outer: AbortSignal,
    { ms, from, onNotice }: RequestLimit,
  ): Promise<Reply> {
    const running = this.#process
    if (outer.aborted) return { kind: "given-up" }
    if (running === undefined) return { kind: "fault", reason: this.#lastFault ?? "it is not running" }
    const id = ++this.#lastId
    const tooLong = new AbortController()
    const signal = AbortSignal.any([outer, tooLong.signal])
    const ask = (restart: () => void) =>
      running.request(id, encodeRequest(id, method, params), {
        signal,
        onNotice: onNotice && restartingLimit(restart, onNotice),
      })
    const reply = from === "asked" ? await ask(() => {}) : await withinSilence(ask, ms, this.#deps.clock)
    if (reply === timedOut) {
      tooLong.abort()
      return { kind: "given-up" }
    }
    if (reply.kind === "result" || reply.kind === "error") this.#restartsInARow = 0
    return reply
  }

  /** Why it did not restart; undefined if it did. */
  async #restart(reason: string): Promise<string | undefined> {
    const { clock, timing } = this.#deps
    const pauseMs = timing.restartAfterMs[this.#restartsInARow]
    if (this.#health === "stopped") return reason
    await this.#drop()
    if (pauseMs === undefined) {
      this.#health = "failed"
      return `${reason}, and ${timing.restartAfterMs.length} restarts did not help`
    }
    this.#health = "restarting"
    this.#restartsInARow++
    this.#restarts++
    await clock.sleep(pauseMs, this.#stopper.signal).catch(() => {}) // stopped
    const started = this.#isStopped() ? undefined : await this.#launch(timing.reinitializeMs)
    if (this.#isStopped()) return reason
    this.#health = "degraded"
    return started?.kind === "failed" ? started.reason : undefined
  }

  #isStopped(): boolean {
    return this.#health === "stopped"
  }

  async #launch(timeoutMs: number): Promise<Started> {
    if (this.#isStopped()) return this.#failed("it was stopped")
    const { clock } = this.#deps
    const spawning = this.#spawn().catch(startFailure)
    this.#spawning = spawning
    const running = await spawning
    if (typeof running === "string") return this.#failed(running)
    this.#process = running
    const id = ++this.#lastId
    const reply = await withTimeout(running.request(id, this.#initializeRequest(id)), timeoutMs, clock)
    const started = this.#readInitializeReply(running, reply === timedOut ? { kind: "given-up" } : reply)
    if (started.kind === "failed" || this.#isStopped()) await this.#drop()
    return started
  }

  /** Or why it did not start. */
  async #spawn(): Promise<RpcProcess | string> {
    const { processes, owner, prepare } = this.#deps
    const { folder, commandLine, needs } = this.spec
    const prepared = await prepare({ ...commandLine, folder, needs }, { isLater: this.#restarts > 0 })
    if (prepared.kind === "refused") return prepared.reason
    const { command, args } = prepared
    const { env } = commandLine
    const gated = await processes.spawn({ command, args, env, cwd: folder, owner, stdin: "pipe" })
    return new RpcProcess(gated, this.#deps)
  }

  #readInitializeReply(running: RpcProcess, reply: Reply): Started {
    if (reply.kind === "given-up") return this.#failed("it did not answer initialize in time")
    if (reply.kind === "error") return this.#failed(`it answered initialize with an error: ${reply.message}`)
    if (reply.kind === "fault") return this.#failed(startFault(running, reply.reason, this.spec))
    const result = readInitializeResult(reply.value, this.spec)
    return result.kind === "refused" ? this.#failed(result.reason) : { ...result, kind: "started" }
  }

  #initializeRequest(id: number): string {
    const { id: pluginId, folder: pluginRoot, version: protocolVersion, config } = this.spec
    const { release } = this.#deps
    return encodeRequest(id, "initialize", initializeParams({ release, protocolVersion, pluginId, pluginRoot, config }))
  }

  #failed(reason: string): Started {
    this.#lastFault = reason
    return { kind: "failed", reason }
  }

  async #drop(): Promise<void> {
    const running = this.#process
    this.#process = undefined
    await running?.kill()
  }
}

/** The shell exits with 126 or 127 when it cannot exec the program. */
function startFault(running: RpcProcess, reason: string, spec: ExtensionSpec): string {
  const { command } = spec.commandLine
  const setup = spec.setup === undefined ? "" : `; run its setup script ${spec.setup}`
  if (running.exitCode === 127) return `its program ${command} was not found${setup}`
  if (running.exitCode === 126) return `its program ${command} cannot be run${setup}`
  return running.lastStderrLine === undefined
    ? reason
    : `${reason}; last line on stderr: ${running.lastStderrLine.slice(0, 200)}`
}

function restartingLimit(restart: () => void, onNotice: (notice: RpcNotice) => boolean): (notice: RpcNotice) => void {
  return (notice) => {
    if (onNotice(notice)) restart()
  }
}
