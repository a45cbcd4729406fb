// A script: what the model says, call by call. It may come from a file (read-script.ts) or from memory (tests).
import type { Part } from "../part.ts"

export interface Script {
  readonly steps: readonly Step[]
  /** What it says when it is asked to summarise the conversation. Default: a summary made of the conversation. */
  readonly summary?: string | undefined
  readonly delayMs?: number | undefined
  readonly contextWindow?: number | undefined
  readonly maxOutput?: number | undefined
  /** US dollars; null when the price is to be unknown. */
  readonly pricePerMillion?: Price | null | undefined
}

/** One model call. With attempts, a call that is made again with the same prompt gets the next one. */
export type Step = readonly Part[] | { readonly attempts: readonly (readonly Part[])[] }

export interface Price {
  readonly input: number
  readonly output: number
}

export function attemptsOf(step: Step): readonly (readonly Part[])[] {
  return "attempts" in step ? step.attempts : [step]
}
