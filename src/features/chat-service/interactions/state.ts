// Interactions in the state of a session, and what the runner reports and performs for them.
import type { EventOf } from "../../../contract/events.ts"
import type { InteractionId } from "../../../contract/ids.ts"

export interface InteractionsState {
  /** The open ones. */
  readonly interactions: readonly InteractionState[]
}

type Requested = EventOf<"interaction.requested">

export interface InteractionState extends Pick<Requested, "callId" | "kind" | "spec" | "expiresAt"> {
  readonly id: InteractionId
}

export type InteractionsReport = CallInteracts | InteractionExpired

/** Only the visitor can answer the call. */
export interface CallInteracts extends Omit<Requested, "type" | "expiresAt"> {
  readonly type: "call-interacts"
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
