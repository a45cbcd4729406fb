// A pool of connections to one PostgreSQL database. Every call has a deadline: when the server does not answer, the pool is
// dropped with all its connections, so that nothing waits for a partitioned network. Nothing is repeated here: only the
// caller knows what can be.
import postgres from "postgres"
import { DatabaseFault, faultOf, isConnectionLost, serverName } from "./database-fault.ts"
import type { Row } from "./row.ts"

export type Value = string | number | boolean | null | Uint8Array | readonly (string | number | boolean | null)[]

export interface Queries {
  /** Prepared on first use: `text` must not contain values. */
  query(text: string, values?: readonly Value[]): Promise<readonly Row[]>
}

export interface DatabaseOptions {
  readonly url: string
  /** Connections at most. */
  readonly connections?: number
  /** How long a call may take. */
  readonly timeoutMs?: number
  /** Whether a transaction must end within that time (default), or each of its statements. */
  readonly timeoutOf?: "transaction" | "statement"
}

const CONNECT_SECONDS = 5
const TIMEOUT_MS = 10_000
const CONNECTIONS = 4
/** How long a transaction may wait for its next statement. */
const MAX_IDLE_MS = 5000
/** An idle connection is closed after this time, so that commands do not keep the process alive. */
const IDLE_SECONDS = 60

const int8Oid = 20

export class Database implements Queries {
  readonly server: string
  readonly #options: DatabaseOptions
  #pool: postgres.Sql | undefined
  #isClosed = false

  constructor(options: DatabaseOptions) {
    this.#options = options
    this.server = serverName(options.url)
  }

  query(text: string, values: readonly Value[] = []): Promise<readonly Row[]> {
    return this.#run((pool) => pool.unsafe<Row[]>(text, storable(values), { prepare: true }))
  }

  /** Committed when `work` resolves, rolled back when it rejects. */
  transaction<Result>(work: (queries: Queries) => Promise<Result>): Promise<Result> {
    return this.#run(async (pool, restart) => {
      let result: { readonly value: Result } | undefined
      let isLost = false
      const beginning = pool.begin(async (connection) => {
        const query = async (text: string, values: readonly Value[] = []) => {
          if (isLost) throw new DatabaseFault("unreachable", `PostgreSQL at ${this.server} has ended the connection`)
          if (this.#options.timeoutOf === "statement") restart()
          try {
            return await connection.unsafe<Row[]>(text, storable(values), { prepare: true })
          } catch (error) {
            isLost ||= isConnectionLost(error)
            throw error
          }
        }
        const value = await work({ query }).catch((error: unknown) => {
          if (isLost) return neverSettled()
          throw error
        })
        if (isLost) await neverSettled()
        result = { value }
      })
      await beginning.catch((error: unknown) => {
        isLost = true
        throw error
      })
      if (result === undefined) throw new Error("a transaction has no result")
      return result.value
    })
  }

  /** Several statements without values, in one call. */
  async execute(script: string): Promise<void> {
    await this.#run((pool) => pool.unsafe(script).simple())
  }

  /** Waits at most a second for running calls. */
  async close(): Promise<void> {
    this.#isClosed = true
    const pool = this.#pool
    this.#pool = undefined
    await pool?.end({ timeout: 1 })
  }

  async #run<Result>(work: (pool: postgres.Sql, restart: () => void) => Promise<Result>): Promise<Result> {
    if (this.#isClosed) throw new DatabaseFault("unreachable", "the database is closed")
    const pool = (this.#pool ??= this.#open())
    const { timeoutMs = TIMEOUT_MS } = this.#options
    const deadline = Promise.withResolvers<never>()
    let isOver = false
    const timer = setTimeout(() => {
      this.#drop(pool)
      const what = `PostgreSQL at ${this.server} cannot be reached (no answer within ${timeoutMs / 1000} s)`
      deadline.reject(new DatabaseFault("unreachable", what))
    }, timeoutMs)
    try {
      const working = work(pool, () => void (isOver || timer.refresh()))
      working.catch(() => {}) // after the deadline nothing waits for it
      return await Promise.race([working, deadline.promise])
    } catch (error) {
      const fault = faultOf(error, this.server)
      if (fault?.kind === "read-only") this.#drop(pool) // a former primary: the next connection may find the new one
      throw fault ?? error
    } finally {
      isOver = true
      clearTimeout(timer)
    }
  }

  #drop(pool: postgres.Sql): void {
    if (this.#pool === pool) this.#pool = undefined
    void pool.end({ timeout: 0 }).catch(() => {}) // its calls are rejected
  }

  #open(): postgres.Sql {
    const { url, connections = CONNECTIONS, timeoutMs = TIMEOUT_MS } = this.#options
    return postgres(url, {
      max: connections,
      connect_timeout: CONNECT_SECONDS,
      idle_timeout: IDLE_SECONDS,
      backoff: () => 0.1,
      onnotice: () => {},
      // A process that is frozen inside a transaction must not keep its locks, and no statement outlives its caller for long.
      connection: {
        application_name: "turnhouse",
        idle_in_transaction_session_timeout: Math.min(timeoutMs, MAX_IDLE_MS),
        statement_timeout: 2 * timeoutMs,
      },
      target_session_attrs: "read-write",
      types: { int8: { to: int8Oid, from: [int8Oid], serialize: String, parse: Number } },
    })
  }
}

/**
 * The end of a transaction whose connection is closed, which the driver has rejected already. It must not be told to commit
 * or to roll back: writing to the closed socket would end the process (postgres 3.4.9, issue 1208).
 */
function neverSettled(): Promise<never> {
  return new Promise(() => {})
}

/** PostgreSQL has no NUL in text. What may contain one is JSON, which escapes it, or an id from outside, which is then unknown. */
function storable(values: readonly Value[]): Value[] {
  return values.map((value) => {
    if (typeof value === "string") return withoutNul(value)
    return Array.isArray(value) ? value.map((one) => (typeof one === "string" ? withoutNul(one) : one)) : value
  })
}

function withoutNul(text: string): string {
  return text.includes("\0") ? text.replaceAll("\0", "\uFFFD") : text
}
