// The log in PostgreSQL, shared by the nodes of a cluster. A write is answered when its transaction is committed. When the
// server cannot be reached, writes are repeated for a few seconds and then refused; one whose outcome stays unknown fences its
// session, which the next owner reads again.
import type { Recorded } from "../../contract/events.ts"
import type { SessionId, VisitId } from "../../contract/ids.ts"
import type { Database, Queries } from "../../postgres/database.ts"
import {
  ok,
  refused,
  type Append,
  type ClusterLog,
  type EventLog,
  type HostIdentity,
  type Lease,
  type ListFilter,
  type Outcome,
  type Snapshot,
  type StreamedStep,
} from "../event-log.ts"
import type { Liveness } from "../fence.ts"
import { isAlive } from "../process-identity.ts"
import { recordedIn, storedForm } from "../recorded.ts"
import { checkpointOf } from "./checkpoint-batch.ts"
import { Directory } from "./directory.ts"
import { handOver } from "./hand-over.ts"
import { InDoubt, LogDatabase, unavailable, type StoreCounters } from "./log-database.ts"
import { changeRole, claim, clockOf, register, release, releaseHost, renew, type Judgement } from "./ownership.ts"
import { asLine, decode, inspect, load, readSection } from "./reads.ts"
import { create, remove, saveSnapshot } from "./session-writes.ts"
import { WriteLanes } from "./write-lanes.ts"

export interface PostgresLogOptions {
  readonly url: string
  /** Name of the node that opens it. */
  readonly node?: string
  /** For tests; otherwise the clock of the server. */
  readonly now?: () => number
  readonly isAlive?: Liveness
  readonly counters?: StoreCounters
  /** Runs after the tables exist and before the first use; the log is unavailable while it throws. */
  readonly prepare?: (database: Database) => Promise<void>
}

type Work<Value> = (queries: Queries, isRepeat: boolean) => Promise<Outcome<Value>>

export class PostgresLog implements EventLog {
  readonly #database: LogDatabase
  readonly #lanes: WriteLanes
  readonly #directory: Directory
  readonly #judgement: Judgement
  readonly #node: string | undefined
  readonly cluster: ClusterLog
  #isClosed = false

  constructor({ url, node, now, isAlive: isProcessAlive = isAlive, counters, prepare }: PostgresLogOptions) {
    this.#database = new LogDatabase(url, counters?.failed, prepare)
    this.#lanes = new WriteLanes(this.#database, counters?.appended)
    this.#node = node
    this.#judgement = { clock: clockOf(now), isAlive: isProcessAlive }
    this.#directory = new Directory(this.#judgement)
    this.cluster = {
      hosts: () => this.#read((queries) => this.#directory.registered(queries)),
      handedOver: ({ epoch }) => this.#read((queries) => this.#directory.handedOver(queries, epoch)),
      handOver: (lease, sessionIds, hostId) => {
        for (const sessionId of sessionIds) this.#lanes.forgetHead(sessionId)
        return this.#change((queries) => handOver(queries, this.#judgement, lease, sessionIds, hostId))
      },
    }
  }

  /** Host and database, without credentials. */
  get server(): string {
    return this.#database.server
  }

  registerHost(host: HostIdentity, manner?: "the only one"): Promise<Outcome<Lease>> {
    return this.#change((queries) => register(queries, this.#judgement, host, manner))
  }

  changeRole(lease: Lease, role: string): Promise<Outcome<void>> {
    return this.#change((queries) => changeRole(queries, lease, role))
  }

  renew(lease: Lease): Promise<Outcome<boolean>> {
    return this.#single((queries) => renew(queries, this.#judgement.clock, lease))
  }

  releaseHost(lease: Lease): Promise<Outcome<void>> {
    return this.#change((queries) => releaseHost(queries, lease))
  }

  async create(lease: Lease, first: Append): Promise<Outcome<readonly Recorded[]>> {
    const recorded = recordedIn(first)
    const stored = storedForm(first, recorded)
    const created = await this.#change((queries, isRepeat) => create(queries, lease.epoch, first, stored, isRepeat))
    if (created.kind === "refused") return created
    this.#lanes.noteHead(first.sessionId, created.value)
    return ok(recorded)
  }

  claim(lease: Lease, sessionId: SessionId): Promise<Outcome<void>> {
    this.#lanes.forgetHead(sessionId)
    return this.#change((queries) => claim(queries, this.#judgement, lease, sessionId))
  }

  release(lease: Lease, sessionId: SessionId, manner?: "left open"): Promise<Outcome<void>> {
    this.#lanes.forgetHead(sessionId)
    return this.#single((queries) => release(queries, lease, sessionId, manner === "left open"))
  }

  async append({ epoch }: Lease, append: Append): Promise<Outcome<readonly Recorded[]>> {
    if (this.#isClosed) return closed
    const recorded = recordedIn(append)
    const request = { ...storedForm(append, recorded), epoch, settles: append.settles !== undefined }
    const outcome = await this.#lanes.append(request)
    return outcome.kind === "ok" ? ok(recorded) : outcome
  }

  async checkpoint({ epoch }: Lease, sessionId: SessionId, streamed: StreamedStep): Promise<Outcome<void>> {
    return this.#isClosed ? closed : this.#lanes.checkpoint(checkpointOf(sessionId, epoch, streamed))
  }

  saveSnapshot({ epoch }: Lease, sessionId: SessionId, { seq, value }: Snapshot): Promise<Outcome<void>> {
    return this.#change((queries) => saveSnapshot(queries, epoch, sessionId, seq, JSON.stringify(value)))
  }

  remove({ epoch }: Lease, sessionId: SessionId): Promise<Outcome<void>> {
    this.#lanes.forgetHead(sessionId)
    return this.#change((queries, isRepeat) => remove(queries, epoch, sessionId, isRepeat))
  }

  load(sessionId: SessionId) {
    return this.#read((queries) => load(queries, sessionId))
  }

  read(sessionId: SessionId, afterSeq: number, limit: number) {
    return this.#read((queries) => readSection(queries, sessionId, afterSeq, limit, decode))
  }

  readLines(sessionId: SessionId, afterSeq: number, limit: number) {
    return this.#read((queries) => readSection(queries, sessionId, afterSeq, limit, asLine))
  }

  find(sessionId: SessionId) {
    return this.#read((queries) => this.#directory.find(queries, sessionId))
  }

  findVisit(visitId: VisitId) {
    return this.#read((queries) => this.#directory.findVisit(queries, visitId))
  }

  list(filter?: ListFilter) {
    return this.#read((queries) =>
      filter === undefined ? this.#directory.list(queries) : this.#directory.listOf(queries, filter),
    )
  }

  leftOpen() {
    return this.#read((queries) => this.#directory.leftOpen(queries))
  }

  hosts(scope?: "of this node") {
    const node = scope === undefined ? undefined : (this.#node ?? "")
    return this.#read((queries) => this.#directory.hosts(queries, node))
  }

  async inspect(sessionId?: SessionId) {
    return this.#read(async (queries) => {
      if (sessionId !== undefined) {
        const found = await this.#directory.find(queries, sessionId)
        return found.kind === "refused" ? found : inspect(queries, [sessionId])
      }
      const listed = await this.#directory.list(queries)
      return listed.kind === "refused"
        ? listed
        : inspect(
            queries,
            listed.value.map((row) => row.sessionId),
          )
    })
  }

  async close(): Promise<void> {
    this.#isClosed = true
    await this.#database.close()
  }

  async #read<Value>(work: Work<Value>): Promise<Outcome<Value>> {
    return this.#isClosed ? closed : this.#database.read((queries) => work(queries, false))
  }

  /** One statement. */
  async #single<Value>(work: Work<Value>): Promise<Outcome<Value>> {
    if (this.#isClosed) return closed
    try {
      return await this.#database.write(work)
    } catch (fault) {
      if (!(fault instanceof InDoubt)) throw fault
      return refused(unavailable(fault))
    }
  }

  /** Several statements in a transaction. */
  #change<Value>(work: Work<Value>): Promise<Outcome<Value>> {
    return this.#single((_, isRepeat) => this.#database.transaction((queries) => work(queries, isRepeat)))
  }
}

const closed = refused({ code: "log.unavailable", what: "the log is closed" })
