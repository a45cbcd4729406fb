// Visits in the state of a session.
import type { VisitId } from "../../../contract/ids.ts"
import type { Contact } from "../../../contract/values.ts"

export interface VisitsState {
  /** The newest visit. */
  readonly visit: VisitState | undefined
  /** What the visitor said about themselves. */
  readonly contact: Contact
  /** Groups of visits that have some; they decide about access to documents. */
  readonly visitGroups: readonly VisitGroups[]
  /** Principals that have visited, the newest last. They cannot approve what the session asks an approver for. */
  readonly visitors: readonly string[]
}

export interface VisitState {
  readonly visitId: VisitId
  readonly agentId: string
  readonly principal: string
  /** What the visitor's client can show. */
  readonly supports: readonly string[]
  /** A digest of the visitor's account or address, by which one-time codes are counted. */
  readonly caller?: string
}

export interface VisitGroups {
  readonly visitId: VisitId
  readonly groups: readonly string[]
}
