// What the log asks of its writer, in a form that can be sent to a thread: plain values, events already encoded.
// Clock and process liveness are judged by whoever asks, never by the writer.
import type { HostIdentity, Lease, Refused } from "../event-log.ts"

export type WriteRequest =
  | {
      readonly kind: "register"
      readonly host: HostIdentity
      readonly expiresAt: number
      readonly forgetBefore: number
      /** Set for a host that must be the only one of its role: those of the role that were found dead. */
      readonly deadRivals: readonly DeadHost[] | undefined
    }
  | { readonly kind: "change-role"; readonly lease: Lease; readonly role: string }
  | { readonly kind: "renew"; readonly lease: Lease; readonly expiresAt: number }
  | { readonly kind: "release-host"; readonly lease: Lease }
  | CreateRequest
  | ClaimRequest
  | { readonly kind: "release"; readonly sessionId: string; readonly epoch: number; readonly leftOpen: boolean }
  | AppendRequest
  | CheckpointRequest
  | SnapshotRequest
  | { readonly kind: "remove"; readonly sessionId: string; readonly epoch: number }

export type RequestOf<Kind extends WriteRequest["kind"]> = Extract<WriteRequest, { kind: Kind }>

interface Lines {
  readonly sessionId: string
  readonly epoch: number
  readonly expectedSeq: number
  readonly at: number
  /** The events as they will lie on disk. */
  readonly lines: readonly string[]
  /** JSON. */
  readonly summary: string | undefined
  /** Visits that are opened by these events: they are found by their ids. */
  readonly visits: readonly OpenedVisit[]
}

export interface OpenedVisit {
  readonly visitId: string
  readonly seq: number
}

export interface CreateRequest extends Lines {
  readonly kind: "create"
  /** Whose session it is: it is listed by these. */
  readonly org: string | undefined
  readonly owner: string | undefined
}

export interface AppendRequest extends Lines {
  readonly kind: "append"
  readonly settles: string | undefined
}

export interface ClaimRequest {
  readonly kind: "claim"
  readonly sessionId: string
  readonly epoch: number
  /** The owner that was found dead. If it is another one by now, or has renewed its lease, nothing is claimed. */
  readonly replaces: { readonly epoch: number; readonly expiresAt: number | undefined } | undefined
}

/** A host as it was when it was found dead: one that has renewed its lease since then lives. */
export interface DeadHost {
  readonly epoch: number
  readonly expiresAt: number
}

export interface CheckpointRequest {
  readonly kind: "checkpoint"
  readonly sessionId: string
  readonly epoch: number
  readonly stepId: string
  /** Names this piece of text, so that it is not stored twice when its first commit was in doubt. */
  readonly piece: string
  /** JSON. */
  readonly blocks: string
}

export interface SnapshotRequest {
  readonly kind: "snapshot"
  readonly sessionId: string
  readonly epoch: number
  readonly seq: number
  /** JSON. */
  readonly value: string
}

export type WriteAnswer =
  | { readonly kind: "done" }
  | { readonly kind: "registered"; readonly epoch: number }
  | { readonly kind: "lease"; readonly held: boolean }
  | { readonly kind: "owner-changed" }
  | Refused

export const done: WriteAnswer = { kind: "done" }
