// The database of a log: migrated with the first use, and every call repeated for a while when the server cannot be reached or
// a concurrent transaction won. A call that is repeated may have been carried out before.
import { setTimeout as pause } from "node:timers/promises"
import type { Refusal } from "../../contract/refusals.ts"
import { DatabaseFault } from "../../postgres/database-fault.ts"
import { Database, type Queries } from "../../postgres/database.ts"
import { migrate } from "../../postgres/migrate.ts"
import { refused, type Outcome } from "../event-log.ts"
import { logSteps } from "./schema.ts"

/** Below the time of a lease: a host that cannot write for longer is fenced. */
const WRITE_MS = 5000
const READ_MS = 2000
const PAUSE_MS = 100

export interface StoreCounters {
  /** Milliseconds from the first attempt to the answer of an append. */
  readonly appended: (ms: number) => void
  readonly failed: (kind: DatabaseFault["kind"]) => void
}

/** The outcome of a call is unknown: it may still be carried out. */
export class InDoubt extends Error {
  override readonly name = "InDoubt"
}

export class LogDatabase {
  readonly #database: Database
  readonly #failed: StoreCounters["failed"] | undefined
  readonly #prepare: (database: Database) => Promise<void>
  #ready: Promise<void> | undefined
  #isClosed = false

  constructor(
    url: string,
    failed?: StoreCounters["failed"],
    prepare: (database: Database) => Promise<void> = async () => {},
  ) {
    this.#database = new Database({ url, connections: 4, timeoutMs: WRITE_MS })
    this.#failed = failed
    this.#prepare = prepare
  }

  get server(): string {
    return this.#database.server
  }

  /** Repeated for a moment only: a client waits for it. */
  async read<Value>(work: (queries: Queries) => Promise<Outcome<Value>>): Promise<Outcome<Value>> {
    try {
      return await this.#attempt(work, READ_MS)
    } catch (fault) {
      return refused(unavailable(fault))
    }
  }

  /**
   * Repeated until it succeeds, is refused or took too long. `isRepeat`: an earlier attempt may have been carried out.
   * Throws `InDoubt` if it is unknown whether the last one was.
   */
  async write<Value>(work: (queries: Queries, isRepeat: boolean) => Promise<Outcome<Value>>): Promise<Outcome<Value>> {
    try {
      return await this.#attempt(work, WRITE_MS)
    } catch (fault) {
      if (fault instanceof InDoubt) throw fault
      return refused(unavailable(fault))
    }
  }

  transaction<Value>(work: (queries: Queries) => Promise<Value>): Promise<Value> {
    return this.#database.transaction(work)
  }

  async close(): Promise<void> {
    this.#isClosed = true
    await this.#database.close()
  }

  async #attempt<Value>(
    work: (queries: Queries, isRepeat: boolean) => Promise<Value>,
    patienceMs: number,
  ): Promise<Value> {
    const deadline = performance.now() + patienceMs
    let isInDoubt = false
    for (;;) {
      if (this.#isClosed) throw isInDoubt ? new InDoubt() : new DatabaseFault("unreachable", "the log is closed")
      try {
        await this.#migrated()
        return await work(this.#database, isInDoubt)
      } catch (fault) {
        if (!(fault instanceof DatabaseFault)) throw fault
        this.#failed?.(fault.kind)
        isInDoubt ||= fault.kind === "unreachable" && !isBeforeConnection(fault)
        if (isPassing(fault) && performance.now() < deadline) await pause(PAUSE_MS)
        else throw isInDoubt ? new InDoubt(fault.message, { cause: fault }) : fault
      }
    }
  }

  /** A failed migration is tried again with the next call. */
  #migrated(): Promise<void> {
    this.#ready ??= migrate(this.#database, "log", logSteps)
      .then(() => this.#prepare(this.#database))
      .catch((fault: unknown) => {
        this.#ready = undefined
        throw fault
      })
    return this.#ready
  }
}

function isPassing({ kind }: DatabaseFault): boolean {
  return kind === "unreachable" || kind === "conflict" || kind === "read-only"
}

/** Nothing was sent. */
function isBeforeConnection({ cause }: DatabaseFault): boolean {
  return (
    cause instanceof Error &&
    "code" in cause &&
    /^(ECONNREFUSED|ENOTFOUND|EAI_AGAIN|CONNECT_TIMEOUT|57P03)$/.test(String(cause.code))
  )
}

/** Throws what is a defect of this program. */
export function unavailable(fault: unknown): Refusal {
  if (fault instanceof DatabaseFault || fault instanceof InDoubt)
    return { code: "log.unavailable", what: fault.message }
  throw fault
}
