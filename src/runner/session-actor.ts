// One live session: its mailbox, state and watchers. Each input is decided, its events are committed, published and
// acted on before the next input. Nothing else writes to the session's log.
import type { SessionCommand } from "../contract/commands.ts"
import type { SessionDelta } from "../contract/deltas.ts"
import type { Recorded, SessionEvent } from "../contract/events.ts"
import type { SendOutcome, Watcher, WatchItem } from "../contract/host-port.ts"
import type { CallId, SessionId, StepId, TurnId } from "../contract/ids.ts"
import { limits } from "../contract/limits.ts"
import type { Refusal } from "../contract/refusals.ts"
import type { ShellEnvironment } from "../contract/session-options.ts"
import type { By, JsonValue, Who } from "../contract/values.ts"
import { contextItems, foldContext, type Context } from "../projection/context.ts"
import { planSummary } from "../features/plan-mode/plan-summary.ts"
import { foldStatus, type SessionStatus } from "../projection/status.ts"
import { foldTasks, type TaskList } from "../features/tasks/task-list.ts"
import { decide } from "../session/decide.ts"
import type { Stamp } from "../session/decision.ts"
import { evolve } from "../session/evolve.ts"
import type { RunnerReport } from "../session/report.ts"
import type { SessionState } from "../session/state.ts"
import type { Tool } from "../tools/tool.ts"
import { withSearch } from "./tools/on-demand.ts"
import { Effects } from "./effects.ts"
import { HookPoints } from "./hooks/hook-points.ts"
import { followLocks } from "../features/locks/effects/follow-locks.ts"
import { SessionShells } from "../features/shells/effects/session-shells.ts"
import { Presence } from "./presence.ts"
import type { LiveOutput } from "./tools/live-output.ts"
import { TurnMemory } from "./prompt/turn-memory.ts"
import { Resources } from "./tools/resources.ts"
import { scrubbedPrompt, scrubEvents } from "./scrub-events.ts"
import { encodeSnapshot, type SessionFolds } from "./snapshot.ts"
import { settledStep, type Streaming } from "./model/streaming.ts"
import { pause } from "./waiting.ts"
import { requiredEffects } from "../session/required-effects.ts"
import type { McpServers, Services, SessionContext } from "./session-context.ts"

export interface PauseOptions {
  readonly finishProcesses?: boolean
}

/** Host warnings that a session shows; further ones are only in the host's own output. */
const MAX_WARNINGS = 20
const hostCaller: By = { principal: "the host", door: "runner" }

export class SessionActor implements SessionContext {
  readonly id: SessionId
  readonly services: Services
  readonly realInputs = new Map<CallId, JsonValue>()
  readonly resources = new Resources()
  readonly shells = new SessionShells(this)
  readonly liveOutputs = new Map<CallId, LiveOutput>()
  readonly turnMemory = new TurnMemory()
  cutAnswers: { readonly turnId: TurnId | undefined; readonly count: number } = { turnId: undefined, count: 0 }
  readonly refusedTokens = new Map<string, number>()
  readonly foundTools = new Set<string>()
  /** Environment of the shell that opened the session last; for its tools, never stored. */
  shell: ShellEnvironment = {}
  #folds: SessionFolds
  /** Events that the context does not have yet. */
  #unfolded: readonly Recorded[] = []
  #streaming: Streaming | undefined
  /** The step whose end is being stored. */
  #settling: StepId | undefined
  #snapshotSeq: number
  #tail: Promise<unknown> = Promise.resolve()
  readonly #watchers = new Set<Watcher>()
  readonly #presence: Presence
  #effects: Effects
  #hooks: HookPoints | undefined
  #servers: McpServers | undefined
  #activeAt: number
  #lost: Refusal | undefined
  readonly #warnings = new Set<string>()
  #closing = new AbortController()

  constructor(id: SessionId, services: Services, folds: SessionFolds, snapshotSeq: number) {
    this.id = id
    this.services = services
    this.#folds = folds
    this.#snapshotSeq = snapshotSeq
    this.#effects = new Effects(this)
    this.#presence = new Presence(
      (delta) => this.publish(delta),
      () => followLocks(this),
    )
    this.#activeAt = services.now()
  }

  get toolEnv(): Readonly<Record<string, string>> {
    const { toolEnv, passesVariable = () => true } = this.services
    const shell = Object.entries(this.shell).flatMap(([name, value]) => {
      return value !== undefined && passesVariable(name, value) ? [[name, value]] : []
    })
    return { ...toolEnv, ...Object.fromEntries(shell) }
  }

  /** The clients that watch through a door. */
  get watching(): readonly By[] {
    return this.#presence.who
  }

  /** When the session last changed or was last watched. */
  get activeAt(): number {
    return this.watching.length > 0 ? this.services.now() : this.#activeAt
  }

  get hooks(): HookPoints | undefined {
    return this.#hooks
  }

  get servers(): McpServers | undefined {
    return this.#servers
  }

  get tools(): readonly Tool[] {
    const { tools, service } = this.services
    const external = [...(this.#hooks?.tools ?? []), ...(this.#servers?.tools ?? [])]
    if (external.length === 0) return tools
    return withSearch(
      tools,
      external.filter(({ name }) => service?.allows?.(name) !== false),
    )
  }

  get state(): SessionState {
    return this.#folds.state
  }

  /** Folded when it is first read, so that the sender of a long prompt does not wait for the fold. */
  get context(): Context {
    if (this.#unfolded.length > 0) {
      this.#folds = { ...this.#folds, context: this.#unfolded.reduce(foldContext, this.#folds.context) }
      this.#unfolded = []
    }
    return this.#folds.context
  }

  get tasks(): TaskList {
    return this.#folds.tasks
  }

  get status(): SessionStatus {
    return this.#folds.status
  }

  /** For a client that joins mid-step: the text so far, to which the next deltas belong. */
  get streaming(): Streaming | undefined {
    return this.#streaming
  }

  send(command: SessionCommand, who: Who): Promise<SendOutcome> {
    return this.#enqueue(command, who)
  }

  /** A result must not be lost because the disk is full for a moment: it is retried until it is stored or stale. */
  async report(report: RunnerReport): Promise<SendOutcome> {
    let waitedMs = 0
    for (let pauseMs = 50; ; pauseMs = Math.min(pauseMs * 2, 5000)) {
      const outcome = await this.#enqueue(report, hostCaller)
      if (outcome.kind === "accepted" || outcome.refusal.code !== "log.unavailable") return outcome
      if (this.#closing.signal.aborted) return outcome
      this.services.warn(`cannot store a result yet: ${outcome.refusal.what}`, this.id)
      await pause(pauseMs, this.#closing.signal)
      waitedMs += pauseMs
      if (waitedMs >= limits.stalledMs && waitedMs - pauseMs < limits.stalledMs)
        this.#publishStalled(outcome.refusal.what)
    }
  }

  /**
   * The watcher gets everything after `state.seq`; what came before is in the log. A watcher behind a door passes `by`.
   */
  watch(watcher: Watcher, by?: By): () => void {
    this.#watchers.add(watcher)
    const leave = by === undefined ? () => {} : this.#presence.enter(by)
    if (this.#lost !== undefined) watcher({ kind: "lost", refusal: this.#lost })
    if (by !== undefined)
      for (const message of this.#warnings) watcher({ kind: "delta", delta: { type: "host.warned", message } })
    return () => {
      this.#watchers.delete(watcher)
      leave()
      this.#activeAt = this.services.now()
    }
  }

  warn(sentence: string): void {
    const message = this.services.scrubber.text(sentence)
    if (this.#warnings.has(message) || this.#warnings.size >= MAX_WARNINGS) return
    this.#warnings.add(message)
    this.publish({ type: "host.warned", message })
  }

  publish(delta: SessionDelta): void {
    this.#notify({ kind: "delta", delta })
  }

  stream(streaming: Streaming): void {
    this.#streaming = streaming
    if (this.#settling === streaming.stepId) streaming.hold() // the end of its step is being stored, without this text
  }

  /** Starts the effects that the state requires. Called after recovery and after a pause; later every input does it. */
  begin(): void {
    if (this.#lost !== undefined) return // each of its results would be refused, and it would be started again
    const { hooks, tools } = this.services
    const warn = (sentence: string) => this.warn(sentence)
    this.services.warnings?.forEach(warn)
    this.#hooks ??= hooks === undefined ? undefined : new HookPoints(hooks, this.id, this.state, tools, warn)
    this.#servers ??= this.#enterServers()
    this.services.ledger.note(this.state)
    this.#effects.begin()
    this.#effects.ensure(requiredEffects(this.state))
  }

  /** Children use the servers of their root. */
  #enterServers(): McpServers | undefined {
    const { created } = this.state
    if (this.services.servers === undefined || created === undefined) return undefined
    const { org, cwd } = created
    const servers = this.services.servers.enter({ rootId: this.#rootId, org, cwd, env: () => this.toolEnv })
    if (this.#rootId === this.id) servers.follow((sentence) => this.warn(sentence))
    return servers
  }

  get #rootId(): SessionId {
    return this.state.created?.parent?.rootId ?? this.id
  }

  /** Stops acting on the session: another host owns it now. */
  lose(refusal: Refusal): void {
    if (this.#lost !== undefined) return
    this.#lost = refusal
    this.#effects.stop()
    this.#notify({ kind: "lost", refusal })
  }

  /**
   * Starts nothing new; resolves when all that must not be cut off has its end in the log, or the time is over. With
   * `finishProcesses` the time does not count for tool processes: each runs to its end, also one that could be repeated.
   */
  async pause(timeoutMs: number, { finishProcesses = false }: PauseOptions = {}): Promise<void> {
    const stopped = new AbortController()
    await Promise.race([this.#effects.pause(finishProcesses), pause(timeoutMs, stopped.signal)])
    stopped.abort()
    if (finishProcesses) await this.#effects.finishProcesses()
  }

  /** Stops the work without storing anything: the next host opens the session as it is. */
  async close(): Promise<void> {
    this.#closing.abort()
    this.shells.close()
    this.#presence.close()
    this.#effects.stop()
    await this.#effects.settled()
    await this.#tail
    await this.#hooks?.close(this.#lost === undefined ? "closed" : "lost", this.context)
    if (this.#servers !== undefined) await this.services.servers?.leave(this.#rootId)
    if (this.#lost !== undefined) return
    if (this.state.seq > this.#snapshotSeq) await this.#saveSnapshot()
    this.#notify({ kind: "lost", refusal: { code: "host.gone" } })
  }

  #publishStalled(what: string): void {
    const turnId = this.state.turn?.id
    if (turnId !== undefined) this.publish({ type: "turn.stalled", turnId, what })
  }

  #enqueue(input: SessionCommand | RunnerReport, who: Who): Promise<SendOutcome> {
    const outcome = this.#tail.then(() => this.#handle(input, who))
    this.#tail = outcome.catch(() => {}) // a failed input must not fail the next one
    return outcome
  }

  /** Roles are checked here and not stored; of the sender only principal and door are. */
  async #handle(input: SessionCommand | RunnerReport, who: Who): Promise<SendOutcome> {
    if (this.#lost !== undefined) return { kind: "refused", refusal: this.#lost }
    const { now, newId, scrubber, service, codes } = this.services
    const at = now()
    const streamed = this.#streaming?.streamed() ?? []
    const isCode: Stamp["isCode"] = (...args) => codes?.isCode(...args) === true
    const { principal, door, roles } = who
    const stamp = { at, id: newId(), by: { principal, door }, roles, isCode, streamed, workflow: service?.workflow }
    const decision = decide(this.state, this.#completeInput(input), stamp)
    const events = decision.events ?? []
    const accepted = { kind: "accepted", seq: this.state.seq } as const
    const outcome =
      events.length === 0 ? accepted : await this.#commit(scrubEvents(events, scrubber, this.realInputs), at)
    return outcome.kind === "accepted" && decision.kind === "refused"
      ? { kind: "refused", refusal: decision.refusal }
      : outcome
  }

  /** Adds what only the session knows: the scrubbed text by which a repeated prompt is recognised, and a plan's summary. */
  #completeInput(input: SessionCommand | RunnerReport): SessionCommand | RunnerReport {
    if (input.type === "prompt") return scrubbedPrompt(input, this.services.scrubber)
    if (input.type !== "exit-plan" || input.summary !== undefined) return input
    return { ...input, summary: planSummary(contextItems(this.context)) }
  }

  async #commit(events: readonly SessionEvent[], at: number): Promise<SendOutcome> {
    const expectedSeq = this.state.seq
    const next = events.map((event, index) => ({ seq: expectedSeq + 1 + index, at, event }))
    const state = next.reduce(evolve, this.state)
    const status = next.reduce(foldStatus, this.status)
    const settles = settledStep(this.state, state)
    const { log, lease } = this.services
    const summary = { ...status }
    this.#settling = settles
    if (settles !== undefined) this.#streaming?.hold() // a watcher must not get text that the stored text lacks
    const appended = await log.append(lease, { sessionId: this.id, expectedSeq, at, events, settles, summary })
    this.#settling = undefined
    if (appended.kind === "refused") {
      if (settles !== undefined) this.#streaming?.release()
      return this.#refuseCommit(appended.refusal)
    }
    const notifications = this.#hooks?.notificationsOf(events, at, this.context, this.state) ?? []
    this.#folds = {
      state,
      status,
      context: this.#folds.context,
      tasks: appended.value.reduce(foldTasks, this.tasks),
    }
    this.#unfolded = [...this.#unfolded, ...appended.value]
    this.#activeAt = at
    this.services.ledger.note(state)
    if (settles !== undefined) this.#streaming = undefined
    for (const recorded of appended.value) this.#notify({ kind: "event", recorded })
    this.#hooks?.notify(notifications)
    this.#effects.ensure(requiredEffects(this.state))
    if (this.state.seq - this.#snapshotSeq >= limits.snapshotEvery) void this.#saveSnapshot()
    return { kind: "accepted", seq: this.state.seq }
  }

  #refuseCommit(refusal: Refusal): SendOutcome {
    if (refusal.code !== "log.unavailable") this.lose(refusal)
    return { kind: "refused", refusal }
  }

  async #saveSnapshot(): Promise<void> {
    const { log, lease, warn } = this.services
    const snapshot = { seq: this.state.seq, value: encodeSnapshot({ ...this.#folds, context: this.context }) }
    this.#snapshotSeq = snapshot.seq
    const saved = await log.saveSnapshot(lease, this.id, snapshot)
    if (saved.kind === "refused") warn(`cannot save a snapshot: ${saved.refusal.code}`, this.id) // opening reads the log instead
  }

  #notify(item: WatchItem): void {
    for (const watcher of this.#watchers) {
      try {
        watcher(item)
      } catch (fault) {
        this.services.warn(`a watcher failed: ${String(fault)}`, this.id) // it must not affect the other watchers
      }
    }
  }
}
