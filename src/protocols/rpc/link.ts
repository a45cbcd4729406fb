// What one parent knows of its session, and what it is still owed: the turn it asked for, a compaction, the session's
// line. Items of the session go in, frames come out; a turn closes with `agent_end` and then its one response. All
// that can be asked of a link is true of what the parent was told, never ahead of it.
import { finishSentence } from "../../contract/finish-sentence.ts"
import type { EventOf, Recorded } from "../../contract/events.ts"
import type { WatchItem } from "../../contract/host-port.ts"
import type { CompactionId, PromptId, SessionId, TurnId } from "../../contract/ids.ts"
import type { Refusal } from "../../contract/refusals.ts"
import { foldStatus, type SessionStatus } from "../../projection/status.ts"
import { errorFrame, refusalMessage } from "./errors.ts"
import { ToldTurn, type TurnOptions } from "./turn.ts"
import { turnUsage } from "./usage.ts"

export interface LinkOptions extends TurnOptions {
  /** A parent that has given up waiting must not get an error for what it asked: it may not survive that. */
  readonly errorWindowMs: number
}

/** Words of the parent that are to become a turn, or part of one. */
export interface Asked {
  readonly id: string
  readonly command: "prompt" | "follow_up" | "queue"
  readonly promptId: PromptId
  readonly at: number
}

interface OwnTurn {
  /** Absent for words that were answered when they were taken: their turn closes without a response. */
  readonly asked: Asked | undefined
  readonly told: ToldTurn
  turnId: TurnId | undefined
  /** Why it is to count as failed although it was interrupted. */
  failure: string | undefined
}

interface AskedCompaction {
  readonly id: string
  compactionId: CompactionId | undefined
}

export class Link {
  readonly sessionId: SessionId
  readonly #options: LinkOptions
  readonly #queued = new Set<PromptId>()
  #status: SessionStatus
  #seq: number
  #turn: OwnTurn | undefined
  #compaction: AskedCompaction | undefined
  #waiting: { readonly seq: number; readonly resolve: () => void }[] = []

  constructor(sessionId: SessionId, seq: number, status: SessionStatus, options: LinkOptions) {
    this.sessionId = sessionId
    this.#seq = seq
    this.#status = status
    this.#options = options
  }

  get status(): SessionStatus {
    return this.#status
  }

  /** The newest event that the parent was told of. */
  get seq(): number {
    return this.#seq
  }

  get inTurn(): boolean {
    return this.#turn !== undefined || this.#status.inTurn
  }

  get isBusy(): boolean {
    return this.inTurn || this.#compaction !== undefined || this.#status.compacting
  }

  /** Nothing is owed to the parent. */
  get isSettled(): boolean {
    return this.#turn === undefined && this.#compaction === undefined
  }

  /** Whether the parent's turn waits for something that will not come through this wire. */
  get isStuck(): boolean {
    return this.#turn?.failure !== undefined
  }

  /** From here on the session is busy for the parent, until the turn closes or `drop` is called. */
  accept(asked: Asked): void {
    this.#turn = { asked, told: new ToldTurn(this.#options), turnId: undefined, failure: undefined }
  }

  /** The words were not taken after all. */
  drop({ promptId }: Asked): void {
    if (this.#turn?.asked?.promptId === promptId) this.#turn = undefined
  }

  /** Words for the running turn. They may become a turn of their own. */
  queued(promptId: PromptId): void {
    this.#queued.add(promptId)
  }

  compacting(id: string): void {
    this.#compaction = { id, compactionId: undefined }
  }

  notCompacting(): void {
    this.#compaction = undefined
  }

  /** Resolves when the parent was told of the event with this number; nothing when it was already. */
  seen(seq: number): Promise<void> | undefined {
    if (this.#seq >= seq) return undefined
    return new Promise((resolve) => this.#waiting.push({ seq, resolve }))
  }

  /** Some deltas may have been missed. */
  gap(): void {
    this.#turn?.told.gap()
  }

  tell(item: WatchItem): void {
    switch (item.kind) {
      case "event":
        return this.#tellEvent(item.recorded)
      case "delta":
        if (this.#turn?.turnId !== undefined) this.#turn.told.delta(item.delta)
        return
      case "streamed":
        if (this.#turn?.turnId !== undefined) this.#turn.told.streamed(item.stepId, item.blocks)
        return
      case "lost":
        return this.#lost(item.refusal)
    }
  }

  #tellEvent(recorded: Recorded): void {
    this.#status = foldStatus(this.#status, recorded)
    this.#seq = recorded.seq
    this.#follow(recorded)
    this.#wake()
  }

  #follow(recorded: Recorded): void {
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
        return this.#compacted(event)
      case "compaction.failed":
        return this.#compactionFailed(event)
      default:
        if (this.#turn?.turnId !== undefined) this.#turn.told.tell(recorded)
    }
  }

  #promoted({ promptId, turnId }: EventOf<"prompt.promoted">): void {
    const wasQueued = this.#queued.delete(promptId)
    if (this.#turn?.asked?.promptId === promptId) this.#turn.turnId = turnId
    else if (wasQueued && this.#turn === undefined)
      this.#turn = { asked: undefined, told: new ToldTurn(this.#options), turnId, failure: undefined }
  }

  #withdrawn({ promptId, reason }: EventOf<"prompt.withdrawn">): void {
    this.#queued.delete(promptId)
    const { asked } = this.#turn ?? {}
    if (asked === undefined || asked.promptId !== promptId) return
    this.#turn = undefined
    this.#options.sink.frame(errorFrame(asked.id, `the prompt was withdrawn: ${reason}`))
  }

  /** A turn that waits for what this wire cannot give is over for the parent: the door interrupts it. */
  #parked({ turnId, message, waitsFor }: EventOf<"turn.parked">): void {
    if (this.#turn?.turnId !== turnId || waitsFor !== undefined) return // it resumes by itself
    this.#turn.failure = message
  }

  #turnEnded(event: EventOf<"turn.ended">, at: number): void {
    const turn = this.#turn
    if (turn === undefined || turn.turnId !== event.turnId) return
    const failure = turn.failure ?? failureOf(event)
    turn.told.end(failure === undefined && event.reason === "interrupted", at)
    this.#close(turn, failure, event.reason === "interrupted", at)
  }

  /** Whoever reads a frame of these may prompt at once, so the turn is over before the first is written. */
  #close({ asked, told }: OwnTurn, failure: string | undefined, isCancelled: boolean, at: number): void {
    const { sink } = this.#options
    this.#turn = undefined
    const isAwaited = asked !== undefined && at - asked.at <= this.#options.errorWindowMs
    if (failure !== undefined && isAwaited) sink.frame(errorFrame(asked.id, failure))
    sink.frame({ type: "agent_end", usage: turnUsage(this.#status.usage.turn, told.model) })
    if (asked === undefined) return
    const head = { type: "response", id: asked.id, command: asked.command } as const
    if (failure !== undefined) sink.frame({ ...head, ok: false, error: failure })
    else sink.frame(isCancelled ? { ...head, ok: true, cancelled: true } : { ...head, ok: true })
  }

  #compacted({ compactionId, summary }: EventOf<"context.compacted">): void {
    const compaction = this.#compaction
    if (compaction === undefined || compaction.compactionId !== compactionId) return
    this.#compaction = undefined
    this.#options.sink.frame({ type: "response", id: compaction.id, command: "compact", ok: true, summary })
  }

  #compactionFailed({ compactionId, error }: EventOf<"compaction.failed">): void {
    const compaction = this.#compaction
    if (compaction === undefined || compaction.compactionId !== compactionId) return
    this.#compaction = undefined
    this.#options.sink.frame(errorFrame(compaction.id, error))
  }

  #lost(refusal: Refusal): void {
    const why = refusalMessage(refusal)
    const turn = this.#turn
    if (turn !== undefined) {
      turn.told.end(false, turn.asked?.at ?? 0)
      this.#close(turn, why, false, turn.asked?.at ?? 0)
    }
    if (this.#compaction !== undefined) this.#options.sink.frame(errorFrame(this.#compaction.id, why))
    this.#compaction = undefined
  }

  #wake(): void {
    if (this.#waiting.length === 0) return
    const due = this.#waiting.filter(({ seq }) => seq <= this.#seq)
    if (due.length === 0) return
    this.#waiting = this.#waiting.filter(({ seq }) => seq > this.#seq)
    for (const { resolve } of due) resolve()
  }
}

function failureOf({ reason, error, finish }: EventOf<"turn.ended">): string | undefined {
  if (reason === "failed") return error ?? "the turn failed"
  if (finish !== undefined) return finishSentence(finish)
  return reason === "step-limit" ? "the turn reached its limit of steps" : undefined
}
