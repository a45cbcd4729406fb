// One live session: a mailbox, the state, and whoever watches. Order is the invariant here: an input is decided,
// its events are committed, then shown, then acted on; the next input waits until then. Nothing else writes to the
// session's log.
import type { SessionCommand } from "../contract/commands.ts"
import type { SessionDelta } from "../contract/deltas.ts"
import type { SessionEvent } from "../contract/events.ts"
import type { SendOutcome, Watcher, WatchItem } from "../contract/house-port.ts"
import type { CallId, SessionId, StepId } from "../contract/ids.ts"
import { limits } from "../contract/limits.ts"
import type { Refusal } from "../contract/refusals.ts"
import type { ShellEnvironment } from "../contract/session-wish.ts"
import type { By, JsonValue, StreamedBlock } from "../contract/values.ts"
import { foldContext, type Context } from "../projection/context.ts"
import { foldStatus, type SessionStatus } from "../projection/status.ts"
import { foldTasks, type TaskList } from "../projection/tasks.ts"
import { decide } from "../session/decide.ts"
import { evolve } from "../session/evolve.ts"
import type { RunnerReport } from "../session/report.ts"
import type { SessionState } from "../session/state.ts"
import { wanted } from "../session/wanted.ts"
import type { Tool } from "../tools/tool.ts"
import { Effects } from "./effects.ts"
import { HookPoints } from "./hook-points.ts"
import { Presence } from "./presence.ts"
import { Resources } from "./resources.ts"
import { scrubEvents } from "./scrub-events.ts"
import type { Scrubber, Services } from "./services.ts"
import { encodeSnapshot, type SessionFolds } from "./snapshot.ts"
import { pause } from "./waiting.ts"

/** What a step has said so far and is not a fact yet. */
export interface Streaming {
  readonly stepId: StepId
  streamed(): readonly StreamedBlock[]
}

const theHost: By = { principal: "the host", door: "runner" }

export class SessionActor {
  readonly id: SessionId
  readonly services: Services
  /** Arguments that hold a secret: they live here and nowhere else. */
  readonly realInputs = new Map<CallId, JsonValue>()
  readonly resources = new Resources()
  /** Of the shell of whoever opened the session last; for its tools, never stored. */
  shell: ShellEnvironment = {}
  #folds: SessionFolds
  #streaming: Streaming | undefined
  #snapshotSeq: number
  #tail: Promise<unknown> = Promise.resolve()
  readonly #watchers = new Set<Watcher>()
  readonly #presence: Presence
  #effects: Effects
  #hooks: HookPoints | undefined
  #activeAt: number
  #lost: Refusal | undefined
  #closing = new AbortController()

  constructor(id: SessionId, services: Services, folds: SessionFolds, snapshotSeq: number) {
    this.id = id
    this.services = services
    this.#folds = folds
    this.#snapshotSeq = snapshotSeq
    this.#effects = new Effects(this)
    this.#presence = new Presence((delta) => this.publish(delta))
    this.#activeAt = services.now()
  }

  get toolEnv(): Readonly<Record<string, string>> {
    const shell = Object.entries(this.shell).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]]))
    return { ...this.services.toolEnv, ...Object.fromEntries(shell) }
  }

  /** Who watches through a door. */
  get watching(): readonly By[] {
    return this.#presence.who
  }

  /** When something last happened here, or somebody last looked. */
  get activeAt(): number {
    return this.watching.length > 0 ? this.services.now() : this.#activeAt
  }

  /** Absent where there are no extensions, and before anything has begun. */
  get hooks(): HookPoints | undefined {
    return this.#hooks
  }

  /** Those of the house and those that extensions bring. */
  get tools(): readonly Tool[] {
    const { tools, service } = this.services
    const brought = this.#hooks?.tools ?? []
    return brought.length === 0 ? tools : [...tools, ...brought.filter(({ name }) => service?.allows?.(name) !== false)]
  }

  get state(): SessionState {
    return this.#folds.state
  }

  get context(): Context {
    return this.#folds.context
  }

  get tasks(): TaskList {
    return this.#folds.tasks
  }

  get status(): SessionStatus {
    return this.#folds.status
  }

  /** For whoever joins in the middle of a step: the text so far, to which the next deltas belong. */
  get streaming(): Streaming | undefined {
    return this.#streaming
  }

  send(command: SessionCommand, by: By): Promise<SendOutcome> {
    return this.#enqueue(command, by)
  }

  /** A result must not be lost because the disk was full for a moment: it is offered until it is taken or stale. */
  async report(report: RunnerReport): Promise<SendOutcome> {
    for (let pauseMs = 50; ; pauseMs = Math.min(pauseMs * 2, 5000)) {
      const outcome = await this.#enqueue(report, theHost)
      if (outcome.kind === "accepted" || outcome.refusal.code !== "log.unavailable") return outcome
      if (this.#closing.signal.aborted) return outcome
      this.services.warn(`a result waits to be stored: ${outcome.refusal.what}`, this.id)
      await pause(pauseMs, this.#closing.signal)
    }
  }

  /**
   * From here on the watcher misses nothing: what came up to `state.seq` is in the log, the rest comes to it. Whoever
   * watches through a door says who they are.
   */
  watch(watcher: Watcher, by?: By): () => void {
    this.#watchers.add(watcher)
    const leave = by === undefined ? () => {} : this.#presence.enter(by)
    if (this.#lost !== undefined) watcher({ kind: "lost", refusal: this.#lost })
    return () => {
      this.#watchers.delete(watcher)
      leave()
      this.#activeAt = this.services.now()
    }
  }

  publish(delta: SessionDelta): void {
    this.#tell({ kind: "delta", delta })
  }

  stream(streaming: Streaming): void {
    this.#streaming = streaming
  }

  /** Starts the work that the state asks for. Called once, after recovery; from then on every input does it. */
  begin(): void {
    const { hooks, tools } = this.services
    this.#hooks ??= hooks === undefined ? undefined : new HookPoints(hooks, this.id, this.state, tools)
    this.services.ledger.note(this.state)
    this.#effects.begin()
    this.#effects.ensure(wanted(this.state))
  }

  /** Stops acting on the session: somebody else owns it now. */
  lose(refusal: Refusal): void {
    if (this.#lost !== undefined) return
    this.#lost = refusal
    this.#effects.stop()
    this.#tell({ kind: "lost", refusal })
  }

  /** Begins nothing new; resolves when all that must not be cut off has its end in the log, or patience is over. */
  async pause(patienceMs: number): Promise<void> {
    const enough = new AbortController()
    await Promise.race([this.#effects.pause(), pause(patienceMs, enough.signal)])
    enough.abort()
  }

  /** Stops the work without a word in the log: the session stays as it is for the next one who opens it. */
  async close(): Promise<void> {
    this.#closing.abort()
    this.#presence.close()
    this.#effects.stop()
    await this.#effects.settled()
    await this.#tail
    await this.#hooks?.leave(this.#lost === undefined ? "closed" : "lost", this.context)
    if (this.#lost !== undefined) return
    if (this.state.seq > this.#snapshotSeq) await this.#saveSnapshot()
    this.#tell({ kind: "lost", refusal: { code: "host.gone" } })
  }

  #enqueue(input: SessionCommand | RunnerReport, by: By): Promise<SendOutcome> {
    const outcome = this.#tail.then(() => this.#handle(input, by))
    this.#tail = outcome.catch(() => {}) // a failed input is its sender's problem, not the next one's
    return outcome
  }

  async #handle(input: SessionCommand | RunnerReport, by: By): Promise<SendOutcome> {
    if (this.#lost !== undefined) return { kind: "refused", refusal: this.#lost }
    const { now, newId, scrubber } = this.services
    const at = now()
    const streamed = this.#streaming?.streamed() ?? []
    const decision = decide(this.state, scrubbedPrompt(input, scrubber), { at, id: newId(), by, streamed })
    if (decision.kind === "refused") return decision
    if (decision.events.length === 0) return { kind: "accepted", seq: this.state.seq }
    return this.#commit(scrubEvents(decision.events, scrubber, this.realInputs), at)
  }

  async #commit(events: readonly SessionEvent[], at: number): Promise<SendOutcome> {
    const expectedSeq = this.state.seq
    const next = events.map((event, index) => ({ seq: expectedSeq + 1 + index, at, event }))
    const state = next.reduce(evolve, this.state)
    const status = next.reduce(foldStatus, this.status)
    const settles = settledStep(this.state, state)
    const { log, lease } = this.services
    const summary = { ...status }
    const appended = await log.append(lease, { sessionId: this.id, expectedSeq, at, events, settles, summary })
    if (appended.kind === "refused") return this.#notCommitted(appended.refusal)
    const news = this.#hooks?.newsOf(events, at, this.context, this.state) ?? []
    this.#folds = {
      state,
      status,
      context: appended.value.reduce(foldContext, this.context),
      tasks: appended.value.reduce(foldTasks, this.tasks),
    }
    this.#activeAt = at
    this.services.ledger.note(state)
    if (settles !== undefined) this.#streaming = undefined
    for (const recorded of appended.value) this.#tell({ kind: "event", recorded })
    this.#hooks?.tell(news)
    this.#effects.ensure(wanted(this.state))
    if (this.state.seq - this.#snapshotSeq >= limits.snapshotEvery) void this.#saveSnapshot()
    return { kind: "accepted", seq: this.state.seq }
  }

  #notCommitted(refusal: Refusal): SendOutcome {
    if (refusal.code !== "log.unavailable") this.lose(refusal)
    return { kind: "refused", refusal }
  }

  async #saveSnapshot(): Promise<void> {
    const { log, lease, warn } = this.services
    const snapshot = { seq: this.state.seq, value: encodeSnapshot(this.#folds) }
    this.#snapshotSeq = snapshot.seq
    const saved = await log.saveSnapshot(lease, this.id, snapshot)
    if (saved.kind === "refused") warn(`no snapshot was saved: ${saved.refusal.code}`, this.id) // the log has it all
  }

  #tell(item: WatchItem): void {
    for (const watcher of this.#watchers) {
      try {
        watcher(item)
      } catch (fault) {
        this.services.warn(`a watcher failed: ${String(fault)}`, this.id) // its problem, nobody else's
      }
    }
  }
}

/** A prompt sent again must be known again, and what is remembered of it is the scrubbed text. */
function scrubbedPrompt(input: SessionCommand | RunnerReport, scrubber: Scrubber): SessionCommand | RunnerReport {
  return input.type === "prompt" ? { ...input, text: scrubber.text(input.text) } : input
}

/** The step whose model has just answered or was cut off: its text is a fact now, the checkpoints are superfluous. */
function settledStep(before: SessionState, after: SessionState): StepId | undefined {
  const step = before.turn?.step
  if (step === undefined || step.answered) return undefined
  const still = after.turn?.step
  return still?.id === step.id && !still.answered ? undefined : step.id
}
