// The answer to a command: the events it leads to, or why not. Time, ids and streamed text come from outside in the
// stamp, so a decision is a function of what is written down.
import type { SessionEvent } from "../contract/events.ts"
import type { Refusal } from "../contract/refusals.ts"
import type { By, StreamedBlock } from "../contract/values.ts"

export type Decision =
  | { readonly kind: "accepted"; readonly events: readonly SessionEvent[] }
  | { readonly kind: "refused"; readonly refusal: Refusal }

export interface Stamp {
  readonly at: number
  /** Fresh for every decision. One decision makes at most one id of each kind, so they may share it. */
  readonly id: string
  readonly by: By
  /** What the open step has streamed so far: it becomes a fact when the step is cut off. */
  readonly streamed: readonly StreamedBlock[]
}

export function accepted(...events: readonly SessionEvent[]): Decision {
  return { kind: "accepted", events }
}

export function refused(refusal: Refusal): Decision {
  return { kind: "refused", refusal }
}
