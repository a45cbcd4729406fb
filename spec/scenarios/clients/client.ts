// A client of one door that interprets its frames as observations of a session.
import type { JsonValue } from "../../../src/contract/values.ts"
import type { End, PromptStep } from "../scenario.ts"

export type Observation =
  | { readonly kind: "text" | "reasoning"; readonly text: string }
  | { readonly kind: "call"; readonly tool: string; readonly input: JsonValue }
  /** `failed` is undefined if the protocol does not report it. */
  | { readonly kind: "result"; readonly tool: string; readonly text: string; readonly failed: boolean | undefined }
  | { readonly kind: "approval"; readonly tool: string }
  | { readonly kind: "end"; readonly how: End }

export interface ScenarioClient {
  readonly sessionId: string
  /** The next observation. `expected` is for the error of a timeout. */
  next(expected: string): Promise<Observation>
  /** Returns an unread part of a text to the queue. */
  putBack(observation: Observation): void
  prompt(step: PromptStep, about: PromptNames): Promise<"taken" | "waits" | "refused">
  /** Answers the last approval request. */
  answer(isYes: boolean): Promise<"taken" | "refused">
  cancel(): Promise<void>
  /** Opens a new connection to the same session. */
  connect(): Promise<void>
  /** Closes the connection. */
  leave(): Promise<void>
  /** `{user: …}` and `{assistant: …}`, oldest first. */
  history(): Promise<readonly JsonValue[]>
  /** Resolves when all sent frames are handled, with the observations that no step has read. */
  settle(): Promise<readonly Observation[]>
}

/** Values of the names in a prompt step. */
export interface PromptNames {
  readonly model: string | undefined
  /** An absolute path. */
  readonly image: string | undefined
}

export function describeObservation(observation: Observation): string {
  switch (observation.kind) {
    case "text":
      return `the text ${JSON.stringify(observation.text)}`
    case "reasoning":
      return `the reasoning ${JSON.stringify(observation.text)}`
    case "call":
      return `a call of ${observation.tool} with ${JSON.stringify(observation.input)}`
    case "result":
      return `a result of ${observation.tool}${observation.failed === true ? ", which failed" : ""}: ${JSON.stringify(observation.text)}`
    case "approval":
      return `an approval request for ${observation.tool}`
    case "end":
      return `the end of the turn: ${observation.how}`
  }
}
