// One turn as visitors are told it: words as they come, calls and their results, questions, and exactly one end. The
// story is kept while the turn runs, so that whoever comes in later is told the same from its beginning. Words that
// came twice, from a delta and from the event that repeats it, are told once.
import type { EventOf, Recorded } from "../../contract/events.ts"
import type { CallId, PromptId, SessionId, StepId, TurnId } from "../../contract/ids.ts"
import { isJsonObject, memberIn, textIn } from "../../contract/json-object.ts"
import type { JsonValue, StreamedBlock, Usage } from "../../contract/values.ts"
import {
  cancelled,
  chunk,
  confirmationRequired,
  eventualResponse,
  failure,
  interactionRequired,
  word,
} from "./events.ts"
import type { ServerEvent, TurnResult, TurnUsage } from "./frames.ts"
import { messageId } from "./rows.ts"

interface ToldCall {
  readonly tool: string
  input: JsonValue
  isShown: boolean
}

type Voice = "stream_token" | "stream_reasoning"

export class TurnStory {
  readonly turnId: TurnId
  readonly requestId: string
  readonly promptIds = new Set<PromptId>()
  readonly #sessionId: SessionId
  readonly #calls = new Map<CallId, ToldCall>()
  /** What was said of each block, so that only the rest of it is said again. */
  readonly #said = new Map<string, string>()
  readonly #told: ServerEvent[] = []
  #reply: { readonly seq: number; readonly text: string; readonly isCutOff: boolean } | undefined
  #stepSeq = 0
  #allText = ""
  #reasoning = ""
  #usage: TurnUsage | undefined
  #escalation: string | undefined
  #directive: JsonValue | undefined
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

  /** From the beginning: words that follow each other are one. */
  get told(): readonly ServerEvent[] {
    return this.#told
  }

  step({ continues }: EventOf<"step.started">, seq: number): void {
    if (continues === undefined) this.#stepSeq = seq
  }

  /** A piece of text as it is being written. */
  delta(voice: Voice, stepId: StepId, block: number, piece: string, now: number): readonly ServerEvent[] {
    const key = `${stepId}:${block}`
    this.#said.set(key, (this.#said.get(key) ?? "") + piece)
    return this.#say(voice, piece, now)
  }

  /** All of a block so far, or for good: what was not said of it yet is said now. */
  block(stepId: StepId, { kind, block, text }: StreamedBlock, now: number): readonly ServerEvent[] {
    const key = `${stepId}:${block}`
    const said = this.#said.get(key) ?? ""
    if (!text.startsWith(said) || text.length === said.length) return []
    this.#said.set(key, text)
    return this.#say(kind === "text" ? "stream_token" : "stream_reasoning", text.slice(said.length), now)
  }

  preamble(text: string, now: number): readonly ServerEvent[] {
    return this.#allText === "" ? this.#tell(word("stream_preamble", this.requestId, text, now)) : []
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
  spent({ usage, costUsd, aside }: EventOf<"response.ended">): void {
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
    const description = `Tool '${tool}' requires confirmation${withInput(this.#calls.get(callId)?.input)}. Allow?`
    return [...this.#tell(confirmationRequired(this.requestId, tool, description, now)), ...this.shown(callId, now)]
  }

  interacts(event: EventOf<"interaction.requested">, now: number): readonly ServerEvent[] {
    return [...this.#tell(interactionRequired(this.requestId, event, now)), ...this.shown(event.callId, now)]
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

  noted(details: JsonValue | undefined): void {
    const escalation = memberIn(details, "escalation")
    const directive = memberIn(details, "directive")
    if (typeof escalation === "string") this.#escalation = escalation
    if (directive !== undefined) this.#directive = directive
  }

  ended({ event, seq }: Recorded<EventOf<"turn.ended">>, now: number): readonly ServerEvent[] {
    if (event.reason === "interrupted") return this.#end(cancelled(this.requestId, now))
    if (event.reason === "failed") return this.fail(failedWords, now)
    return this.#end(eventualResponse(this.requestId, this.#outcome(seq), now))
  }

  fail(message: string, now: number): readonly ServerEvent[] {
    return this.#end(failure(this.requestId, "AGENT_ERROR", message, now))
  }

  #outcome(endSeq: number): TurnResult {
    const text = this.#reply?.text ?? (this.#allText === "" ? this.#reasoning : this.#allText)
    const escalates = this.#escalation !== undefined
    return {
      messageId: messageId(this.#sessionId, this.#reply?.seq ?? endSeq),
      response: {
        responseParts: [text],
        customerHappinessScore: 0.5,
        needsSatisfactionScore: 0.5,
        requestSummary: "",
        resolutionStatus: escalates ? "requires_escalation" : "in_progress",
        suggestedNextActions: [...this.#suggestions],
      },
      needsEscalation: escalates,
      ...(this.#escalation === undefined ? {} : { escalationReason: this.#escalation }),
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
    const last = this.#told.at(-1)
    const event = word(voice, this.requestId, token, now)
    if (last?.type === voice) this.#told[this.#told.length - 1] = word(voice, this.requestId, last.token + token, now)
    else this.#told.push(event)
    return [event]
  }

  #tell(event: ServerEvent): readonly ServerEvent[] {
    if (this.#isOver) return []
    this.#told.push(event)
    return [event]
  }
}

/** What went wrong stands in the log of the session: it may name addresses and accounts, and is not for visitors. */
const failedWords = "Something went wrong while answering. Please try again."

const cards: ReadonlySet<string> = new Set(["write_confirmation_required", "interaction_required"])

/** Whoever says yes must see to what. */
function withInput(input: JsonValue | undefined): string {
  if (!isJsonObject(input)) return ""
  const members = Object.entries(input).map(([name, value]) => `${name}: ${oneLine(value)}`)
  return members.length === 0 ? "" : ` (${cut(members.join(", "), mostInput)})`
}

const mostInput = 500

function oneLine(value: JsonValue | undefined): string {
  return (typeof value === "string" ? value : JSON.stringify(value)).replaceAll(/\s+/gu, " ")
}

function cut(text: string, length: number): string {
  return text.length <= length ? text : `${text.slice(0, length - 1).toWellFormed()}…`
}

/** Clients expect an object; what a model wrote that is none, or no JSON at all, is given as it came. */
function argumentsOf(input: JsonValue): JsonValue {
  if (!isJsonObject(input)) return { _raw: JSON.stringify(input) }
  const unparsed = Object.keys(input).length === 1 ? textIn(input, "unparsed") : undefined
  return unparsed === undefined ? input : { _raw: unparsed }
}
