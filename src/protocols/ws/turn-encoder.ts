// One turn as visitors are told it: words as they come, calls and their results, questions, and exactly one end. The
// story is kept while the turn runs, so that whoever comes in later is told the same from its beginning. Words that
// came twice, from a delta and from the event that repeats it, are told once.
import type { EventOf, Recorded } from "../../contract/events.ts"
import type { CallId, PromptId, SessionId, StepId, TurnId, VerificationId } from "../../contract/ids.ts"
import { finishSentence } from "../../contract/finish-sentence.ts"
import { memberIn } from "../../contract/json-object.ts"
import type { JsonValue, Shortfall, StreamedBlock, Usage } from "../../contract/values.ts"
import { argumentsOf, confirmationText } from "./tool-call-text.ts"
import {
  cancelled,
  chunk,
  confirmationRequired,
  eventualResponse,
  errorEvent,
  interactionRequired,
  otpSent,
  verificationRequired,
  tokenEvent,
} from "./server-events.ts"
import { errors, type WsError } from "./errors.ts"
import { MAX_CITATIONS } from "./limits.ts"
import type { Citation, ServerEvent, TurnResult, TurnUsage } from "./frames.ts"
import { messageId } from "./message-rows.ts"

interface ToldCall {
  readonly tool: string
  input: JsonValue
  isShown: boolean
}

type Voice = "stream_token" | "stream_reasoning"

/** Words that follow each other: for whoever comes later they are one. */
interface Spoken {
  readonly type: Voice
  words: string
  at: number
}

/** What was said of a block, so that only the rest of it is said again. */
interface SaidBlock {
  readonly stepId: StepId
  readonly block: number
  text: string
}

export class TurnEncoder {
  readonly turnId: TurnId
  readonly requestId: string
  readonly promptIds = new Set<PromptId>()
  readonly #sessionId: SessionId
  readonly #calls = new Map<CallId, ToldCall>()
  readonly #said: SaidBlock[] = []
  #told: (ServerEvent | Spoken)[] = []
  /** The code that the visitor is asked for. */
  #verification: { readonly verificationId: VerificationId; readonly callId: CallId } | undefined
  #reply: { readonly seq: number; readonly text: string; readonly isCutOff: boolean } | undefined
  #stepSeq = 0
  #allText = ""
  #reasoning = ""
  #usage: TurnUsage | undefined
  #escalation: string | undefined
  #directive: JsonValue | undefined
  readonly #citations = new Map<string, Citation>()
  #suggestions: readonly string[] = []
  #isOver = false

  constructor(sessionId: SessionId, { turnId, reference }: EventOf<"turn.started">) {
    this.#sessionId = sessionId
    this.turnId = turnId
    this.requestId = reference ?? turnId
  }

  get isOver(): boolean {
    return this.#isOver
  }

  /** From the beginning. */
  get sent(): readonly ServerEvent[] {
    return this.#told.map((one) => ("words" in one ? tokenEvent(one.type, this.requestId, one.words, one.at) : one))
  }

  step({ continues }: EventOf<"step.started">, seq: number): void {
    if (continues === undefined) this.#stepSeq = seq
  }

  /** A piece of text as it is being written. */
  delta(voice: Voice, stepId: StepId, block: number, piece: string, now: number): readonly ServerEvent[] {
    this.#saidOf(stepId, block).text += piece
    return this.#say(voice, piece, now)
  }

  /** All of a block so far, or for good: what was not said of it yet is said now. */
  block(stepId: StepId, { kind, block, text }: StreamedBlock, now: number): readonly ServerEvent[] {
    const said = this.#saidOf(stepId, block)
    if (!text.startsWith(said.text) || text.length === said.text.length) return []
    const rest = text.slice(said.text.length)
    said.text = text
    return this.#say(kind === "text" ? "stream_token" : "stream_reasoning", rest, now)
  }

  /** Mostly of the newest: it is looked at first. */
  #saidOf(stepId: StepId, block: number): SaidBlock {
    const known = this.#said.findLast((one) => one.block === block && one.stepId === stepId)
    if (known !== undefined) return known
    const said = { stepId, block, text: "" }
    this.#said.push(said)
    return said
  }

  preamble(text: string, now: number): readonly ServerEvent[] {
    return this.#allText === "" ? this.#tell(tokenEvent("stream_preamble", this.requestId, text, now)) : []
  }

  /** Blocks of one answer stand apart, as they do in the transcript; what was cut off goes on where it was. */
  textEnded({ text, interrupted = false, suggestions }: EventOf<"text.ended">): void {
    const before = this.#reply?.seq === this.#stepSeq ? this.#reply : undefined
    const all = before === undefined ? text : `${before.text}${before.isCutOff ? "" : "\n\n"}${text}`
    if (text !== "") this.#reply = { seq: this.#stepSeq, text: all, isCutOff: interrupted }
    if (suggestions !== undefined) this.#suggestions = suggestions
  }

  reasoningEnded(text: string): void {
    this.#reasoning += text
  }

  /** With what a quick model was asked meanwhile. */
  spent({ usage, costUsd, aside }: Pick<EventOf<"response.ended">, "usage" | "costUsd" | "aside">): void {
    this.#spend(usage, costUsd)
    this.#spend(aside?.usage, aside?.costUsd)
  }

  #spend(usage: Usage | undefined, costUsd: number | undefined): void {
    if (usage === undefined) return
    const before = this.#usage ?? { costUsd: 0, promptTokens: 0, completionTokens: 0 }
    this.#usage = {
      costUsd: before.costUsd + (costUsd ?? 0),
      promptTokens: before.promptTokens + usage.input,
      completionTokens: before.completionTokens + usage.output,
    }
  }

  called({ callId, tool, input }: EventOf<"tool.called">): void {
    this.#calls.set(callId, { tool, input, isShown: false })
  }

  modified({ callId, input }: EventOf<"tool.modified">): void {
    const call = this.#calls.get(callId)
    if (call !== undefined) call.input = input
  }

  /** The call goes on its way, or is held up: from here on it is seen. */
  shown(callId: CallId, now: number): readonly ServerEvent[] {
    const call = this.#calls.get(callId)
    if (call === undefined || call.isShown) return []
    call.isShown = true
    const { tool: name, input } = call
    return this.#tell(chunk(this.requestId, name, { toolCall: { name, arguments: argumentsOf(input) } }, now))
  }

  /** The question stands before the call that waits for its answer. */
  asked({ callId, tool }: EventOf<"approval.requested">, now: number): readonly ServerEvent[] {
    const description = confirmationText(tool, this.#calls.get(callId)?.input)
    return [...this.#tell(confirmationRequired(this.requestId, tool, description, now)), ...this.shown(callId, now)]
  }

  interacts(event: EventOf<"interaction.requested">, now: number): readonly ServerEvent[] {
    return [...this.#tell(interactionRequired(this.requestId, event, now)), ...this.shown(event.callId, now)]
  }

  needsCode({ verificationId, callId, tool, channels }: EventOf<"verification.requested">, now: number) {
    if (channels.length === 0) return []
    this.#verification = { verificationId, callId }
    return this.#tell(verificationRequired(this.requestId, tool, channels, now))
  }

  /** A call that waits for the code is seen after the card. */
  codeSent({ channel, destination }: EventOf<"verification.sent">, now: number): readonly ServerEvent[] {
    if (this.#verification === undefined) return []
    const sent = this.#tell(otpSent(this.requestId, channel, destination, now))
    return [...sent, ...this.shown(this.#verification.callId, now)]
  }

  /** The code was right, or none counts any more. */
  codeSettled(verificationId: VerificationId): void {
    if (this.#verification?.verificationId !== verificationId) return
    this.#verification = undefined
    this.#told = this.#told.filter(({ type }) => type !== "otp_verification_required" && type !== "otp_sent")
  }

  /** Whoever comes in later is not asked again what has been answered. */
  settled(): void {
    const at = this.#told.findLastIndex(({ type }) => cards.has(type))
    if (at !== -1) this.#told.splice(at, 1)
  }

  result(callId: CallId, isError: boolean, result: string, now: number): readonly ServerEvent[] {
    const name = this.#calls.get(callId)?.tool
    if (name === undefined) return []
    const call = this.shown(callId, now)
    return [...call, ...this.#tell(chunk(this.requestId, name, { toolResult: { name, isError, result } }, now))]
  }

  /** The first place of each document counts, and of all documents the first few. */
  cites(citations: readonly Citation[]): void {
    for (const { id, title, url, snippet, score } of citations) {
      if (score <= 0 || this.#citations.size >= MAX_CITATIONS || this.#citations.has(id)) continue
      this.#citations.set(id, { id, title, ...(isWebAddress(url) ? { url } : {}), snippet, score })
    }
  }

  noted(details: JsonValue | undefined): void {
    const escalation = memberIn(details, "escalation")
    const directive = memberIn(details, "directive")
    if (typeof escalation === "string") this.#escalation = escalation
    if (directive !== undefined) this.#directive = directive
  }

  ended({ event, seq }: Recorded<EventOf<"turn.ended">>, now: number): readonly ServerEvent[] {
    if (event.reason === "interrupted") return this.#end(cancelled(this.requestId, now))
    if (event.reason === "failed") return this.fail(errors.turnFailed, now)
    const { finish } = event
    if (finish !== undefined && this.#reply === undefined && this.#allText === "")
      return this.fail(errors.answerMissing(finishSentence(finish)), now)
    return this.#end(eventualResponse(this.requestId, this.#outcome(seq, finish), now))
  }

  /** It may come to its end all the same; its reply is then among the messages. */
  stalled(now: number): readonly ServerEvent[] {
    return this.#end(errorEvent(this.requestId, errors.replyNotStored, now))
  }

  fail(error: WsError, now: number): readonly ServerEvent[] {
    return this.#end(errorEvent(this.requestId, error, now))
  }

  /** The wire has no field for an answer that is not a whole one: it is said in a part of its own. */
  #outcome(endSeq: number, finish: Shortfall | undefined): TurnResult {
    const text = this.#reply?.text ?? (this.#allText === "" ? this.#reasoning : this.#allText)
    const escalates = this.#escalation !== undefined
    return {
      messageId: messageId(this.#sessionId, this.#reply?.seq ?? endSeq),
      response: {
        responseParts: finish === undefined ? [text] : [text, finishSentence(finish)],
        customerHappinessScore: 0.5,
        needsSatisfactionScore: 0.5,
        requestSummary: "",
        resolutionStatus: escalates ? "requires_escalation" : "in_progress",
        suggestedNextActions: [...this.#suggestions],
      },
      needsEscalation: escalates,
      ...(this.#escalation === undefined ? {} : { escalationReason: this.#escalation }),
      ...(this.#citations.size === 0 ? {} : { citations: [...this.#citations.values()] }),
      ...(this.#usage === undefined ? {} : { usage: this.#usage }),
      ...(this.#directive === undefined ? {} : { directive: this.#directive }),
    }
  }

  #end(event: ServerEvent): readonly ServerEvent[] {
    if (this.#isOver) return []
    this.#isOver = true
    return [event]
  }

  #say(voice: Voice, token: string, now: number): readonly ServerEvent[] {
    if (token === "" || this.#isOver) return []
    if (voice === "stream_token") this.#allText += token
    this.#keep(voice, token, now)
    return [tokenEvent(voice, this.requestId, token, now)]
  }

  #keep(type: Voice, words: string, at: number): void {
    const last = this.#told.at(-1)
    if (last === undefined || !("words" in last) || last.type !== type) {
      this.#told.push({ type, words, at })
      return
    }
    last.words += words
    last.at = at
  }

  #tell(event: ServerEvent): readonly ServerEvent[] {
    if (this.#isOver) return []
    this.#told.push(event)
    return [event]
  }
}

const cards: ReadonlySet<string> = new Set(["write_confirmation_required", "interaction_required"])

function isWebAddress(url: string | undefined): url is string {
  return url !== undefined && /^https?:\/\//i.test(url)
}
