// What one parent has been sent of its session, and what it is still owed: the turn it started, a compaction, the status.
// Items of the session go in, frames come out; a turn closes with `agent_end` and then its one response. Everything that
// can be read here is true of what the parent was sent, never ahead of it.
import { finishSentence } from "../../contract/text/finish-sentence.ts"
import type { EventOf, Recorded } from "../../contract/events.ts"
import type { WatchItem } from "../../contract/host-port.ts"
import type { CompactionId, PromptId, SessionId, TurnId } from "../../contract/ids.ts"
import type { Refusal } from "../../contract/refusals.ts"
import { foldStatus, type SessionStatus } from "../../projection/status.ts"
import { errorFrame, refusalMessage } from "./errors.ts"
import { TurnView, type TurnOptions } from "./turn-view.ts"
import { turnUsage } from "./responses.ts"

export interface ParentViewOptions extends TurnOptions {
  /** Milliseconds after a prompt in which its failure is sent as an error: a parent that has given up waiting may not
   *  survive one. */
  readonly errorWindowMs: number
}

/** A prompt of the parent that becomes a turn, or a part of one. */
export interface PromptRequest {
  readonly id: string
  readonly command: "prompt" | "follow_up" | "queue"
  readonly promptId: PromptId
  readonly at: number
}

interface OwnTurn {
  /** Absent for a queued prompt, which was answered when it was accepted: its turn closes without a response. */
  readonly request: PromptRequest | undefined
  readonly view: TurnView
  turnId: TurnId | undefined
  /** Why it counts as failed although it was interrupted. */
  failure: string | undefined
}

interface RequestedCompaction {
  readonly id: string
  compactionId: CompactionId | undefined
}

export class ParentView {
  readonly sessionId: SessionId
  readonly #options: ParentViewOptions
  readonly #queued = new Set<PromptId>()
  #status: SessionStatus
  #seq: number
  #turn: OwnTurn | undefined
  #compaction: RequestedCompaction | undefined

  constructor(sessionId: SessionId, seq: number, status: SessionStatus, options: ParentViewOptions) {
    this.sessionId = sessionId
    this.#seq = seq
    this.#status = status
    this.#options = options
  }

  get status(): SessionStatus {
    return this.#status
  }

  /** The newest event that the parent was sent. */
  get seq(): number {
    return this.#seq
  }

  get inTurn(): boolean {
    return this.#turn !== undefined || this.#status.inTurn
  }

  get isBusy(): boolean {
    return this.inTurn || this.#compaction !== undefined || this.#status.compacting
  }

  /** The parent is owed nothing. */
  get isIdle(): boolean {
    return this.#turn === undefined && this.#compaction === undefined
  }

  /** The parent's turn waits for something that this wire cannot give. */
  get isStuck(): boolean {
    return this.#turn?.failure !== undefined
  }

  /** From here on the session is busy for the parent, until the turn closes or `abandonTurn` is called. */
  beginTurn(request: PromptRequest): void {
    this.#turn = this.#ownTurn(request)
  }

  /** The prompt was refused. */
  abandonTurn({ promptId }: PromptRequest): void {
    if (this.#turn?.request?.promptId === promptId) this.#turn = undefined
  }

  /** A prompt for the running turn. It may become a turn of its own. */
  queue(promptId: PromptId): void {
    this.#queued.add(promptId)
  }

  beginCompaction(id: string): void {
    this.#compaction = { id, compactionId: undefined }
  }

  abandonCompaction(): void {
    this.#compaction = undefined
  }

  /** Some deltas were left out. */
  gap(): void {
    this.#turn?.view.gap()
  }

  item(item: WatchItem): void {
    switch (item.kind) {
      case "event":
        return this.#event(item.recorded)
      case "delta":
        if (this.#turn?.turnId !== undefined) this.#turn.view.delta(item.delta)
        return
      case "streamed":
        if (this.#turn?.turnId !== undefined) this.#turn.view.streamed(item.stepId, item.blocks)
        return
      case "lost":
        return this.#lost(item.refusal)
    }
  }

  #event(recorded: Recorded): void {
    this.#status = foldStatus(this.#status, recorded)
    this.#seq = recorded.seq
    this.#encode(recorded)
  }

  #encode(recorded: Recorded): void {
    const { event, at } = recorded
    switch (event.type) {
      case "prompt.promoted":
        return this.#promoted(event)
      case "prompt.withdrawn":
        return this.#withdrawn(event)
      case "turn.parked":
        return this.#parked(event)
      case "turn.ended":
        return this.#turnEnded(event, at)
      case "compaction.started":
        if (event.why === "asked" && this.#compaction !== undefined)
          this.#compaction.compactionId ??= event.compactionId
        return
      case "context.compacted":
      case "compaction.failed":
        return this.#compactionEnded(event)
      default:
        if (this.#turn?.turnId !== undefined) this.#turn.view.event(recorded)
    }
  }

  #promoted({ promptId, turnId }: EventOf<"prompt.promoted">): void {
    const wasQueued = this.#queued.delete(promptId)
    if (this.#turn?.request?.promptId === promptId) this.#turn.turnId = turnId
    else if (wasQueued && this.#turn === undefined) this.#turn = { ...this.#ownTurn(undefined), turnId }
  }

  #withdrawn({ promptId, reason }: EventOf<"prompt.withdrawn">): void {
    this.#queued.delete(promptId)
    const { request } = this.#turn ?? {}
    if (request === undefined || request.promptId !== promptId) return
    this.#turn = undefined
    this.#options.sink.frame(errorFrame(request.id, `the prompt was withdrawn: ${reason}`))
  }

  /** A turn that waits for what this wire cannot give fails for the parent: the door interrupts it. */
  #parked({ turnId, message, waitsFor }: EventOf<"turn.parked">): void {
    if (this.#turn?.turnId !== turnId || waitsFor !== undefined) return // it resumes by itself
    this.#turn.failure = message
  }

  #turnEnded(event: EventOf<"turn.ended">, at: number): void {
    const turn = this.#turn
    if (turn === undefined || turn.turnId !== event.turnId) return
    const failure = turn.failure ?? failureOf(event)
    turn.view.end(failure === undefined && event.reason === "interrupted", at)
    this.#close(turn, failure, event.reason === "interrupted", at)
  }

  /** A parent that reads one of these frames may prompt at once, so the turn is over before the first is written. */
  #close({ request, view }: OwnTurn, failure: string | undefined, isCancelled: boolean, at: number): void {
    const { sink } = this.#options
    this.#turn = undefined
    const isAwaited = request !== undefined && at - request.at <= this.#options.errorWindowMs
    if (failure !== undefined && isAwaited) sink.frame(errorFrame(request.id, failure))
    sink.frame({ type: "agent_end", usage: turnUsage(this.#status.usage.turn, view.model) })
    if (request === undefined) return
    const head = { type: "response", id: request.id, command: request.command } as const
    if (failure !== undefined) sink.frame({ ...head, ok: false, error: failure })
    else sink.frame(isCancelled ? { ...head, ok: true, cancelled: true } : { ...head, ok: true })
  }

  #compactionEnded(event: EventOf<"context.compacted" | "compaction.failed">): void {
    if (this.#compaction === undefined || this.#compaction.compactionId !== event.compactionId) return
    const { id } = this.#compaction
    this.#compaction = undefined
    if (event.type === "compaction.failed") return this.#options.sink.frame(errorFrame(id, event.error))
    this.#options.sink.frame({ type: "response", id, command: "compact", ok: true, summary: event.summary })
  }

  #lost(refusal: Refusal): void {
    const why = refusalMessage(refusal)
    const turn = this.#turn
    if (turn !== undefined) {
      turn.view.end(false, turn.request?.at ?? 0)
      this.#close(turn, why, false, turn.request?.at ?? 0)
    }
    if (this.#compaction !== undefined) this.#options.sink.frame(errorFrame(this.#compaction.id, why))
    this.#compaction = undefined
  }

  #ownTurn(request: PromptRequest | undefined): OwnTurn {
    return { request, view: new TurnView(this.sessionId, this.#options), turnId: undefined, failure: undefined }
  }
}

function failureOf({ reason, error, finish }: EventOf<"turn.ended">): string | undefined {
  if (reason === "failed") return error ?? "the turn failed"
  if (finish !== undefined) return finishSentence(finish)
  return reason === "step-limit" ? "the turn reached its step limit" : undefined
}
