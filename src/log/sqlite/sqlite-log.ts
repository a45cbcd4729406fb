// The log in one SQLite file in WAL mode with full sync. Reads run here, in bounded pages. Writes go through a WritePort:
// to the writer process of the home, or to a writer in this process.
import { randomUUID } from "node:crypto"
import type { Recorded } from "../../contract/events.ts"
import type { SessionId, VisitId } from "../../contract/ids.ts"
import { limits } from "../../contract/limits.ts"
import type { Refusal } from "../../contract/refusals.ts"
import {
  ok,
  refused,
  type Append,
  type Damage,
  type EventLog,
  type HostIdentity,
  type Lease,
  type ListFilter,
  type Outcome,
  type Snapshot,
  type StreamedStep,
} from "../event-log.ts"
import { isHostAlive, unknownSession, type HostRow, type Liveness } from "../fence.ts"
import { isAlive } from "../process-identity.ts"
import { ownerIn, recordedIn, storedForm } from "../recorded.ts"
import { Connection, openDatabase } from "./connection.ts"
import { needsWriter, unavailable } from "./faults.ts"
import { findingsOf, HeadRecords } from "./damage/head-records.ts"
import { InPlaceWriter } from "./writes/in-place-writer.ts"
import { inspect } from "./damage/inspect.ts"
import { findRow, findVisit, hostsOf, list, listOf, liveHosts, ownerOf, sessionsLeftOpen } from "./reads/listing.ts"
import { openEmpty, openForReading } from "./read-only.ts"
import { findSession, load, readSection } from "./reads/reader.ts"
import { asLine, decode } from "../verified-read.ts"
import type { WritePort, ClaimRequest, DeadHost, WriteAnswer, WriteRequest } from "./writes/write-request.ts"
import { acceptDamagedWals, keepDamagedWal } from "./damage/wal-evidence.ts"
import { Writer } from "./writes/writer.ts"

export interface SqliteLogOptions {
  readonly path: string
  readonly now?: () => number
  readonly isAlive?: Liveness
  /** Authenticates the heads recorded outside the database; without it none are recorded or compared. */
  readonly headKey?: Uint8Array | undefined
  /** Called with damage that is found when the file is opened. */
  readonly warn?: (message: string) => void
}

/** Hosts whose lease expired this long ago are deleted. */
const forgetHostAfterMs = 24 * 60 * 60 * 1000

/** For a process that shares the file with no other: reads and writes run here. */
export function openSqliteLog(options: SqliteLogOptions): Outcome<SqliteLog> {
  const { path, headKey, warn = () => {} } = options
  const writer = new Writer({ path, open: () => openDatabase(path, warn), headKey, warn })
  try {
    writer.connection.exec("pragma user_version") // opens and migrates the file
    return ok(new SqliteLog(options, () => writer.connection, new InPlaceWriter(writer)))
  } catch (error) {
    return refused(unavailable(error, path))
  }
}

/** In memory, for tests: the same rules as on disk, and nothing is kept. */
export function openMemoryLog(options: Omit<SqliteLogOptions, "path"> = {}): EventLog {
  const path = ":memory:"
  const writer = new Writer({ path, open: openEmpty })
  return new SqliteLog({ isAlive: () => true, ...options, path }, () => writer.connection, new InPlaceWriter(writer))
}

/** For a file that several processes use: this one only reads it and sends its writes to the writer. */
export function openSharedLog(options: SqliteLogOptions, writer: WritePort): Outcome<SqliteLog> {
  const { path, warn = () => {} } = options
  let isPlaceholder = false
  const connection = new Connection(() => {
    keepDamagedWal(path, warn) // the writer drops damaged parts, and has no terminal
    const opened = openForReading(path)
    isPlaceholder = opened.isPlaceholder
    return opened.database
  })
  const current = () => {
    if (isPlaceholder) connection.discard() // meanwhile there may be a file
    return connection
  }
  try {
    connection.exec("pragma user_version")
  } catch (error) {
    if (!needsWriter(error)) return refused(unavailable(error, path)) // otherwise the first read starts a writer
  }
  return ok(new SqliteLog(options, current, writer))
}

/** Attempts of a read that needs a writer, which is started in between. */
const READ_ATTEMPTS = 5

export class SqliteLog implements EventLog {
  readonly #path: string
  readonly #now: () => number
  readonly #isAlive: (host: HostRow) => boolean
  readonly #connection: () => Connection
  readonly #writer: WritePort
  readonly #heads: HeadRecords | undefined

  constructor(options: SqliteLogOptions, connection: () => Connection, writer: WritePort) {
    const { path, headKey, now = Date.now, isAlive: isProcessAlive = isAlive } = options
    this.#path = path
    this.#heads = headKey && new HeadRecords(path, headKey)
    this.#now = now
    this.#isAlive = (host) => isHostAlive(host, now(), isProcessAlive)
    this.#connection = connection
    this.#writer = writer
  }

  async registerHost(host: HostIdentity, manner?: "the only one"): Promise<Outcome<Lease>> {
    for (;;) {
      const now = this.#now()
      const rivals = manner === undefined ? ok(undefined) : await this.#deadRivals(host)
      if (rivals.kind === "refused") return rivals
      const times = { expiresAt: now + limits.leaseMs, forgetBefore: now - forgetHostAfterMs }
      const answer = await this.#writer.send({ kind: "register", host, ...times, deadRivals: rivals.value })
      if (answer.kind === "registered") return ok({ hostId: host.hostId, epoch: answer.epoch })
      if (answer.kind !== "owner-changed") return refusalIn(answer)
    }
  }

  changeRole(lease: Lease, role: string): Promise<Outcome<void>> {
    return this.#write({ kind: "change-role", lease, role }, undefined)
  }

  async renew(lease: Lease): Promise<Outcome<boolean>> {
    const answer = await this.#writer.send({ kind: "renew", lease, expiresAt: this.#now() + limits.leaseMs })
    return answer.kind === "lease" ? ok(answer.held) : refusalIn(answer)
  }

  releaseHost(lease: Lease): Promise<Outcome<void>> {
    return this.#write({ kind: "release-host", lease }, undefined)
  }

  create({ epoch }: Lease, first: Append): Promise<Outcome<readonly Recorded[]>> {
    const recorded = recordedIn(first)
    const { org, owner } = ownerIn(first)
    return this.#write({ kind: "create", epoch, org, owner, ...storedForm(first, recorded) }, recorded)
  }

  async claim(lease: Lease, sessionId: SessionId): Promise<Outcome<void>> {
    for (;;) {
      const judged = await this.#read(async (connection) => this.#deadOwner(connection, lease, sessionId))
      if (judged.kind === "refused") return judged
      const request = { kind: "claim", sessionId, epoch: lease.epoch, replaces: judged.value } as const
      const answer = await this.#writer.send(request)
      if (answer.kind !== "owner-changed") return outcomeOf(answer, undefined)
    }
  }

  release({ epoch }: Lease, sessionId: SessionId, manner?: "left open"): Promise<Outcome<void>> {
    return this.#write({ kind: "release", sessionId, epoch, leftOpen: manner === "left open" }, undefined)
  }

  append({ epoch }: Lease, append: Append): Promise<Outcome<readonly Recorded[]>> {
    const recorded = recordedIn(append)
    const { settles } = append
    return this.#write({ kind: "append", epoch, settles, ...storedForm(append, recorded) }, recorded)
  }

  checkpoint({ epoch }: Lease, sessionId: SessionId, { stepId, blocks }: StreamedStep): Promise<Outcome<void>> {
    const piece = { stepId, piece: randomUUID(), blocks: JSON.stringify(blocks) }
    return this.#write({ kind: "checkpoint", sessionId, epoch, ...piece }, undefined)
  }

  saveSnapshot({ epoch }: Lease, sessionId: SessionId, { seq, value }: Snapshot): Promise<Outcome<void>> {
    return this.#write({ kind: "snapshot", sessionId, epoch, seq, value: JSON.stringify(value) }, undefined)
  }

  remove({ epoch }: Lease, sessionId: SessionId): Promise<Outcome<void>> {
    return this.#write({ kind: "remove", sessionId, epoch }, undefined)
  }

  load(sessionId: SessionId) {
    return this.#read(async (connection) => {
      const [missing] = this.#heads?.missing(connection, sessionId) ?? []
      return missing === undefined ? load(connection, sessionId) : refused(behindItsHead(missing))
    })
  }

  read(sessionId: SessionId, afterSeq: number, limit: number) {
    return this.#read((connection) => readSection(connection, sessionId, afterSeq, limit, decode))
  }

  readLines(sessionId: SessionId, afterSeq: number, limit: number) {
    return this.#read((connection) => readSection(connection, sessionId, afterSeq, limit, asLine))
  }

  find(sessionId: SessionId) {
    return this.#read(async (connection) => {
      const row = findRow(connection, sessionId, this.#isAlive)
      if (row !== undefined) return ok(row)
      const [missing] = this.#heads?.missing(connection, sessionId) ?? []
      return refused(missing === undefined ? unknownSession(sessionId) : behindItsHead(missing))
    })
  }

  findVisit(visitId: VisitId) {
    return this.#read(async (connection) => {
      const place = findVisit(connection, visitId)
      return place === undefined ? refused({ code: "session.unknown", wanted: visitId }) : ok(place)
    })
  }

  list(filter?: ListFilter) {
    return this.#read(async (connection) =>
      ok(filter === undefined ? await list(connection, this.#isAlive) : listOf(connection, filter, this.#isAlive)),
    )
  }

  leftOpen() {
    return this.#read(async (connection) => ok(sessionsLeftOpen(connection, this.#isAlive)))
  }

  hosts() {
    return this.#read(async (connection) => ok(liveHosts(connection, this.#isAlive)))
  }

  inspect(sessionId?: SessionId) {
    return this.#read((connection) => inspect(connection, this.#heads, sessionId))
  }

  /** Problems of the files beside the database, apart from damage to single sessions. */
  findings() {
    return this.#read(async (connection) => ok(findingsOf(connection, this.#path, this.#heads)))
  }

  /** Sessions that are behind their recorded head. */
  behindHeads() {
    return this.#read(async (connection) => ok(this.#heads?.missing(connection) ?? []))
  }

  /** Continues without acknowledged events that are missing: records what is stored now. */
  acceptLoss(sessionId?: SessionId) {
    return this.#read(async (connection) => {
      const accepted = this.#heads?.accept(connection, sessionId) ?? []
      if (sessionId === undefined) acceptDamagedWals(this.#path)
      return ok(accepted)
    })
  }

  async close(): Promise<void> {
    await this.#writer.close()
    this.#connection().close()
  }

  async #write<Value>(request: WriteRequest, value: Value): Promise<Outcome<Value>> {
    return outcomeOf(await this.#writer.send(request), value)
  }

  async #read<Value>(
    read: (connection: Connection) => Promise<Outcome<Value>>,
    attempts = READ_ATTEMPTS,
  ): Promise<Outcome<Value>> {
    const connection = this.#connection()
    try {
      return await read(connection)
    } catch (error) {
      connection.discard()
      if (attempts <= 1 || !needsWriter(error)) return refused(unavailable(error, this.#path))
    }
    try {
      await this.#writer.prepare()
    } catch (error) {
      return refused(unavailable(error, this.#path))
    }
    return this.#read(read, attempts - 1)
  }

  /** Dead hosts of the role; refused while one is alive. */
  #deadRivals({ role, hostId }: HostIdentity): Promise<Outcome<readonly DeadHost[]>> {
    return this.#read(async (connection) => {
      const rivals = hostsOf(connection, role).filter((host) => host.hostId !== hostId)
      const living = rivals.find((host) => this.#isAlive(host))
      if (living === undefined) return ok(rivals.map(({ epoch, expiresAt }) => ({ epoch, expiresAt })))
      return refused({ code: "host.exists", role, hostId: living.hostId, pid: living.pid })
    })
  }

  #deadOwner(connection: Connection, lease: Lease, sessionId: SessionId): Outcome<ClaimRequest["replaces"]> {
    const session = findSession(connection, sessionId)
    if (session.kind === "refused") return session
    const owner = ownerOf(connection, sessionId)
    if (owner?.host !== undefined && owner.epoch !== lease.epoch && this.#isAlive(owner.host))
      return refused({ code: "session.owned", sessionId, owner: owner.host.role, pid: owner.host.pid })
    return ok(owner && { epoch: owner.epoch, expiresAt: owner.host?.expiresAt })
  }
}

function behindItsHead({ sessionId, seq, what }: Damage): Refusal {
  const remedy = `Restore a backup, or continue without them: 'turnhouse verify --accept-loss ${sessionId}'`
  return { code: "session.damaged", sessionId, seq, what: `${what}. ${remedy}` }
}

function outcomeOf<Value>(answer: WriteAnswer, value: Value): Outcome<Value> {
  return answer.kind === "done" ? ok(value) : refusalIn(answer)
}

function refusalIn(answer: WriteAnswer) {
  if (answer.kind === "refused") return answer
  throw new Error(`unexpected answer of the log writer: '${answer.kind}'`)
}
