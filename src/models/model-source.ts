// Where the runner gets a model from. Providers are loaded when their first model is asked for.
import type { LanguageModelV4 } from "@ai-sdk/provider"
import type { Usage } from "../contract/values.ts"

export interface ModelChoice {
  /** As it was asked for; wires echo it. */
  readonly name: string
  readonly model: LanguageModelV4
  readonly contextWindow: number
  readonly maxOutput: number
  /** Whether the model goes on by itself with an answer that ends its prompt. */
  readonly takesPrefill: boolean
  /** False where the model cannot call tools; it is offered none then. */
  readonly takesTools?: boolean
  /** Nothing when the price is unknown; never a guess. */
  readonly costUsd: (usage: Usage) => number | undefined
}

export interface ModelSource {
  /** Throws ModelUnavailable with a sentence for people. */
  resolve(name: string): Promise<ModelChoice>
}

export class ModelUnavailable extends Error {
  override readonly name: string = "ModelUnavailable"
}

/** No provider of this configuration serves the model: the configuration is wrong, not the call. */
export class UnknownProvider extends ModelUnavailable {
  override readonly name = "UnknownProvider"
}
