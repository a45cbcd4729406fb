// What an offline model says in one call, as a list of parts. The demo works its parts out from the prompt, a script
// has them written down; both are played by play.ts, so that the two look alike to the runner.
import type { JsonValue } from "../../contract/values.ts"

export type Part =
  | { readonly text: string }
  /** Text in exactly these deltas, instead of word by word. */
  | { readonly chunks: readonly string[] }
  | { readonly reasoning: string }
  | { readonly call: Call }
  | { readonly delayMs: number }
  | { readonly gate: Passage }
  | { readonly error: Failure }
  /** The stream ends here without a finish, as when a connection breaks quietly. */
  | { readonly cut: true }
  /** Nothing more comes until the call is aborted. */
  | { readonly hang: true }
  | { readonly finish: FinishName }
  | { readonly usage: GivenUsage }
  | { readonly expect: Expectation }

export type Call = CallName & ({ readonly input: JsonValue } | { readonly inputText: string })
interface CallName {
  readonly tool: string
  readonly id?: string | undefined
}

/** Where a stream waits until somebody lets it pass. Only in memory: a file cannot hold one. */
export interface Passage {
  pass(signal?: AbortSignal): Promise<void>
}

export interface Failure {
  readonly message: string
  readonly status?: number | undefined
  /** Seconds, as in the header of that name. */
  readonly retryAfter?: number | undefined
  /** Sent as an error part inside the stream, which goes on, instead of breaking the call. */
  readonly inStream?: boolean | undefined
}

export const finishNames = ["stop", "length", "content-filter", "tool-calls", "error", "other"] as const
export type FinishName = (typeof finishNames)[number]

/** Tokens. What is not given is estimated. `input` counts everything, cache reads and writes included. */
export interface GivenUsage {
  readonly input?: number | undefined
  readonly output?: number | undefined
  readonly cacheRead?: number | undefined
  readonly cacheWrite?: number | undefined
  readonly reasoning?: number | undefined
}

/** What the prompt must contain for the part list to fit it. */
export interface Expectation {
  readonly lastUserText?: string | undefined
  readonly toolResult?: string | undefined
}
