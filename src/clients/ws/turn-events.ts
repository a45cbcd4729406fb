// What a turn shows while it runs, and what it leaves behind, in the words of this library: the frames' nesting and
// their older spellings end at read-frame.ts.
import type { FieldError, JsonValue } from "../../contract/values.ts"
import type { Citation, TurnUsage } from "../../protocols/ws/frames.ts"

/** A tool call waits for a yes or a no. */
export interface Confirmation {
  readonly type: "confirmation"
  readonly tool: string
  readonly description: string
}

/** A card to fill in. `kind` is `identity_intake` or `choices` today; `spec` is of its kind. */
export interface Interaction {
  readonly type: "interaction"
  readonly interactionId: string
  readonly kind: string
  readonly spec: JsonValue
  readonly reason: string
}

export type TurnEvent =
  | { readonly type: "token"; readonly text: string }
  /** Never part of the reply. */
  | { readonly type: "reasoning"; readonly text: string }
  /** One sentence before the reply, not part of it. */
  | { readonly type: "preamble"; readonly text: string }
  /** After a resume: the text so far is this, and not what was given out before. Rare: a server that crashed. */
  | { readonly type: "corrected"; readonly text: string }
  | { readonly type: "tool-call"; readonly tool: string; readonly input: JsonValue }
  | { readonly type: "tool-result"; readonly tool: string; readonly isError: boolean; readonly result: string }
  | Confirmation
  | Interaction
  /** Somebody's answer was wrong; the question stays open. */
  | { readonly type: "interaction-invalid"; readonly interactionId: string; readonly errors: readonly FieldError[] }
  /** A tool wants to know who is there: a code follows, which `verify` hands in. */
  | { readonly type: "verification"; readonly tool: string; readonly description: string; readonly channels: string[] }
  | { readonly type: "code-sent"; readonly channel: string; readonly destination: string }
  | { readonly type: "code-not-sent"; readonly message: string }
  /** Nothing to show; the turn lives, and somebody else is asked. */
  | { readonly type: "alive" }

export interface TurnResult {
  /** The reply: the last words of the agent. What was said on the way is in `turn.text`. */
  readonly text: string
  readonly messageId: string
  readonly needsEscalation: boolean
  readonly escalationReason?: string
  readonly citations: readonly Citation[]
  /** What the visitor might say next. */
  readonly suggestions: readonly string[]
  readonly usage?: TurnUsage
  readonly directive?: JsonValue
  /** The turn ended while the connection was lost: text and id are from the messages, the rest is not known. */
  readonly isFromMessages: boolean
}
