// A sentence from a fast model, called in parallel with the first model call of a turn. It is shown only before the
// answer begins and is not stored; its cost is stored with the answer. A failure is only logged.
import type { EventOf } from "../../../contract/events.ts"
import type { TurnId } from "../../../contract/ids.ts"
import { faultSentence } from "../../../models/fault-sentence.ts"
import type { ModelChoice } from "../../../models/model-source.ts"
import { contextItems } from "../../../projection/context.ts"
import { askBriefly } from "../../../runner/model/brief-call.ts"
import type { SessionContext } from "../../../runner/session-context.ts"

type Aside = EventOf<"response.ended">["aside"]

const MAX_OUTPUT_TOKENS = 64

const instruction = [
  "A visitor has written to a service, and its agent is about to answer.",
  "Say in one short sentence, in the visitor's language, that their matter is being looked into.",
  "Do not answer, do not promise anything, do not ask anything.",
].join(" ")

export class Preamble {
  readonly #session: SessionContext
  readonly #model: string
  readonly #stopper = new AbortController()
  #aside: Aside
  #isLate = false

  constructor(session: SessionContext, model: string, turnId: TurnId, text: string) {
    this.#session = session
    this.#model = model
    void this.#run(turnId, text)
  }

  /** The answer has begun. */
  answerStarted(): void {
    this.#isLate = true
  }

  /** Stops it; returns its cost as far as known. */
  end(): Aside {
    this.#stopper.abort()
    return this.#aside
  }

  async #run(turnId: TurnId, text: string): Promise<void> {
    const { services } = this.#session
    try {
      const choice = await services.models.resolve(this.#model)
      const preamble = services.scrubber.text((await this.#callModel(choice, text)).trim())
      if (preamble !== "" && !this.#isLate && !this.#stopper.signal.aborted)
        this.#session.publish({ type: "preamble", turnId, text: preamble })
    } catch (fault) {
      if (!this.#stopper.signal.aborted)
        services.warn(
          `preamble failed: ${faultSentence(fault, (said) => services.scrubber.text(said))}`,
          this.#session.id,
        )
    }
  }

  async #callModel(choice: ModelChoice, text: string): Promise<string> {
    try {
      this.#aside = { model: choice.name } // its cost is unknown until it has answered
      const messages = [{ role: "user" as const, text }]
      const question = { system: instruction, messages, maxTokens: MAX_OUTPUT_TOKENS }
      const answer = await askBriefly(this.#session, choice, question, this.#stopper.signal)
      this.#aside = { model: choice.name, usage: answer.usage, costUsd: answer.costUsd }
      return answer.text
    } catch (fault) {
      if (!this.#stopper.signal.aborted) this.#aside = undefined // a failed call costs nothing
      throw fault
    }
  }
}

/** Only with the first model call of a turn, and only if the agent has a model for it. */
export function startPreamble(session: SessionContext): Preamble | undefined {
  const { turn } = session.state
  const model = session.services.service?.preamble
  if (model === undefined || turn?.steps !== 1 || turn.step?.continues !== undefined) return undefined
  const newest = contextItems(session.context).findLast((item) => item.kind === "user")
  const text = newest?.text.trim() ?? ""
  return text === "" ? undefined : new Preamble(session, model, turn.id, text)
}
