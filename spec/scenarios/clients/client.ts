// Somebody who takes part in a session through one door, and understands its frames as things that happen in a session.
import type { JsonValue } from "../../../src/contract/values.ts"
import type { End, PromptStep } from "../scenario.ts"

export type Happening =
  | { readonly kind: "text" | "reasoning"; readonly text: string }
  | { readonly kind: "call"; readonly tool: string; readonly input: JsonValue }
  /** `failed` is unknown where the wire does not tell. */
  | { readonly kind: "result"; readonly tool: string; readonly text: string; readonly failed: boolean | undefined }
  | { readonly kind: "approval"; readonly tool: string }
  | { readonly kind: "end"; readonly how: End }

export interface Guest {
  readonly sessionId: string
  /** The next thing that happens. `expected` is for whoever waits in vain. */
  next(expected: string): Promise<Happening>
  /** Back into the queue: the part of a text that nobody has looked at yet. */
  putBack(happening: Happening): void
  prompt(step: PromptStep, about: PromptAbout): Promise<"taken" | "waits" | "refused">
  /** Answers the approval that was told last. */
  answer(isYes: boolean): Promise<"taken" | "refused">
  cancel(): Promise<void>
  /** With a new connection, in the same session, whatever became of the old one. */
  comeBack(): Promise<void>
  /** Leaves the session to itself. */
  leave(): Promise<void>
  /** `{user: …}` and `{assistant: …}`, oldest first. */
  history(): Promise<readonly JsonValue[]>
  /** Resolves when all that was said has been dealt with, with what happened and nobody has looked at. */
  settle(): Promise<readonly Happening[]>
}

/** What the names in a prompt stand for. */
export interface PromptAbout {
  readonly model: string | undefined
  /** An absolute path. */
  readonly image: string | undefined
}

export function happeningText(happening: Happening): string {
  switch (happening.kind) {
    case "text":
      return `the words ${JSON.stringify(happening.text)}`
    case "reasoning":
      return `the thoughts ${JSON.stringify(happening.text)}`
    case "call":
      return `a call of ${happening.tool} with ${JSON.stringify(happening.input)}`
    case "result":
      return `a result of ${happening.tool}${happening.failed === true ? ", which failed" : ""}: ${JSON.stringify(happening.text)}`
    case "approval":
      return `the question whether ${happening.tool} may run`
    case "end":
      return `the end of the turn: ${happening.how}`
  }
}
