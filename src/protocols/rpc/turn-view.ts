// One turn of the parent: events and deltas of the session in, frames out. Items of other turns must not be passed in.
import { askedText } from "../../contract/rules/call-requests.ts"
import { answererName } from "../../contract/rules/approval-answers.ts"
import type { SessionDelta } from "../../contract/deltas.ts"
import type { EventOf, Recorded } from "../../contract/events.ts"
import type { ApprovalId, SessionId, StepId } from "../../contract/ids.ts"
import type { StreamedBlock } from "../../contract/values.ts"
import { findApproval, foldRequests, noRequests, type OpenApproval } from "../../projection/open-requests.ts"
import { UnsentText } from "../../projection/unsent-text.ts"
import { Calls } from "./calls.ts"
import { sendDelta, type FrameSink } from "./codec.ts"
import type { ExtendedEvent } from "./frames.ts"
import { Subagents } from "./subagents.ts"

export interface TurnOptions {
  readonly sink: FrameSink
  /** Numbers of sub-agents, unique in this process. */
  readonly nextNumber: () => number
  /** Whether the parent asked for frames beyond version 1. */
  readonly extended: boolean
}

type Decided = Pick<EventOf<"approval.decided" | "child.answered">, "outcome" | "by" | "answer">

export class TurnView {
  /** The first model that answered in this turn. */
  model: string | undefined
  readonly #sessionId: SessionId
  readonly #options: TurnOptions
  readonly #calls: Calls
  readonly #subagents: Subagents
  readonly #text = new UnsentText()
  #stepId: StepId | undefined
  #requests = noRequests

  constructor(sessionId: SessionId, options: TurnOptions) {
    this.#sessionId = sessionId
    this.#options = options
    this.#calls = new Calls(options.sink)
    this.#subagents = new Subagents(options.sink, options.nextNumber)
  }

  event(recorded: Recorded): void {
    const { event, at } = recorded
    switch (event.type) {
      case "step.started":
        this.#stepId = event.stepId
        this.#text.startStep(event.stepId)
        return this.#calls.stepStarted()
      case "text.ended":
        return this.#send("text", this.#text.ended(event.stepId, event.block, event.text))
      case "reasoning.ended":
        return this.#send("reasoning", this.#text.ended(event.stepId, event.block, event.text))
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
      case "child.asked":
      case "approval.decided":
      case "child.answered":
        return this.#request({ ...recorded, event })
      default:
        return this.#childEvent(event, at)
    }
  }

  delta(delta: SessionDelta): void {
    switch (delta.type) {
      case "text.delta":
        return this.#send("text", this.#text.delta(delta.stepId, delta.block, delta.delta))
      case "reasoning.delta":
        return this.#send("reasoning", this.#text.delta(delta.stepId, delta.block, delta.delta))
      case "tool-input.delta":
        if (delta.stepId === this.#stepId) this.#calls.inputDelta(delta.callId, delta.tool, delta.delta)
        return
      case "child.progressed":
        return this.#subagents.update(delta.childId, delta.status)
      default:
        return // this wire has no frame for it
    }
  }

  /** Some deltas were left out; the text so far of the open step follows, or its end. */
  gap(): void {
    this.#calls.gap()
  }

  streamed(stepId: StepId, blocks: readonly StreamedBlock[]): void {
    for (const { kind, block, text } of blocks) this.#send(kind, this.#text.textSoFar(stepId, block, text))
  }

  end(isCancelled: boolean, at: number): void {
    this.#calls.turnEnded()
    this.#subagents.allDone(isCancelled ? "ERROR: canceled" : "still running when the turn ended", at)
  }

  #send(kind: StreamedBlock["kind"], delta: string): void {
    sendDelta(this.#options.sink, { type: kind === "text" ? "text_delta" : "thinking_delta", delta })
  }

  #request(recorded: Recorded<EventOf<"approval.requested" | "child.asked" | "approval.decided" | "child.answered">>) {
    const { event, at } = recorded
    const before = findApproval(this.#requests, event.approvalId)
    this.#requests = foldRequests(
      this.#requests,
      recorded,
      this.#sessionId,
      (callId) => this.#calls.find(callId)?.input,
    )
    switch (event.type) {
      case "approval.requested":
        this.#subagents.start(event.approvalId, requestName(event), requestPreview(event), at)
        return this.#announce(event.approvalId, event.approvalId)
      case "child.asked":
        return this.#announce(event.approvalId, event.childId)
      case "approval.decided":
        return this.#subagents.done(event.approvalId, verdict(event, before), at)
      case "child.answered":
        return this.#subagents.update(event.childId, verdict(event, before))
    }
  }

  #announce(approvalId: ApprovalId, subagent: string): void {
    const approval = findApproval(this.#requests, approvalId)
    const awaited = approval?.questions === undefined ? "awaiting_approval" : "awaiting_answer"
    this.#subagents.update(subagent, `${awaited} ${approvalId}`)
    if (!this.#options.extended || approval === undefined) return
    this.#options.sink.frame(approvalFrame(approval))
  }

  #childEvent(event: Recorded["event"], at: number): void {
    switch (event.type) {
      case "child.spawned":
        return this.#subagents.start(event.childId, event.reason, event.task ?? event.reason, at)
      case "child.reported":
        return this.#subagents.update(event.childId, event.status)
      case "child.detached":
        return this.#subagents.done(event.childId, "detached: it runs on independently", at)
      case "child.ended":
        return this.#subagents.done(event.childId, childResult(event), at)
      default:
        return // this wire has no frame for it
    }
  }
}

function approvalFrame({ approvalId, tool, input, reason, questions, server, expiresAt }: OpenApproval): ExtendedEvent {
  return {
    type: "approval",
    approval_id: approvalId,
    tool_name: tool,
    input,
    ...(server === undefined ? {} : { reason }),
    ...(questions === undefined ? {} : { questions: [...questions] }),
    ...(expiresAt === undefined ? {} : { expires_at: expiresAt }),
  }
}

function requestName({ questions }: EventOf<"approval.requested">): string {
  return questions === undefined ? "approval" : "question"
}

function requestPreview({ tool, reason, questions, server }: EventOf<"approval.requested">): string {
  return questions === undefined ? `${tool}: ${reason}` : askedText({ questions, reason, server })
}

function verdict({ outcome, by, answer }: Decided, approval: OpenApproval | undefined): string {
  switch (outcome) {
    case "approved":
      return answer === undefined ? `approved by ${answererName(by)}` : `answered by ${answererName(by)}: ${answer}`
    case "denied":
      return `ERROR: ${approval?.questions === undefined ? "denied" : "declined"} by ${answererName(by)}`
    case "expired":
      return noAnswer(approval)
    case "void":
      return "ERROR: canceled"
  }
}

function noAnswer(approval: OpenApproval | undefined): string {
  if (approval?.expiresAt === undefined) return "ERROR: no answer"
  return `ERROR: no answer in ${Math.round((approval.expiresAt - approval.at) / 1000)} s`
}

function childResult({ outcome, result }: EventOf<"child.ended">): string {
  return outcome === "done" ? result : `ERROR: ${result === "" ? outcome : result}`
}
