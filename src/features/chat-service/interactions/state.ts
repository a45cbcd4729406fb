// Interactions in the state of a session, and what the runner reports and performs for them.
import type { CallId, InteractionId } from "../../../contract/ids.ts"
import type { InteractionKind, JsonValue } from "../../../contract/values.ts"

export interface InteractionsState {
  /** The open ones. */
  readonly interactions: readonly InteractionState[]
}

export interface InteractionState {
  readonly id: InteractionId
  readonly callId: CallId
  readonly kind: InteractionKind
  readonly spec: JsonValue
  readonly expiresAt: number | undefined
}

export type InteractionsReport = CallInteracts | InteractionExpired

/** Only the visitor can answer the call. */
export interface CallInteracts {
  readonly type: "call-interacts"
  readonly callId: CallId
  readonly interactionId: InteractionId
  readonly kind: InteractionKind
  readonly spec: JsonValue
  readonly reason: string
  readonly waitMs: number | undefined
}

export interface InteractionExpired {
  readonly type: "interaction-expired"
  readonly interactionId: InteractionId
}

export interface InteractionsEffect {
  readonly type: "expire-interaction"
  readonly id: string
  readonly interactionId: InteractionId
  readonly at: number
}
