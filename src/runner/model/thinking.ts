// Applies the thinking level of the turn to a model call.
import type { LanguageModelV4, LanguageModelV4CallOptions, LanguageModelV4StreamResult } from "@ai-sdk/provider"
import type { ModelChoice } from "../../models/model-source.ts"
import { callsWithoutThoughts } from "../../models/own-thoughts.ts"
import { withoutThinking, type ThinkingPlan } from "../../models/thinking/plan.ts"
import { isThinkingRefusal } from "../../models/thinking/refusal.ts"
import type { SessionContext } from "../session-context.ts"

/** Models whose provider has refused a level. */
const refusing = new WeakSet<LanguageModelV4>()

export interface ThinkingChoice {
  /** With room for the thoughts in its maximum of output. */
  readonly choice: ModelChoice
  /** Absent where the default of the provider applies. */
  readonly thinking?: ThinkingPlan["options"]
}

/** A level that the model ignores is reported once. */
export function withThinking(session: SessionContext, choice: ModelChoice): ThinkingChoice {
  const level = session.state.turnThinking
  if (level === undefined) return { choice }
  const { maxOutput, options, note } =
    choice.thinking === undefined || refusing.has(choice.model)
      ? withoutThinking(choice.name, level, choice.maxOutput)
      : choice.thinking(level, choice.maxOutput)
  if (note !== undefined) session.warn(note)
  return note === undefined ? { choice: { ...choice, maxOutput }, thinking: options } : { choice }
}

/** A provider that refuses the level is called again without it, and from then on. */
export async function startAnswer(
  session: SessionContext,
  { model, name, maxOutput }: ModelChoice,
  options: LanguageModelV4CallOptions,
  thinking: ThinkingPlan["options"] | undefined,
): Promise<LanguageModelV4StreamResult> {
  const level = session.state.turnThinking
  if (thinking === undefined || level === undefined || refusing.has(model)) return model.doStream(options)
  const hasBudget = thinking.reasoning === undefined
  if (hasBudget && callsWithoutThoughts(options.prompt)) return model.doStream(options)
  try {
    const providerOptions = { ...options.providerOptions, ...thinking.providerOptions }
    return await model.doStream({ ...options, ...thinking, providerOptions })
  } catch (fault) {
    if (!isThinkingRefusal(fault)) throw fault
    refusing.add(model)
    const { note } = withoutThinking(name, level, maxOutput)
    if (note !== undefined) session.warn(note)
    return model.doStream(options)
  }
}
