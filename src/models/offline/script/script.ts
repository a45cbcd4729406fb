// A script: the output of the model, call by call, from a file (read-script.ts) or from memory (tests).
import type { Part } from "../part.ts"

export interface Script {
  readonly steps: readonly Step[]
  /** The answer to a request for a summary. Default: a summary derived from the conversation. */
  readonly summary?: string | undefined
  readonly delayMs?: number | undefined
  readonly contextWindow?: number | undefined
  readonly maxOutput?: number | undefined
  /** US dollars; null: unknown. */
  readonly pricePerMillion?: Price | null | undefined
}

/** One model call. With attempts, a retry with the same prompt gets the next one. */
export type Step = readonly Part[] | { readonly attempts: readonly (readonly Part[])[] }

export interface Price {
  readonly input: number
  readonly output: number
}

export function attemptsOf(step: Step): readonly (readonly Part[])[] {
  return "attempts" in step ? step.attempts : [step]
}
