// Encodes one turn as frames: text, tool calls and results, requests to the visitor, and exactly one end. It keeps what
// was sent, so that a socket that joins later gets the same from the beginning.
import type { SessionDelta } from "../../contract/deltas.ts"
import type { EventOf, Recorded } from "../../contract/events.ts"
import { finishSentence } from "../../contract/text/finish-sentence.ts"
import type { CallId, PromptId, SessionId, StepId, TurnId } from "../../contract/ids.ts"
import type { Shortfall, StreamedBlock } from "../../contract/values.ts"
import type { OpenApproval } from "../../projection/open-requests.ts"
import { AnswerSources, citationsOf, unsupportedNote } from "../../projection/answer-sources/answer-sources.ts"
import { emptyTranscript, foldTranscript, type AssistantEntry, type CallEntry } from "../../projection/transcript.ts"
import { UnsentText } from "../../projection/unsent-text.ts"
import { errors, type WsError } from "./errors.ts"
import type { Citation, ServerEvent, TurnResult, TurnUsage } from "./frames.ts"
import { MAX_CITATIONS } from "./limits.ts"
import { messageId } from "./message-rows.ts"
import { cancelled, chunk, errorEvent, eventualResponse, joinTokens, notice, tokenEvent } from "./server-events.ts"
import { argumentsOf, confirmationText } from "./tool-call-text.ts"

type TextDelta = Extract<SessionDelta, { type: "text.delta" | "reasoning.delta" }>
type TextEnd = "text.ended" | "reasoning.ended"
type TextType = "stream_token" | "stream_reasoning"

/** A block of text as far as it was sent. */
interface TextBlock {
  readonly type: TextType
  readonly stepId: StepId
  readonly block: number
  text: string
  at: number
}

const nothing: readonly ServerEvent[] = []

export class TurnEncoder {
  readonly turnId: TurnId
  readonly requestId: string
  readonly promptIds = new Set<PromptId>()
  readonly #sessionId: SessionId
  /** Of this turn alone. */
  readonly #transcript = emptyTranscript()
  readonly #unsent = new UnsentText()
  readonly #sentCalls = new Set<CallId>()
  #sent: (ServerEvent | TextBlock)[] = []
  #usage: TurnUsage | undefined
  readonly #sources = new AnswerSources()
  #isOver = false

  constructor(sessionId: SessionId, { turnId, reference }: EventOf<"turn.started">) {
    this.#sessionId = sessionId
    this.turnId = turnId
    this.requestId = reference ?? turnId
  }

  get isOver(): boolean {
    return this.#isOver
  }

  /** From the beginning, with adjacent tokens joined and without answered requests. */
  get sent(): readonly ServerEvent[] {
    const events: ServerEvent[] = []
    for (const entry of this.#sent) {
      if (isText(entry) && entry.text === "") continue
      const event = isText(entry) ? tokenEvent(entry.type, this.requestId, entry.text, entry.at) : entry
      const joined = joinTokens(events.at(-1), event)
      if (joined !== undefined) events.pop()
      events.push(joined ?? event)
    }
    return events
  }

  addPrompt(promptId: PromptId, text: string): void {
    this.promptIds.add(promptId)
    this.#sources.addPrompt(text)
  }

  event(recorded: Recorded, now: number): readonly ServerEvent[] {
    foldTranscript(this.#transcript, recorded)
    const { event } = recorded
    this.#sources.add(event)
    switch (event.type) {
      case "step.started":
        this.#unsent.startStep(event.stepId)
        return nothing
      case "text.ended":
        return this.#endBlock("stream_token", event, now)
      case "reasoning.ended":
        return this.#endBlock("stream_reasoning", event, now)
      case "response.ended":
        this.#addUsage(event)
        this.#addUsage(event.aside)
        return nothing
      case "workflow.judged":
        this.#addUsage(event)
        return nothing
      case "tool.started":
        return this.toolCall(event.callId, now)
      case "tool.refused":
        return this.#result(event.callId, true, event.reason, now)
      case "tool.ended":
        if (event.outcome === "cancelled") return nothing // the turn was interrupted: only its end is sent
        return this.#result(event.callId, event.outcome !== "done", event.output, now)
      case "tool.unsettled":
        return this.#result(event.callId, true, event.evidence, now)
      case "interaction.requested":
        return this.#interaction(event, now)
      case "verification.requested":
        return this.#verification(event, now)
      case "turn.parked":
        if (event.until !== undefined || event.waitsFor !== undefined) return nothing
        return this.fail(errors.turnParked, now)
      default:
        return nothing // not for visitors
    }
  }

  delta(type: TextType, { stepId, block, delta }: TextDelta, now: number): readonly ServerEvent[] {
    return this.#append(type, stepId, block, this.#unsent.delta(stepId, block, delta), now)
  }

  /** A block as far as it was written when the watch started. */
  textSoFar(stepId: StepId, { kind, block, text }: StreamedBlock, now: number): readonly ServerEvent[] {
    const type = kind === "text" ? "stream_token" : "stream_reasoning"
    return this.#append(type, stepId, block, this.#unsent.textSoFar(stepId, block, text), now)
  }

  preamble(text: string, now: number): readonly ServerEvent[] {
    const hasText = this.#sent.some(({ type }) => type === "stream_token")
    return hasText ? nothing : this.#send(tokenEvent("stream_preamble", this.requestId, text, now))
  }

  /** Sends the call once: when it starts, or when it must wait. */
  toolCall(callId: CallId | undefined, now: number): readonly ServerEvent[] {
    const call = this.#call(callId)
    if (call === undefined || this.#sentCalls.has(call.callId)) return nothing
    this.#sentCalls.add(call.callId)
    const { tool: name, input } = call
    return this.#send(chunk(this.requestId, name, { toolCall: { name, arguments: argumentsOf(input) } }, now))
  }

  /** The card comes before the call that waits for it. */
  confirmation({ callId, tool }: Pick<OpenApproval, "callId" | "tool">, now: number): readonly ServerEvent[] {
    const card = { toolId: tool, actionDescription: confirmationText(tool, this.#call(callId)?.input) }
    const sent = this.#send(notice("write_confirmation_required", this.requestId, card, now))
    return [...sent, ...this.toolCall(callId, now)]
  }

  /** The call that waits for the code comes after its card. */
  codeSent({ channel, destination }: EventOf<"verification.sent">, callId: CallId, now: number) {
    const card = { channel, maskedDestination: destination }
    return [...this.#send(notice("otp_sent", this.requestId, card, now)), ...this.toolCall(callId, now)]
  }

  /** Sockets that join later do not get an answered card. */
  removeCard(): void {
    const at = this.#sent.findLastIndex(({ type }) => cards.has(type))
    if (at !== -1) this.#sent.splice(at, 1)
  }

  removeCodeCards(): void {
    this.#sent = this.#sent.filter(({ type }) => type !== "otp_verification_required" && type !== "otp_sent")
  }

  ended({ event: { reason, finish }, seq }: Recorded<EventOf<"turn.ended">>, now: number): readonly ServerEvent[] {
    if (reason === "interrupted") return this.#end(cancelled(this.requestId, now))
    if (reason === "failed") return this.fail(errors.turnFailed, now)
    if (finish !== undefined && this.#reply === undefined)
      return this.fail(errors.answerMissing(finishSentence(finish)), now)
    return this.#end(eventualResponse(this.requestId, this.#outcome(seq, finish), now))
  }

  /** The turn may still end well, if its answer could not be stored yet; its reply is then among the messages. */
  fail(error: WsError, now: number): readonly ServerEvent[] {
    return this.#end(errorEvent(this.requestId, error, now))
  }

  #interaction({ callId, interactionId, kind, spec, reason }: EventOf<"interaction.requested">, now: number) {
    const card = { interactionId, kind, spec, reason }
    return [...this.#send(notice("interaction_required", this.requestId, card, now)), ...this.toolCall(callId, now)]
  }

  #verification({ tool, channels }: EventOf<"verification.requested">, now: number): readonly ServerEvent[] {
    if (channels.length === 0) return nothing
    const actionDescription = `Verify your identity to continue using '${tool}'.`
    const card = { toolId: tool, actionDescription, availableChannels: channels, authLevel: "end_user" as const }
    return this.#send(notice("otp_verification_required", this.requestId, card, now))
  }

  #append(type: TextType, stepId: StepId, block: number, text: string, now: number): readonly ServerEvent[] {
    if (text === "" || this.#isOver) return nothing
    const known = this.#blockOf(stepId, block)
    if (known === undefined) this.#sent.push({ type, stepId, block, text, at: now })
    else {
      known.text += text
      known.at = now
    }
    return [tokenEvent(type, this.requestId, text, now)]
  }

  /** After a crash more may have been sent than was stored: what was stored counts. */
  #endBlock(type: TextType, { stepId, block, text }: EventOf<TextEnd>, now: number): readonly ServerEvent[] {
    const events = this.#append(type, stepId, block, this.#unsent.ended(stepId, block, text), now)
    const known = this.#blockOf(stepId, block)
    if (known !== undefined) known.text = text
    return events
  }

  /** Searched from the end: it is mostly the newest. */
  #blockOf(stepId: StepId, block: number): TextBlock | undefined {
    return this.#sent.findLast(
      (entry): entry is TextBlock => isText(entry) && entry.block === block && entry.stepId === stepId,
    )
  }

  #call(callId: CallId | undefined): CallEntry | undefined {
    return this.#transcript.items.findLast((item): item is CallEntry => item.kind === "call" && item.callId === callId)
  }

  #result(callId: CallId, isError: boolean, result: string, now: number): readonly ServerEvent[] {
    const name = this.#call(callId)?.tool
    if (name === undefined) return nothing
    const call = this.toolCall(callId, now)
    return [...call, ...this.#send(chunk(this.requestId, name, { toolResult: { name, isError, result } }, now))]
  }

  #addUsage({ usage, costUsd = 0 }: Pick<EventOf<"response.ended">, "usage" | "costUsd"> = {}): void {
    if (usage === undefined) return
    const before = this.#usage ?? { costUsd: 0, promptTokens: 0, completionTokens: 0 }
    this.#usage = {
      costUsd: before.costUsd + costUsd,
      promptTokens: before.promptTokens + usage.input,
      completionTokens: before.completionTokens + usage.output,
    }
  }

  /** The protocol has no field for an incomplete answer or for a wrong quotation: further response parts say so. */
  #outcome(endSeq: number, finish: Shortfall | undefined): TurnResult {
    const { items } = this.#transcript
    const steps = items.filter((item) => item.kind === "assistant")
    const calls = items.filter((item) => item.kind === "call")
    const reply = this.#reply
    const text = reply?.text ?? steps.map(({ reasoning }) => reasoning).join("")
    const suggestions = steps.findLast((step) => step.suggestions !== undefined)?.suggestions
    const escalation = calls.findLast((call) => call.escalation !== undefined)?.escalation
    const directive = calls.findLast((call) => call.directive !== undefined)?.directive
    const escalates = escalation !== undefined
    const support = this.#sources.supportFor(text)
    const citations = citationsOf(support, MAX_CITATIONS).map(wireCitation)
    const notes = [finish === undefined ? undefined : finishSentence(finish), unsupportedNote(support)]
    return {
      messageId: messageId(this.#sessionId, reply?.seq ?? endSeq),
      response: {
        responseParts: [text, ...notes.filter((note) => note !== undefined)],
        customerHappinessScore: 0.5,
        needsSatisfactionScore: 0.5,
        requestSummary: "",
        resolutionStatus: escalates ? "requires_escalation" : "in_progress",
        suggestedNextActions: [...(suggestions ?? [])],
      },
      needsEscalation: escalates,
      ...(escalates ? { escalationReason: escalation } : {}),
      ...(citations.length === 0 ? {} : { citations }),
      ...(this.#usage === undefined ? {} : { usage: this.#usage }),
      ...(directive === undefined ? {} : { directive }),
    }
  }

  /** The last step that has text. */
  get #reply(): AssistantEntry | undefined {
    return this.#transcript.items.findLast(
      (item): item is AssistantEntry => item.kind === "assistant" && item.text !== "",
    )
  }

  #end(event: ServerEvent): readonly ServerEvent[] {
    if (this.#isOver) return nothing
    this.#isOver = true
    return [event]
  }

  #send(event: ServerEvent): readonly ServerEvent[] {
    if (this.#isOver) return nothing
    this.#sent.push(event)
    return [event]
  }
}

/** Addresses of web pages only: visitors cannot open others. */
function wireCitation({ id, title, url, snippet, score }: Citation): Citation {
  const isWebAddress = url !== undefined && /^https?:\/\//i.test(url)
  return { id, title, ...(isWebAddress ? { url } : {}), snippet, score }
}

const cards: ReadonlySet<string> = new Set(["write_confirmation_required", "interaction_required"])

function isText(entry: ServerEvent | TextBlock): entry is TextBlock {
  return "block" in entry
}
