// Which host may write to a session, and after which event. Called inside the transaction of the write. Epochs are never
// reused: equal epochs mean the same owner.
import type { Refusal } from "../contract/refusals.ts"
import type { HostIdentity } from "./event-log.ts"

export interface SessionHead {
  readonly sessionId: string
  readonly seq: number
  readonly ownerEpoch: number | undefined
}

export interface HostRow extends HostIdentity {
  readonly epoch: number
  readonly expiresAt: number
}

/** Whether a host's process is alive. True if unknown: then only the lease decides. */
export type Liveness = (host: HostIdentity) => boolean

export function unknownSession(sessionId: string): Refusal {
  return { code: "session.unknown", wanted: sessionId }
}

export function refuseWrite({ sessionId, ownerEpoch }: SessionHead, epoch: number): Refusal | undefined {
  return ownerEpoch === epoch ? undefined : { code: "log.fenced", sessionId }
}

export function refuseAppend(head: SessionHead, epoch: number, expectedSeq: number): Refusal | undefined {
  return refuseWrite(head, epoch) ?? (head.seq === expectedSeq ? undefined : conflict(head, expectedSeq))
}

/** A snapshot ahead of the stored events would make a later load skip events. */
export function refuseSnapshot(head: SessionHead, epoch: number, seq: number): Refusal | undefined {
  return refuseWrite(head, epoch) ?? (seq >= 1 && seq <= head.seq ? undefined : conflict(head, seq))
}

/** A host is dead when its lease has expired, or as soon as its process is known to be gone. */
export function isHostAlive(host: HostRow, now: number, isAlive: Liveness): boolean {
  return host.expiresAt > now && isAlive(host)
}

function conflict({ sessionId, seq }: SessionHead, expectedSeq: number): Refusal {
  return { code: "log.conflict", sessionId, expectedSeq, seq }
}
