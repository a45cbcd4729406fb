// One sentence before the answer begins, from a quick model that is asked beside the first model call of a turn. It is
// shown only while no word of the answer was, and is never stored; what it costs is stored with the answer. That it
// fails hurts nobody.
import type { LanguageModelV4Prompt } from "@ai-sdk/provider"
import type { EventOf } from "../contract/events.ts"
import type { TurnId } from "../contract/ids.ts"
import { faultSentence } from "../models/fault-sentence.ts"
import type { ModelChoice } from "../models/model-source.ts"
import { usageOf } from "../models/usage.ts"
import { contextItems } from "../projection/context.ts"
import type { SessionActor } from "./session-actor.ts"
import { estimatedTokens } from "./token-estimate.ts"

type Aside = EventOf<"response.ended">["aside"]

const longest = 64

const instruction = [
  "A visitor has written to a service, and its agent is about to answer.",
  "Say in one short sentence, in the visitor's language, that their matter is being looked into.",
  "Do not answer, do not promise anything, do not ask anything.",
].join(" ")

export class Preamble {
  readonly #session: SessionActor
  readonly #model: string
  readonly #stopper = new AbortController()
  #aside: Aside
  #isLate = false

  constructor(session: SessionActor, model: string, turnId: TurnId, text: string) {
    this.#session = session
    this.#model = model
    void this.#run(turnId, text)
  }

  /** The answer has begun. */
  tooLate(): void {
    this.#isLate = true
  }

  /** What it has cost, as far as that is known. */
  end(): Aside {
    this.#stopper.abort()
    return this.#aside
  }

  async #run(turnId: TurnId, text: string): Promise<void> {
    const { services } = this.#session
    try {
      const choice = await services.models.resolve(this.#model)
      const said = services.scrubber.text((await this.#ask(choice, text)).trim())
      if (said !== "" && !this.#isLate && !this.#stopper.signal.aborted)
        this.#session.publish({ type: "preamble", turnId, text: said })
    } catch (fault) {
      if (!this.#stopper.signal.aborted)
        services.warn(services.scrubber.text(`there is no preamble: ${faultSentence(fault)}`), this.#session.id)
    }
  }

  async #ask(choice: ModelChoice, text: string): Promise<string> {
    const { ledger, warn } = this.#session.services
    const maxOutputTokens = Math.min(choice.maxOutput, longest)
    const prompt: LanguageModelV4Prompt = [
      { role: "system", content: instruction },
      { role: "user", content: [{ type: "text", text }] },
    ]
    const sized = { ...choice, maxOutput: maxOutputTokens }
    const reservation = ledger.reserve(this.#session.state, sized, estimatedTokens({ prompt }))
    if (reservation.kind === "refused") {
      warn(`there is no preamble: ${reservation.message}`, this.#session.id)
      return ""
    }
    try {
      this.#aside = { model: choice.name } // until it has answered nobody knows what it costs
      const answer = await choice.model.doGenerate({ prompt, maxOutputTokens, abortSignal: this.#stopper.signal })
      const usage = usageOf(answer)
      this.#aside = { model: choice.name, usage, costUsd: usage === undefined ? undefined : choice.costUsd(usage) }
      return answer.content.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("")
    } catch (fault) {
      if (!this.#stopper.signal.aborted) this.#aside = undefined // it has failed, and costs nothing
      throw fault
    } finally {
      reservation.release()
    }
  }
}

/** Only beside the first model call of a turn, and only where the agent has a model for it. */
export function beginPreamble(session: SessionActor): Preamble | undefined {
  const { turn } = session.state
  const model = session.services.service?.preamble
  if (model === undefined || turn?.steps !== 1 || turn.step?.continues !== undefined) return undefined
  const newest = contextItems(session.context).findLast((item) => item.kind === "user")
  const text = newest?.text.trim() ?? ""
  return text === "" ? undefined : new Preamble(session, model, turn.id, text)
}
