// The port through which the runner gets models.
import type { LanguageModelV4 } from "@ai-sdk/provider"
import type { Usage } from "../contract/values.ts"

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
}
