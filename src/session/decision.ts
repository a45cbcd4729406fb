// The answer to a command: its events, or a refusal. Clock, ids, roles and streamed text come in through the stamp, so
// that a decision is a pure function.
import type { Workflow } from "../contract/config.ts"
import type { SessionEvent } from "../contract/events.ts"
import type { VerificationId } from "../contract/ids.ts"
import type { Refusal } from "../contract/refusals.ts"
import type { By, StreamedBlock, Who, Role } from "../contract/values.ts"

export type Decision =
  | { readonly kind: "accepted"; readonly events: readonly SessionEvent[] }
  /** A refusal may have events, such as a failed attempt; they are stored. */
  | { readonly kind: "refused"; readonly refusal: Refusal; readonly events?: readonly SessionEvent[] | undefined }

export interface Stamp {
  readonly at: number
  /** Fresh for every decision. One decision makes at most one id of each kind, so they may share it. */
  readonly id: string
  readonly by: By
  /** Absent for the local user, who may do everything. */
  readonly roles?: Who["roles"]
  /** Whether the code has this digest. */
  readonly isCode: (code: string, verificationId: VerificationId, digest: string) => boolean
  /** What the open step has streamed so far; stored when the step is cut off. */
  readonly streamed: readonly StreamedBlock[]
  /** The workflow of the session's agent, as configured now. */
  readonly workflow?: Workflow | undefined
}

export function accepted(...events: readonly SessionEvent[]): Decision {
  return { kind: "accepted", events }
}

export function refused(refusal: Refusal, events?: readonly SessionEvent[]): Decision {
  return events === undefined ? { kind: "refused", refusal } : { kind: "refused", refusal, events }
}

/** The answer to a report about work that has ended in the meantime. */
export const stale: Decision = refused({ code: "report.stale" })

/** A principal without roles is the local user and may do everything. */
export function roleRefusal(role: Role, who: Who): Refusal | undefined {
  return hasRole(who, role) ? undefined : { code: "role.missing", role }
}

export function hasRole({ roles }: Who, role: Role): boolean {
  return roles === undefined || roles.includes(role)
}
