// A short request to a model beside the conversation. It is charged to the budget like any answer. It does not wait
// for a model that ignores its signal.
import type { LanguageModelV4Prompt } from "@ai-sdk/provider"
import type { Usage } from "../../contract/values.ts"
import { Lifeline } from "../../models/lifeline.ts"
import { chargedUsd } from "../../models/metered.ts"
import { ModelUnavailable, type ModelChoice } from "../../models/model-source.ts"
import { usageOf } from "../../models/usage.ts"
import type { SessionContext } from "../session-context.ts"
import { estimatedTokens } from "../prompt/token-estimate.ts"

export interface BriefQuestion {
  readonly system?: string | undefined
  readonly messages: readonly BriefMessage[]
  /** Tokens of the answer. */
  readonly maxTokens: number
  /** How long it may take; absent means as long as the signal allows. */
  readonly timeoutMs?: number
}

export interface BriefMessage {
  readonly role: "user" | "assistant"
  readonly text: string
}

export interface BriefAnswer {
  readonly text: string
  readonly usage: Usage | undefined
  readonly costUsd: number | undefined
}

/** The model did not answer in time: the cost of the request is unknown. */
export class ModelTimeout extends ModelUnavailable {
  constructor(model: string, ms: number) {
    super(`${model} did not answer in ${Math.round(ms / 1000)} s.`)
  }
}

/**
 * Throws ModelUnavailable when the budget has no room, ModelTimeout, whatever the model throws, or the reason of the
 * signal.
 */
export async function askBriefly(
  { services, state }: SessionContext,
  choice: ModelChoice,
  { system, messages, maxTokens, timeoutMs }: BriefQuestion,
  signal: AbortSignal,
): Promise<BriefAnswer> {
  const maxOutputTokens = Math.min(choice.maxOutput, maxTokens)
  const prompt: LanguageModelV4Prompt = [
    ...(system === undefined ? [] : [{ role: "system" as const, content: system }]),
    ...messages.map(({ role, text }) => ({ role, content: [{ type: "text" as const, text }] })),
  ]
  const limitedChoice = { ...choice, maxOutput: maxOutputTokens }
  const reservation = services.ledger.reserve(state, limitedChoice, estimatedTokens({ prompt }))
  if (reservation.kind === "refused") throw new ModelUnavailable(reservation.message)
  const lifeline = new Lifeline(signal)
  if (timeoutMs !== undefined) lifeline.listen(timeoutMs, () => new ModelTimeout(choice.name, timeoutMs))
  try {
    const response = choice.model.doGenerate({ prompt, maxOutputTokens, abortSignal: lifeline.signal })
    const answer = await lifeline.hold(response)
    const usage = usageOf(answer)
    const costUsd = chargedUsd(answer.response?.headers) ?? (usage === undefined ? undefined : choice.costUsd(usage))
    return {
      text: answer.content.flatMap((part) => (part.type === "text" ? [part.text] : [])).join(""),
      usage,
      costUsd,
    }
  } finally {
    lifeline.release()
    reservation.release()
  }
}
