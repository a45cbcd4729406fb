// The answer to a command: the events it leads to, or why not. Time, ids and streamed text come from outside in the
// stamp, so a decision is a function of what is written down.
import type { Workflow } from "../contract/config.ts"
import type { SessionEvent } from "../contract/events.ts"
import type { VerificationId } from "../contract/ids.ts"
import type { Refusal } from "../contract/refusals.ts"
import type { By, StreamedBlock, Who } from "../contract/values.ts"

export type Decision =
  | { readonly kind: "accepted"; readonly events: readonly SessionEvent[] }
  /** A no may be worth remembering: then its events are stored all the same. */
  | { readonly kind: "refused"; readonly refusal: Refusal; readonly events?: readonly SessionEvent[] | undefined }

export interface Stamp {
  readonly at: number
  /** Fresh for every decision. One decision makes at most one id of each kind, so they may share it. */
  readonly id: string
  readonly by: By
  /** What they may do; absent for the local user, who may do everything. */
  readonly roles?: Who["roles"]
  /** Whether it is the code of which the digest was kept. */
  readonly isCode: (code: string, verificationId: VerificationId, digest: string) => boolean
  /** What the open step has streamed so far: it becomes a fact when the step is cut off. */
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
