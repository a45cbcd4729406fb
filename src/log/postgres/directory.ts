// The list of sessions, their owners and visits.
import type { SessionId, VisitId } from "../../contract/ids.ts"
import type { JsonValue } from "../../contract/values.ts"
import type { Queries } from "../../postgres/database.ts"
import { numberIn, numberOrNothingIn, textIn, textOrNothingIn, type Row } from "../../postgres/row.ts"
import {
  ok,
  refused,
  type ListFilter,
  type LiveHost,
  type Outcome,
  type RegisteredHost,
  type SessionRow,
  type VisitPlace,
} from "../event-log.ts"
import { isHostAlive, unknownSession } from "../fence.ts"
import { liveHost, newestFirst, ownersAmong, parsedSummary, type Owners } from "../session-rows.ts"
import { hostRow, type Judgement } from "./ownership.ts"

const BRIEF = "number, session_id, created_at, updated_at, seq, head, owner_epoch, place"

interface HostFilter {
  readonly epoch?: number | undefined
  readonly node?: string | undefined
}

/** Every node asks each second: from one owner to the next in the index, so that it does not read a row for each open session. */
export const ownersStatement = `
  with recursive owners (epoch) as (
    select min(owner_epoch) from turnhouse.sessions where owner_epoch is not null
    union all
    select (select min(owner_epoch) from turnhouse.sessions where owner_epoch > owners.epoch)
      from owners where owners.epoch is not null
  )
  select epoch from owners where epoch is not null`

interface KnownSummary {
  readonly head: string
  readonly summary: JsonValue
}

export class Directory {
  readonly #judgement: Judgement
  /** Clients ask for the list every few seconds: only summaries that have changed are read and parsed. */
  #known: ReadonlyMap<number, KnownSummary> = new Map()

  constructor(judgement: Judgement) {
    this.#judgement = judgement
  }

  async list(queries: Queries): Promise<Outcome<readonly SessionRow[]>> {
    const hosts = await this.#hosts(queries)
    const rows = await queries.query(`select ${BRIEF} from turnhouse.sessions`)
    const changed = rows.filter((row) => this.#known.get(numberIn(row, "number"))?.head !== textIn(row, "head"))
    const read = await readSummaries(
      queries,
      changed.map((row) => numberIn(row, "number")),
    )
    const known = new Map<number, KnownSummary>()
    for (const row of rows) {
      const number = numberIn(row, "number")
      const summary = read.get(number) ?? this.#known.get(number)
      if (summary !== undefined) known.set(number, summary)
    }
    this.#known = known
    const listed = rows.map((row) => sessionRow(row, hosts, known.get(numberIn(row, "number"))?.summary ?? null))
    return ok(listed.toSorted(newestFirst))
  }

  async listOf(queries: Queries, { org, owner, limit }: ListFilter): Promise<Outcome<readonly SessionRow[]>> {
    const hosts = await this.#hosts(queries)
    const rows = await queries.query(
      `select * from turnhouse.sessions where org = $1 and ($2::text is null or owner = $2)
         order by updated_at desc, session_id desc limit $3::bigint`,
      [org, owner ?? null, limit ?? null],
    )
    return ok(rows.map((row) => sessionRow(row, hosts, parsed(row))))
  }

  async find(queries: Queries, sessionId: SessionId): Promise<Outcome<SessionRow>> {
    const [row] = await queries.query("select * from turnhouse.sessions where session_id = $1", [sessionId])
    if (row === undefined) return refused(unknownSession(sessionId))
    const hosts = await this.#hosts(queries, { epoch: numberOrNothingIn(row, "owner_epoch") ?? -1 })
    return ok(sessionRow(row, hosts, parsed(row)))
  }

  async leftOpen(queries: Queries): Promise<Outcome<readonly SessionRow[]>> {
    const owners = await queries.query(ownersStatement)
    if (owners.length === 0) return ok([])
    const hosts = await this.#hosts(queries)
    const epochs = owners.map((row) => numberIn(row, "epoch")).filter((epoch) => !hosts.alive.has(epoch))
    if (epochs.length === 0) return ok([])
    const rows = await queries.query(
      "select * from turnhouse.sessions where owner_epoch = any($1::bigint[]) order by updated_at",
      [epochs],
    )
    return ok(rows.map((row) => sessionRow(row, hosts, parsed(row))))
  }

  /** Of all nodes, or of one; an empty name stands for hosts that are no node. */
  async hosts(queries: Queries, node?: string): Promise<Outcome<readonly LiveHost[]>> {
    const { alive } = await this.#hosts(queries, { node })
    return ok([...alive.values()].flatMap((host) => liveHost(host) ?? []))
  }

  /** Also those whose lease has expired. */
  async registered(queries: Queries): Promise<Outcome<readonly RegisteredHost[]>> {
    const { clock, isAlive } = this.#judgement
    const rows = await queries.query(`select *, ${clock.sql} as now from turnhouse.hosts order by node, epoch`, [
      clock.now(),
    ])
    const owned = await queries.query(
      "select owner_epoch, session_id from turnhouse.sessions where owner_epoch is not null",
    )
    const byOwner = Map.groupBy(owned, (row) => numberIn(row, "owner_epoch"))
    return ok(
      rows.map((row) => {
        const [host, now] = [hostRow(row), numberIn(row, "now")]
        const { hostId, role, pid, node, expiresAt } = host
        const sessionIds = (byOwner.get(host.epoch) ?? []).map((session) => textIn(session, "session_id"))
        const isHostHere = isHostAlive(host, now, isAlive)
        return { hostId, role, pid, node, isAlive: isHostHere, leaseLeftMs: expiresAt - now, sessionIds }
      }),
    )
  }

  async handedOver(queries: Queries, epoch: number): Promise<Outcome<readonly SessionRow[]>> {
    const rows = await queries.query(
      "select * from turnhouse.sessions where owner_epoch = $1 and handed_over order by updated_at",
      [epoch],
    )
    if (rows.length === 0) return ok([])
    const hosts = await this.#hosts(queries, { epoch })
    return ok(rows.map((row) => sessionRow(row, hosts, parsed(row))))
  }

  async findVisit(queries: Queries, visitId: VisitId): Promise<Outcome<VisitPlace>> {
    const [row] = await queries.query(
      `select s.session_id, v.seq from turnhouse.visits v join turnhouse.sessions s on s.number = v.session
         where v.visit_id = $1`,
      [visitId],
    )
    if (row === undefined) return refused({ code: "session.unknown", wanted: visitId })
    return ok({ sessionId: textIn(row, "session_id"), seq: numberIn(row, "seq") })
  }

  /** By epoch: hosts that hold their lease, and running hosts of this machine whose lease expired. */
  async #hosts(queries: Queries, { epoch, node }: HostFilter = {}): Promise<Owners> {
    const { clock, isAlive } = this.#judgement
    const rows = await queries.query(
      `select *, ${clock.sql} as now from turnhouse.hosts
         where ($2::bigint is null or epoch = $2::bigint) and ($3::text is null or node = $3::text) order by epoch`,
      [clock.now(), epoch ?? null, node ?? null],
    )
    const now = rows[0] === undefined ? 0 : numberIn(rows[0], "now")
    return ownersAmong(rows.map(hostRow), (host) => isHostAlive(host, now, isAlive))
  }
}

async function readSummaries(queries: Queries, numbers: readonly number[]): Promise<ReadonlyMap<number, KnownSummary>> {
  if (numbers.length === 0) return new Map()
  const rows = await queries.query(
    "select number, head, summary from turnhouse.sessions where number = any($1::bigint[])",
    [numbers],
  )
  return new Map(rows.map((row) => [numberIn(row, "number"), { head: textIn(row, "head"), summary: parsed(row) }]))
}

function sessionRow(row: Row, { alive, lapsed }: Owners, summary: JsonValue): SessionRow {
  const epoch = numberOrNothingIn(row, "owner_epoch") ?? -1
  return {
    sessionId: textIn(row, "session_id"),
    createdAt: numberIn(row, "created_at"),
    updatedAt: numberIn(row, "updated_at"),
    seq: numberIn(row, "seq"),
    owner: liveHost(alive.get(epoch)),
    lapsed: liveHost(lapsed.get(epoch)),
    place: textOrNothingIn(row, "place"),
    summary,
  }
}

function parsed(row: Row): JsonValue {
  return parsedSummary(() => textIn(row, "summary"))
}
