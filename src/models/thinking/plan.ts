// What a thinking level means for a model: options of the call, and room for the thoughts beside the answer. The provider
// packages know most models and choose the nearest effort; what they would get wrong is decided here.
import type { LanguageModelV4CallOptions } from "@ai-sdk/provider"
import { thinkingTokens } from "../../contract/rules/thinking.ts"
import type { ThinkingLevel } from "../../contract/values.ts"
import type { ProviderType } from "../providers/provider.ts"
import { nearest, type Effort } from "./efforts.ts"
import { familyOf } from "./families.ts"

export interface ThinkingPlan {
  /** Tokens of the whole answer, thoughts included: what a call may cost at most. */
  readonly maxOutput: number
  readonly options: Pick<LanguageModelV4CallOptions, "reasoning" | "providerOptions" | "maxOutputTokens">
  /** For the user, where the level has no effect. */
  readonly note?: string
}

export interface ThinkingModel {
  /** As the user names it. */
  readonly name: string
  readonly id: string
  readonly type: ProviderType
  /** The most that the model can give in one answer, thoughts included. */
  readonly maxTotal: number
  /** Absent where it is not known. */
  readonly thinks?: boolean | undefined
  /** The efforts that the provider takes, from the least; none if it takes no level, absent where its package knows them. */
  readonly efforts?: readonly Effort[] | undefined
}

/** Anthropic's minimum. */
const MIN_BUDGET = 1024

/** `maxOutput`: tokens of an answer without thoughts. */
export function planThinking(model: ThinkingModel, level: ThinkingLevel, maxOutput: number): ThinkingPlan {
  const family = familyOf(model.type, model.id)
  if (family.kind === "none" || model.thinks === false || model.efforts?.length === 0)
    return withoutThinking(model.name, level, maxOutput)
  const total = Math.max(maxOutput, Math.min(model.maxTotal, maxOutput + thinkingTokens[level]))
  if (family.kind === "forced-efforts" && level === "off") return withoutThinking(model.name, level, maxOutput)
  const efforts = model.efforts ?? ("efforts" in family ? family.efforts : undefined)
  const plan = { maxOutput: total, options: { reasoning: nearest(level, efforts), maxOutputTokens: total } }
  if (level === "off" || family.kind === "efforts") return plan
  if (family.kind === "forced-efforts") return { ...plan, options: { ...plan.options, providerOptions: forced } }
  if (family.kind === "gemini") return { ...plan, options: { ...plan.options, providerOptions: shownThoughts } }
  // A quarter of the answer at least is left to the text.
  const budgetTokens = Math.min(thinkingTokens[level], Math.floor((total * 3) / 4))
  if (budgetTokens < MIN_BUDGET) return withoutThinking(model.name, level, maxOutput)
  return { maxOutput: total, options: budgetOptions(family.kind, total, budgetTokens) }
}

/** Also for models whose thinking cannot be controlled. */
export function withoutThinking(name: string, level: ThinkingLevel, maxOutput: number): ThinkingPlan {
  const plan = { maxOutput, options: {} }
  return level === "off" ? plan : { ...plan, note: `thinking level '${level}' is ignored: ${name} does not take one` }
}

const forced = { azure: { forceReasoning: true } }
const shownThoughts = { google: { thinkingConfig: { includeThoughts: true } } }

/** The packages of Anthropic and Bedrock add the budget to the tokens of the answer. */
function budgetOptions(
  kind: "claude-budget" | "bedrock-budget" | "gemini-budget",
  total: number,
  budgetTokens: number,
): ThinkingPlan["options"] {
  const maxOutputTokens = total - budgetTokens
  switch (kind) {
    case "claude-budget":
      return { maxOutputTokens, providerOptions: { anthropic: { thinking: { type: "enabled", budgetTokens } } } }
    case "bedrock-budget":
      return {
        maxOutputTokens,
        providerOptions: { amazonBedrock: { reasoningConfig: { type: "enabled", budgetTokens } } },
      }
    case "gemini-budget":
      return {
        maxOutputTokens: total,
        providerOptions: { google: { thinkingConfig: { thinkingBudget: budgetTokens, includeThoughts: true } } },
      }
  }
}
