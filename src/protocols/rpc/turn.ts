// One turn that the parent asked for, as the parent sees it: events and deltas of the session in, frames out. What
// belongs to other turns is not for the parent and says nothing here.
import type { SessionDelta } from "../../contract/deltas.ts"
import type { EventOf, Recorded } from "../../contract/events.ts"
import { answererName } from "../../contract/approval-policy.ts"
import type { CallId, StepId } from "../../contract/ids.ts"
import type { By, JsonValue, StreamedBlock } from "../../contract/values.ts"
import { ToldBlocks } from "./blocks.ts"
import { ToldCalls } from "./calls.ts"
import type { FrameSink } from "./sink.ts"
import { ToldSubagents, type SubagentNumbers } from "./subagents.ts"

export interface TurnOptions {
  readonly sink: FrameSink
  readonly numbers: SubagentNumbers
  /** Whether the parent asked for frames beyond version 1. */
  readonly extended: boolean
}

type Outcome = EventOf<"approval.decided">["outcome"]

export class ToldTurn {
  /** The first model that answered in this turn. */
  model: string | undefined
  readonly #options: TurnOptions
  readonly #calls: ToldCalls
  readonly #subagents: ToldSubagents
  #stepId: StepId | undefined
  #blocks: ToldBlocks
  readonly #waits = new Map<string, number | undefined>()

  constructor(options: TurnOptions) {
    this.#options = options
    this.#calls = new ToldCalls(options.sink)
    this.#subagents = new ToldSubagents(options.sink, options.numbers)
    this.#blocks = new ToldBlocks(options.sink)
  }

  tell({ event, at }: Recorded): void {
    switch (event.type) {
      case "step.started":
        return this.#stepStarted(event.stepId)
      case "text.ended":
        return this.#blocks.ended({ kind: "text", block: event.block, text: event.text })
      case "reasoning.ended":
        return this.#blocks.ended({ kind: "reasoning", block: event.block, text: event.text })
      case "tool.called":
        return this.#calls.called(event.callId, event.tool, event.input)
      case "tool.modified":
        return this.#calls.modified(event.callId, event.input)
      case "tool.refused":
        return this.#calls.settled(event.callId, event.reason)
      case "tool.ended":
        return this.#calls.settled(event.callId, event.output)
      case "tool.unsettled":
        return this.#calls.settled(event.callId, `The outcome is unknown. ${event.evidence}`)
      case "response.ended":
        this.model ??= event.model
        return this.#calls.stepAnswered()
      case "approval.requested":
        return this.#approvalRequested(event, at)
      case "approval.decided":
        return this.#approvalDecided(event, at)
      default:
        return this.#tellChild(event, at)
    }
  }

  delta(delta: SessionDelta): void {
    switch (delta.type) {
      case "text.delta":
        if (delta.stepId === this.#stepId) this.#blocks.piece("text", delta.block, delta.delta)
        return
      case "reasoning.delta":
        if (delta.stepId === this.#stepId) this.#blocks.piece("reasoning", delta.block, delta.delta)
        return
      case "tool-input.delta":
        if (delta.stepId === this.#stepId) this.#calls.piece(delta.callId, delta.tool, delta.delta)
        return
      case "child.progressed":
        return this.#subagents.update(delta.childId, delta.status)
      default:
        return // this wire has no place for it
    }
  }

  /** Some deltas were not seen; what the open step has said so far follows, or its end. */
  gap(): void {
    this.#calls.gap()
  }

  streamed(stepId: StepId, blocks: readonly StreamedBlock[]): void {
    if (stepId !== this.#stepId) return
    for (const block of blocks) this.#blocks.soFar(block)
  }

  end(isCancelled: boolean, at: number): void {
    this.#calls.turnEnded()
    this.#subagents.allDone(isCancelled ? "ERROR: canceled" : "still running when the turn ended", at)
  }

  #stepStarted(stepId: StepId): void {
    this.#stepId = stepId
    this.#blocks = new ToldBlocks(this.#options.sink)
    this.#calls.stepStarted()
  }

  #approvalRequested(event: EventOf<"approval.requested">, at: number): void {
    const { approvalId, callId, tool, reason, expiresAt } = event
    this.#waits.set(approvalId, expiresAt === undefined ? undefined : expiresAt - at)
    this.#subagents.start(approvalId, "approval", `${tool}: ${reason}`, at)
    this.#subagents.update(approvalId, `awaiting_approval ${approvalId}`)
    this.#announce(approvalId, tool, this.#inputOf(callId), expiresAt)
  }

  #approvalDecided({ approvalId, outcome, by }: EventOf<"approval.decided">, at: number): void {
    this.#subagents.done(approvalId, this.#verdict(approvalId, outcome, by), at)
    this.#waits.delete(approvalId)
  }

  #tellChild(event: Recorded["event"], at: number): void {
    switch (event.type) {
      case "child.spawned":
        return this.#subagents.start(event.childId, event.reason, event.task ?? event.reason, at)
      case "child.reported":
        return this.#subagents.update(event.childId, event.status)
      case "child.asked": {
        const { approvalId, expiresAt } = event
        this.#waits.set(approvalId, expiresAt === undefined ? undefined : expiresAt - at)
        this.#subagents.update(event.childId, `awaiting_approval ${approvalId}`)
        return this.#announce(approvalId, event.tool, event.input, expiresAt)
      }
      case "child.answered":
        this.#subagents.update(event.childId, this.#verdict(event.approvalId, event.outcome, event.by))
        this.#waits.delete(event.approvalId)
        return
      case "child.detached":
        return this.#subagents.done(event.childId, "detached: it goes on by itself", at)
      case "child.ended":
        return this.#subagents.done(event.childId, childResult(event), at)
      default:
        return // says nothing on this wire
    }
  }

  #inputOf(callId: CallId): JsonValue {
    return this.#calls.find(callId)?.input ?? null
  }

  #announce(approval_id: string, tool_name: string, input: JsonValue, expiresAt: number | undefined): void {
    if (!this.#options.extended) return
    const expiry = expiresAt === undefined ? {} : { expires_at: expiresAt }
    this.#options.sink.frame({ type: "approval", approval_id, tool_name, input, ...expiry })
  }

  #verdict(approvalId: string, outcome: Outcome, by: By | undefined): string {
    switch (outcome) {
      case "approved":
        return `approved by ${answererName(by)}`
      case "denied":
        return `ERROR: denied by ${answererName(by)}`
      case "expired":
        return noAnswer(this.#waits.get(approvalId))
      case "void":
        return "ERROR: canceled"
    }
  }
}

function noAnswer(waitMs: number | undefined): string {
  return waitMs === undefined ? "ERROR: no answer" : `ERROR: no answer in ${Math.round(waitMs / 1000)} s`
}

function childResult({ outcome, result }: EventOf<"child.ended">): string {
  return outcome === "done" ? result : `ERROR: ${result === "" ? outcome : result}`
}
