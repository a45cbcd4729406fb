// The log of record. Every implementation runs the suite in event-log-contract.ts.
// A refusal is a value; what throws is a fault of this program. Nothing is acknowledged before it is on disk.
import type { Recorded, SessionEvent } from "../contract/events.ts"
import type { SessionId, StepId, VisitId } from "../contract/ids.ts"
import type { Refusal } from "../contract/refusals.ts"
import type { JsonValue, StreamedBlock } from "../contract/values.ts"

export type Outcome<Value> = { readonly kind: "ok"; readonly value: Value } | Refused
export interface Refused {
  readonly kind: "refused"
  readonly refusal: Refusal
}

/** The process that wants to own sessions. Start time and boot id tell a process from a later one with its pid. */
export interface HostIdentity {
  readonly hostId: string
  /** What people call it: `run`, `serve`, `rpc` … */
  readonly role: string
  readonly pid: number
  readonly startTime: string
  readonly bootId: string
}

/** A host that is alive, as the others see it. */
export type LiveHost = Pick<HostIdentity, "hostId" | "role" | "pid">

/** The right to write, fenced by an epoch that rises with every registration of any host. */
export interface Lease {
  readonly hostId: string
  readonly epoch: number
}

export interface Append {
  readonly sessionId: SessionId
  /** The seq of the newest event the writer knows; the new events follow it. */
  readonly expectedSeq: number
  readonly at: number
  readonly events: readonly SessionEvent[]
  /** The step that has spoken: with these events all text that was in the air is superfluous. */
  readonly settles?: StepId | undefined
  /** The session's line in the directory after these events. */
  readonly summary?: JsonValue | undefined
}

export interface StreamedStep {
  readonly stepId: StepId
  readonly blocks: readonly StreamedBlock[]
}

/** What is needed to go on with a session: the newest snapshot, what came after it, and text that was in the air. */
export interface LoadedSession {
  readonly snapshot: Snapshot | undefined
  readonly events: readonly Recorded[]
  readonly streamed: readonly StreamedStep[]
}

export interface Snapshot {
  readonly seq: number
  readonly value: JsonValue
}

export interface SessionRow {
  readonly sessionId: SessionId
  readonly createdAt: number
  readonly updatedAt: number
  readonly seq: number
  readonly owner: LiveHost | undefined
  /** The last owner when its lease has run out although its process lives: it is frozen or cannot write. */
  readonly lapsed?: LiveHost | undefined
  readonly summary: JsonValue
}

/** Whose sessions are listed: those of an organisation, or of one owner in it. */
export interface ListFilter {
  readonly org: string
  readonly owner?: string | undefined
  readonly limit?: number | undefined
}

/** Where a visit was opened. */
export interface VisitPlace {
  readonly sessionId: SessionId
  readonly seq: number
}

export interface Damage {
  readonly sessionId: SessionId
  readonly seq: number
  readonly what: string
}

/** One stored event as it lies on disk: the exact text, and the hash over it and everything before it. */
export interface StoredLine {
  readonly seq: number
  readonly text: string
  readonly hash: string
}

export interface EventLog {
  /** `the only one`: refused while another host of the same role lives. */
  registerHost(host: HostIdentity, manner?: "the only one"): Promise<Outcome<Lease>>
  /** A host that is about to leave makes room for the next of its role. */
  changeRole(lease: Lease, role: string): Promise<Outcome<void>>
  hosts(): Promise<Outcome<readonly LiveHost[]>>
  /** False when the lease was lost: the host must stop acting on its sessions. */
  renew(lease: Lease): Promise<Outcome<boolean>>
  /** Gives back the lease and every session owned under it. */
  releaseHost(lease: Lease): Promise<Outcome<void>>

  create(lease: Lease, first: Append): Promise<Outcome<readonly Recorded[]>>
  /** Takes a session that nobody alive owns. */
  claim(lease: Lease, sessionId: SessionId): Promise<Outcome<void>>
  /** `left open`: there is work to go on with, for whoever looks for such sessions. */
  release(lease: Lease, sessionId: SessionId, manner?: "left open"): Promise<Outcome<void>>
  append(lease: Lease, append: Append): Promise<Outcome<readonly Recorded[]>>
  /** Adds the newest piece of text that is still being written. */
  checkpoint(lease: Lease, sessionId: SessionId, streamed: StreamedStep): Promise<Outcome<void>>
  saveSnapshot(lease: Lease, sessionId: SessionId, snapshot: Snapshot): Promise<Outcome<void>>

  /** Deletes a session for good; the lease must own it. */
  remove(lease: Lease, sessionId: SessionId): Promise<Outcome<void>>

  load(sessionId: SessionId): Promise<Outcome<LoadedSession>>
  read(sessionId: SessionId, afterSeq: number, limit: number): Promise<Outcome<readonly Recorded[]>>
  readLines(sessionId: SessionId, afterSeq: number, limit: number): Promise<Outcome<readonly StoredLine[]>>
  /** One line of the directory. */
  find(sessionId: SessionId): Promise<Outcome<SessionRow>>
  /** Newest first. */
  list(filter?: ListFilter): Promise<Outcome<readonly SessionRow[]>>
  /** A visit's id belongs to the session in which it was opened first. */
  findVisit(visitId: VisitId): Promise<Outcome<VisitPlace>>
  /** Sessions whose host died with them, or that were released as left open; oldest first. */
  leftOpen(): Promise<Outcome<readonly SessionRow[]>>
  /** Walks every chain (or one) and names all damage. */
  inspect(sessionId?: SessionId): Promise<Outcome<readonly Damage[]>>

  close(): Promise<void>
}

export function ok<Value>(value: Value): Outcome<Value> {
  return { kind: "ok", value }
}

export function refused(refusal: Refusal): Refused {
  return { kind: "refused", refusal }
}
