// The output of an offline model in one call, as a list of parts. The demo derives them from the prompt, a script lists
// them; play.ts plays both.
import type { JsonValue } from "../../contract/values.ts"

export type Part =
  | { readonly text: string }
  /** Text in exactly these deltas, instead of word by word. */
  | { readonly chunks: readonly string[] }
  | { readonly reasoning: string }
  | { readonly call: Call }
  | { readonly delayMs: number }
  | { readonly gate: Passage }
  /** A pause until a file of this name exists: a gate between processes. */
  | { readonly untilFile: string }
  | { readonly error: Failure }
  /** The stream ends here without a finish, like a broken connection. */
  | { readonly cut: true }
  /** The stream stalls until the call is aborted. */
  | { readonly hang: true }
  | { readonly finish: FinishName }
  | { readonly usage: ScriptedUsage }
  | { readonly expect: Expectation }

export type Call = CallName & ({ readonly input: JsonValue } | { readonly inputText: string })
interface CallName {
  readonly tool: string
  readonly id?: string | undefined
}

/** The stream waits here until the test opens the gate. In memory only. */
export interface Passage {
  pass(signal?: AbortSignal): Promise<void>
}

export interface Failure {
  readonly message: string
  readonly status?: number | undefined
  /** Seconds, as in the header of that name. */
  readonly retryAfter?: number | undefined
  /** Sent as an error part inside the stream, which continues, instead of failing the call. */
  readonly inStream?: boolean | undefined
}

export const finishNames = ["stop", "length", "content-filter", "tool-calls", "error", "other"] as const
export type FinishName = (typeof finishNames)[number]

/** Tokens; missing fields are estimated. `input` includes cache reads and writes. */
export interface ScriptedUsage {
  readonly input?: number | undefined
  readonly output?: number | undefined
  readonly cacheRead?: number | undefined
  readonly cacheWrite?: number | undefined
  readonly reasoning?: number | undefined
}

/** What the prompt must contain. */
export interface Expectation {
  readonly lastUserText?: string | undefined
  readonly toolResult?: string | undefined
}

/** The output of the model call by call, from a file (read-script.ts) or from memory (tests). */
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
