// Publishes the use of accounts on this node once a second, and reads that of the other nodes. A node that has published
// nothing for five seconds does not count any more. While PostgreSQL cannot be reached, this node counts alone.
import { serverTime, type DatabasePart } from "../../postgres/database-part.ts"
import { booleanIn, numberIn, textIn, type Row } from "../../postgres/row.ts"
import type { OthersUse, PublishedUse } from "./others-use.ts"
import type { OwnUse } from "./own-use.ts"
import type { AccountUse } from "./shared-use.ts"

export interface UseExchangeOptions {
  readonly part: DatabasePart
  /** Differs for each process. */
  readonly node: string
  readonly own: OwnUse
  readonly others: OthersUse
  readonly warn: (message: string) => void
  /** Called about once a minute. */
  readonly forget: () => Promise<void>
  readonly pauseMs?: number
  readonly staleMs?: number
}

const PAUSE_MS = 1000
const STALE_MS = 5000
const PUBLICATIONS_PER_MINUTE = 60
/** Time after which the rows of a node are deleted. */
const GONE_MS = 60_000

export class UseExchange {
  readonly #options: UseExchangeOptions
  readonly #staleMs: number
  #publication = 0
  #publishesAll = false
  #succeededAt = performance.now()
  #isFailing = false
  #isClosed = false
  #timer: NodeJS.Timeout | undefined
  #running: Promise<void>

  /** Exchanges at once, and then again and again. */
  constructor(options: UseExchangeOptions) {
    this.#options = options
    this.#staleMs = options.staleMs ?? STALE_MS
    this.#running = this.#exchange()
  }

  /** The other nodes need not wait until this one is stale. */
  async close(): Promise<void> {
    this.#isClosed = true
    clearTimeout(this.#timer)
    await this.#running
    if (this.#isFailing) return
    const { part, node } = this.#options
    await part.query("delete from turnhouse.using_nodes where node = $1", [node]).catch(() => {}) // they notice later
  }

  async #exchange(): Promise<void> {
    try {
      await this.#publish()
      await this.#read()
      if (this.#publication % PUBLICATIONS_PER_MINUTE === 0) await this.#forget()
      this.#succeededAt = performance.now()
      this.#isFailing = false
    } catch (fault) {
      this.#failed(fault)
    }
    if (this.#isClosed) return
    const next = () => {
      this.#running = this.#exchange()
    }
    this.#timer = setTimeout(next, this.#options.pauseMs ?? PAUSE_MS).unref()
  }

  #failed(fault: unknown): void {
    this.#publishesAll = true // it is unknown what of the last publication was stored
    if (performance.now() - this.#succeededAt > this.#staleMs) this.#options.others.clear()
    if (!this.#isFailing && !this.#isClosed)
      this.#options.warn(`limits of callers are those of this node alone until PostgreSQL answers: ${String(fault)}`)
    this.#isFailing = true
  }

  async #publish(): Promise<void> {
    const { own, part, node } = this.#options
    const uses = own.prepare(this.#publishesAll)
    this.#publication += 1
    const [row] = await part.query(publish, [node, this.#publication, ...columnsOf(uses)])
    own.published(uses)
    const wasKnown = row !== undefined && booleanIn(row, "was_known")
    this.#publishesAll = !wasKnown && this.#publication > 1 // the server has lost or forgotten this node
  }

  async #read(): Promise<void> {
    const { others, part, node } = this.#options
    const known = others.read
    const nodes = known.map((other) => other.node)
    const publications = known.map(({ publication }) => publication)
    const rows = await part.query(readNew, [node, nodes, publications, this.#staleMs])
    const alive = new Map(rows.map((row) => [textIn(row, "node"), numberIn(row, "newest")]))
    others.update(alive, rows.flatMap(useIn))
  }

  async #forget(): Promise<void> {
    const { part, node, forget } = this.#options
    await part.query(
      `delete from turnhouse.using_nodes where node = any(array(
         select node from turnhouse.using_nodes where at < ${serverTime} - ${GONE_MS} for update skip locked
       ))`,
    )
    await part.query("delete from turnhouse.account_use where node = $1 and active = 0 and publication <= $2::bigint", [
      node,
      this.#publication - PUBLICATIONS_PER_MINUTE,
    ])
    await forget()
  }
}

/** A late publication must not replace a newer one. */
const publish = `
  with before as (select from turnhouse.using_nodes where node = $1),
  beat as (
    insert into turnhouse.using_nodes as stored (node, publication, at) values ($1, $2::bigint, ${serverTime})
    on conflict (node) do update set publication = excluded.publication, at = excluded.at
    where stored.publication < excluded.publication
  ),
  uses as (
    insert into turnhouse.account_use as stored (node, account, active, frames, publication)
    select $1, account, active, frames, $2::bigint
    from unnest($3::text[], $4::integer[], $5::bigint[]) as used (account, active, frames)
    on conflict (node, account) do update
    set active = excluded.active, frames = excluded.frames, publication = excluded.publication
    where stored.publication < excluded.publication
  )
  select exists (select from before) as was_known`

/** A row of each node that publishes, and one of each account that is new in it. */
const readNew = `
  select nodes.node, nodes.publication as newest, used.account, used.active, used.frames
  from turnhouse.using_nodes as nodes
  left join unnest($2::text[], $3::bigint[]) as seen (node, publication) on seen.node = nodes.node
  left join turnhouse.account_use as used
    on used.node = nodes.node and used.publication > coalesce(seen.publication, 0)
  where nodes.node <> $1 and nodes.at > ${serverTime} - $4::bigint`

function columnsOf(uses: readonly AccountUse[]) {
  return [
    uses.map(({ account }) => account),
    uses.map(({ active }) => active),
    uses.map(({ frames }) => frames),
  ] as const
}

function useIn(row: Row): readonly PublishedUse[] {
  if (row["account"] === null) return []
  return [
    {
      node: textIn(row, "node"),
      account: textIn(row, "account"),
      active: numberIn(row, "active"),
      frames: numberIn(row, "frames"),
    },
  ]
}
