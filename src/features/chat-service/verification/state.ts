// Verifications in the state of a session, and what the runner reports and performs for them.
import type { EventOf } from "../../../contract/events.ts"
import type { CallId, TurnId, VerificationId, VisitId } from "../../../contract/ids.ts"
import type { CodeChannel, Contact } from "../../../contract/values.ts"

export interface VerificationsState {
  /** The newest code of each visit that has one. */
  readonly verifications: readonly VerificationState[]
  readonly verifiedVisits: readonly VerifiedVisit[]
  /** The newest call of the running turn that was refused because the visitor is not verified. */
  readonly unverifiedCall: { readonly callId: CallId; readonly tool: string } | undefined
}

export interface VerificationState {
  readonly id: VerificationId
  readonly visitId: VisitId
  readonly callId: CallId
  /** The call waits for the code. Otherwise its turn waits until the code is sent. */
  readonly parked: boolean
  readonly phase: "requested" | "prepared" | "sent" | "locked" | "expired"
  readonly code: IssuedCode | undefined
  /** When the call stops waiting. */
  readonly expiresAt: number | undefined
}

export type VerifiedContact = Pick<Contact, "email" | "phone">

/** The contact is what the code proves. */
type IssuedCode = Omit<EventOf<"verification.prepared">, "type" | "verificationId">

export interface VerifiedVisit {
  readonly visitId: VisitId
  readonly contact: VerifiedContact
}

export type VerificationReport =
  | CodeNeeded
  | CodeOffered
  | CodePrepared
  | { readonly type: "code-sent"; readonly verificationId: VerificationId }
  | CodeFailed
  | { readonly type: "verification-expired"; readonly verificationId: VerificationId }

/** A gate parks the call until the visitor is verified. */
export interface CodeNeeded {
  readonly type: "code-needed"
  readonly callId: CallId
  readonly channels: readonly CodeChannel[]
  readonly waitMs: number | undefined
}

/** How a code can reach the visitor; empty if it cannot. */
export interface CodeOffered {
  readonly type: "code-offered"
  readonly turnId: TurnId
  readonly channels: readonly CodeChannel[]
}

/** A code exists in memory only. It is sent once this is stored. */
export interface CodePrepared extends Omit<EventOf<"verification.prepared">, "type"> {
  readonly type: "code-prepared"
}

export interface CodeFailed {
  readonly type: "code-failed"
  readonly verificationId: VerificationId
  readonly why: "undelivered" | "too-many-codes"
}

export type VerificationEffect =
  | { readonly type: "offer-code"; readonly id: string; readonly turnId: TurnId }
  | { readonly type: "send-code"; readonly id: string; readonly verificationId: VerificationId }
  | {
      readonly type: "expire-verification"
      readonly id: string
      readonly verificationId: VerificationId
      readonly at: number
    }

/** What the visitor of the running turn has proved; undefined if nothing. */
export function verifiedContact({ turn, verifiedVisits }: TurnVisits): VerifiedContact | undefined {
  return verifiedVisits.find(({ visitId }) => visitId === turn?.visitId)?.contact
}

interface TurnVisits extends Pick<VerificationsState, "verifiedVisits"> {
  readonly turn: { readonly visitId: VisitId | undefined } | undefined
}

export function isUnsent({ phase }: VerificationState): boolean {
  return phase === "requested" || phase === "prepared"
}

/** When a call stops waiting for its code. */
export function parkEnd({ parked, expiresAt, code }: VerificationState): number | undefined {
  const end = Math.min(expiresAt ?? Infinity, code?.expiresAt ?? Infinity)
  return parked && end !== Infinity ? end : undefined
}
