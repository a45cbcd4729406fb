// The port through which the runner gets models.
import type { LanguageModelV4 } from "@ai-sdk/provider"
import type { ThinkingLevel, Usage } from "../contract/values.ts"
import type { ThinkingPlan } from "./thinking/plan.ts"

export interface ModelChoice {
  /** As requested; doors echo it. */
  readonly name: string
  readonly model: LanguageModelV4
  readonly contextWindow: number
  readonly maxOutput: number
  /** The model continues an answer that ends its prompt. */
  readonly takesPrefill: boolean
  /** False if the model cannot call tools; it gets none then. */
  readonly takesTools?: boolean
  /** False if the model is known not to see images; it gets a note in their place. */
  readonly seesImages?: boolean
  /** The same for PDF files. */
  readonly readsPdf?: boolean
  /** What a thinking level means for a call with this maximum of output. Absent: the model takes no level. */
  readonly thinking?: (level: ThinkingLevel, maxOutput: number) => ThinkingPlan
  /** Undefined if the price is unknown. */
  readonly costUsd: (usage: Usage) => number | undefined
}

export interface ModelSource {
  /** Throws ModelUnavailable with a message for the user. */
  resolve(name: string): Promise<ModelChoice>
}

export class ModelUnavailable extends Error {
  override readonly name: string = "ModelUnavailable"
}

/** No configured provider serves the model: the configuration is wrong, not the call. */
export class UnknownProvider extends ModelUnavailable {
  override readonly name = "UnknownProvider"
  readonly model: string

  constructor(model: string, message: string) {
    super(message)
    this.model = model
  }
}

/** Why a model cannot be used, or may not be the one that is meant. */
export interface ModelProblem {
  /** `unknown`: no provider is known. `unusable`: its provider lacks something. `unlisted`: another model may be meant. */
  readonly kind: "unknown" | "unusable" | "unlisted"
  readonly what: string
}
