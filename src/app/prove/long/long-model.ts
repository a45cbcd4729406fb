// The model of one conversation, on the side of the provider: keeps what each request has in it, and refuses requests that
// do not fit its window.
import { memberIn } from "../../../contract/json-object.ts"
import type { JsonValue } from "../../../contract/values.ts"
import type { Report } from "../violation.ts"
import type { SeenRequest } from "./check-requests.ts"
import { LongAnswers, type Said } from "./long-answers.ts"
import type { ProvidedModel, Reply } from "./provider.ts"
import { contentsOf, messagesOf, messageText } from "./request-contents.ts"

export interface ModelOptions {
  readonly below: (below: number) => number
  /** Tokens that it takes. */
  readonly window: number
  /** Whether the host believes that the window is larger, so that requests may be refused. */
  readonly isOverrated: boolean
  readonly charactersPerToken: number
  readonly reportsUsage: boolean
  readonly outputs: string
  readonly report: Report
  readonly onSpent: (tokens: number) => void
  readonly onSteer: () => void
}

const CHARACTERS_PER_TOKEN = 4
/** What a request for a summary that continues another one begins with. */
const continued = "Summary of the conversation so far:\n\n"

export class LongModel implements ProvidedModel {
  readonly requests: SeenRequest[] = []
  readonly answers: LongAnswers
  /** Tokens of all texts so far. */
  spent = 0
  /** Of `spent`: where the turn ends. */
  turnEnd = 0
  steps = 0
  summaries = 0
  tooLong = 0
  /** Calls whose result was replaced by a note in a request. */
  readonly aged = new Set<string>()
  readonly #options: ModelOptions
  #isCutSummary = false
  /** The newest summary of the compaction that runs. */
  #summary: string | undefined

  constructor(options: ModelOptions) {
    const { below, outputs, onSpent, onSteer } = options
    const onText = ({ length }: string) => {
      const tokens = Math.ceil(length / CHARACTERS_PER_TOKEN)
      this.spent += tokens
      onSpent(tokens)
    }
    this.#options = options
    this.answers = new LongAnswers({ below, outputs, onText, onSteer })
  }

  fail(what: string): void {
    this.#options.report("broken", "step.started", what)
  }

  answer(body: JsonValue, text: string): Reply {
    const tokens = Math.ceil(text.length / this.#options.charactersPerToken)
    return memberIn(body, "tools") === undefined ? this.#summarise(body, tokens) : this.#step(body, tokens)
  }

  #step(body: JsonValue, tokens: number): Reply {
    const refusal = this.#refusal(tokens)
    const said = refusal === undefined ? this.answers.answer(this.spent >= this.turnEnd) : undefined
    const contents = contentsOf(body)
    for (const { isAged, callId = "" } of contents.parts) if (isAged === true) this.aged.add(callId)
    this.steps += 1
    this.#summary = undefined
    this.requests.push({ kind: "step", contents, said: said?.name })
    return refusal ?? this.#reply(said, tokens)
  }

  #summarise(body: JsonValue, tokens: number): Reply {
    const refusal = this.#refusal(tokens)
    if (refusal !== undefined) return refusal
    const said = this.answers.summary(!this.#isCutSummary)
    this.#isCutSummary = said.finish === "length"
    if (said.finish === "stop") this.#keepSummaryRequest(body, said)
    return this.#reply(said, tokens)
  }

  #refusal(tokens: number): Reply | undefined {
    const { window, isOverrated, below, report } = this.#options
    const name = `request ${this.requests.length + 1}`
    if (tokens <= window)
      return below(40) === 0 ? { kind: "refusal", status: 503, code: "overloaded", isRetryable: true } : undefined
    this.tooLong += 1
    if (!isOverrated) report("broken", "step.started", `${name} has ${tokens} tokens, the window has ${window}`)
    return { kind: "refusal", status: 400, code: "context_length_exceeded" }
  }

  /** Messages between the instruction and the request, as one text: a message that is too long is divided. */
  #keepSummaryRequest(body: JsonValue, { text }: Said): void {
    const texts = messagesOf(body).slice(1, -1).map(messageText)
    const isFirst = this.#summary === undefined
    if (!isFirst && texts[0] !== `${continued}${this.#summary}`)
      this.#options.report("lost", "context.compacted", "a request for a summary does not continue the one before")
    const whole = (isFirst ? texts : texts.slice(1)).join("\n")
    this.requests.push({ kind: "summary", text: whole })
    this.#summary = text
    this.summaries += 1
  }

  #reply(said: Said | undefined, tokens: number): Reply {
    if (said === undefined) throw new Error("there is no answer")
    const usage = { prompt_tokens: tokens, completion_tokens: 100, total_tokens: tokens + 100 }
    const { deltas, finish } = said
    return { kind: "answer", deltas, finish, ...(this.#options.reportsUsage ? { usage } : {}) }
  }
}
