// The port of the event log. Every implementation passes the suites in event-log-contract.ts and directory-contract.ts.
// A refusal is a value, a fault is thrown. Nothing is acknowledged before it is on disk.
import type { Recorded, SessionEvent } from "../contract/events.ts"
import type { SessionId, StepId, VisitId } from "../contract/ids.ts"
import type { Refusal } from "../contract/refusals.ts"
import type { JsonValue, StreamedBlock } from "../contract/values.ts"

export type Outcome<Value> = { readonly kind: "ok"; readonly value: Value } | Refused
export interface Refused {
  readonly kind: "refused"
  readonly refusal: Refusal
}

/** A process that owns sessions. Start time and boot id distinguish it from a later process with the same pid. */
export interface HostIdentity {
  readonly hostId: string
  /** `run`, `serve`, `rpc` … */
  readonly role: string
  readonly pid: number
  readonly startTime: string
  readonly bootId: string
  /** In a cluster: the machine and what its sessions need to know of it. */
  readonly node?: NodeIdentity | undefined
}

export interface NodeIdentity {
  readonly name: string
  /** Places of sessions that this node can run, its own included. */
  readonly labels: readonly string[]
  readonly release: string
}

/** A host that is alive. */
export type LiveHost = Pick<HostIdentity, "hostId" | "role" | "pid" | "node">

/** A host of a cluster as it is registered: its lease may have expired. */
export interface RegisteredHost extends LiveHost {
  readonly isAlive: boolean
  /** Until its lease expires, by the clock of the store; negative afterwards. */
  readonly leaseLeftMs: number
  /** Sessions that it owns, or owned when its lease expired. */
  readonly sessionIds: readonly SessionId[]
}

/** What a log that several nodes share can do besides. */
export interface ClusterLog {
  hosts(): Promise<Outcome<readonly RegisteredHost[]>>
  /** Makes another living host the owner of all, in one step: no third host can take one in between. */
  handOver(lease: Lease, sessionIds: readonly SessionId[], hostId: string): Promise<Outcome<void>>
  /** Sessions that were handed over to this host and that it has not claimed yet. */
  handedOver(lease: Lease): Promise<Outcome<readonly SessionRow[]>>
}

/** The right to write. The epoch rises with every registration of any host and is never reused. */
export interface Lease {
  readonly hostId: string
  readonly epoch: number
}

export interface Append {
  readonly sessionId: SessionId
  /** Seq of the newest event that the writer knows; the new events follow it. */
  readonly expectedSeq: number
  readonly at: number
  readonly events: readonly SessionEvent[]
  /** The step whose text these events contain: checkpointed text is deleted with the append. */
  readonly settles?: StepId | undefined
  /** The session's summary in the directory after these events. */
  readonly summary?: JsonValue | undefined
}

export interface StreamedStep {
  readonly stepId: StepId
  readonly blocks: readonly StreamedBlock[]
}

/** What is needed to resume a session: the newest snapshot, the events after it, and checkpointed text. */
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
  /** The last owner if its lease expired while its process runs: it is frozen or cannot write. */
  readonly lapsed?: LiveHost | undefined
  /** Label of the nodes that can run it; undefined: any. */
  readonly place?: string | undefined
  readonly summary: JsonValue
}

/** Selects the sessions of an organisation, or of one owner in it. */
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

/** A stored event: its exact text, and the hash over it and everything before it. */
export interface StoredLine {
  readonly seq: number
  readonly text: string
  readonly hash: string
}

export interface EventLog {
  /** Absent if the log belongs to one machine. */
  readonly cluster?: ClusterLog
  /** `the only one`: refused while another host of the same role is alive. */
  registerHost(host: HostIdentity, manner?: "the only one"): Promise<Outcome<Lease>>
  /** Lets another host take the role of a host that is about to leave. */
  changeRole(lease: Lease, role: string): Promise<Outcome<void>>
  /** Those of all nodes, or only of the node for which the log was opened. */
  hosts(scope?: "of this node"): Promise<Outcome<readonly LiveHost[]>>
  /** False if the lease was lost: the host must stop its sessions. */
  renew(lease: Lease): Promise<Outcome<boolean>>
  /** Releases the lease and every session owned under it. */
  releaseHost(lease: Lease): Promise<Outcome<void>>

  create(lease: Lease, first: Append): Promise<Outcome<readonly Recorded[]>>
  /** Takes ownership of a session that no living host owns. */
  claim(lease: Lease, sessionId: SessionId): Promise<Outcome<void>>
  /** `left open`: the session has unfinished work; `leftOpen` lists it. */
  release(lease: Lease, sessionId: SessionId, manner?: "left open"): Promise<Outcome<void>>
  append(lease: Lease, append: Append): Promise<Outcome<readonly Recorded[]>>
  /** Stores the newest piece of text that is being streamed. */
  checkpoint(lease: Lease, sessionId: SessionId, streamed: StreamedStep): Promise<Outcome<void>>
  saveSnapshot(lease: Lease, sessionId: SessionId, snapshot: Snapshot): Promise<Outcome<void>>

  /** Deletes a session; the lease must own it. */
  remove(lease: Lease, sessionId: SessionId): Promise<Outcome<void>>

  load(sessionId: SessionId): Promise<Outcome<LoadedSession>>
  read(sessionId: SessionId, afterSeq: number, limit: number): Promise<Outcome<readonly Recorded[]>>
  readLines(sessionId: SessionId, afterSeq: number, limit: number): Promise<Outcome<readonly StoredLine[]>>
  /** One row of the directory. */
  find(sessionId: SessionId): Promise<Outcome<SessionRow>>
  /** Newest first. */
  list(filter?: ListFilter): Promise<Outcome<readonly SessionRow[]>>
  /** The session in which the visit was first opened. */
  findVisit(visitId: VisitId): Promise<Outcome<VisitPlace>>
  /** Sessions whose host died, or that were released as left open; oldest first. */
  leftOpen(): Promise<Outcome<readonly SessionRow[]>>
  /** Checks every hash chain (or one) and returns all damage. */
  inspect(sessionId?: SessionId): Promise<Outcome<readonly Damage[]>>

  close(): Promise<void>
}

export function ok<Value>(value: Value): Outcome<Value> {
  return { kind: "ok", value }
}

export function refused(refusal: Refusal): Refused {
  return { kind: "refused", refusal }
}
