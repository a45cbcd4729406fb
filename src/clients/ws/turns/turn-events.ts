// Events and result of a turn in the terms of this library. The nesting and older spellings of the frames end at
// read-frame.ts.
import type { FieldError, JsonValue } from "../../../contract/values.ts"
import type { Citation, TurnUsage } from "../../../protocols/ws/frames.ts"

/** A tool call waits for approval. */
export interface Confirmation {
  readonly type: "confirmation"
  readonly tool: string
  readonly description: string
}

/** A card to fill in. `kind` is `identity_intake` or `choices` today; `spec` depends on it. */
export interface Interaction {
  readonly type: "interaction"
  readonly interactionId: string
  readonly kind: string
  readonly spec: JsonValue
  readonly reason: string
}

export type Card = Confirmation | Interaction

export type TurnEvent =
  | { readonly type: "token"; readonly text: string }
  /** Never part of the reply. */
  | { readonly type: "reasoning"; readonly text: string }
  /** One sentence before the reply, not part of it. */
  | { readonly type: "preamble"; readonly text: string }
  /** Replaces all text so far. Rare: after a resume, when the server crashed. */
  | { readonly type: "corrected"; readonly text: string }
  | { readonly type: "tool-call"; readonly tool: string; readonly input: JsonValue }
  | { readonly type: "tool-result"; readonly tool: string; readonly isError: boolean; readonly result: string }
  | Confirmation
  | Interaction
  /** An answer was invalid; the card stays open. */
  | { readonly type: "interaction-invalid"; readonly interactionId: string; readonly errors: readonly FieldError[] }
  /** A tool needs a verified user: a code follows, which `verify` checks. */
  | { readonly type: "verification"; readonly tool: string; readonly description: string; readonly channels: string[] }
  | { readonly type: "code-sent"; readonly channel: string; readonly destination: string }
  | { readonly type: "code-not-sent"; readonly message: string }
  /** The turn still runs and waits for another user. Nothing to show. */
  | { readonly type: "alive" }

export interface TurnResult {
  /** The reply: the last message of the agent. `turn.text` also has the text before tool calls. */
  readonly text: string
  readonly messageId: string
  readonly needsEscalation: boolean
  readonly escalationReason?: string
  readonly citations: readonly Citation[]
  /** Suggested next messages of the visitor. */
  readonly suggestions: readonly string[]
  readonly usage?: TurnUsage
  readonly directive?: JsonValue
  /** The turn ended while the connection was lost: only text and id are known, from the stored messages. */
  readonly isFromMessages: boolean
}
