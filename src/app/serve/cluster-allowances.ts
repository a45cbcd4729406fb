// The allowances of callers over all nodes of a cluster. The database is loaded after the address is bound.
import { randomUUID } from "node:crypto"
import { AccountNames } from "../../identity/allowances/account-names.ts"
import { Allowances, type AllowanceLimits } from "../../identity/allowances/allowances.ts"
import { OthersUse } from "../../identity/allowances/others-use.ts"
import { OwnUse } from "../../identity/allowances/own-use.ts"
import type { SessionAllowance } from "../../identity/allowances/session-allowance.ts"
import { messageOf } from "../app-fault.ts"
import { printNotice } from "../terminal.ts"

/** What exists once the database is loaded. */
interface Sharing {
  readonly sessions: SessionAllowance
  close(): Promise<void>
}

export class ClusterAllowances {
  readonly #url: string
  readonly #homeKey: Uint8Array
  #openSharing: (() => Promise<Sharing>) | undefined
  #sharing: Promise<Sharing> | undefined

  constructor(url: string, homeKey: Uint8Array) {
    this.#url = url
    this.#homeKey = homeKey
  }

  /** Called once. */
  open(limits: AllowanceLimits): Allowances {
    const names = new AccountNames(this.#homeKey)
    const own = new OwnUse(limits.framesPerSecond)
    const openSharing = () => open(this.#url, limits, own, others)
    const allowances = new Allowances(limits, Date.now, {
      nameOf: (account) => names.of(account),
      takeSession: async (name) => (await (this.#sharing ??= openSharing())).sessions.take(name),
      connected: (name, connections) => own.connected(name, connections),
      tookFrame: (name) => own.tookFrame(name),
    })
    const others = new OthersUse((name, connections, frames) => allowances.useElsewhere(name, connections, frames))
    this.#openSharing = openSharing
    return allowances
  }

  /** Begins to share them. */
  start(): void {
    this.#sharing ??= this.#openSharing?.()
    this.#sharing?.catch((fault: unknown) => warn(messageOf(fault)))
  }

  async close(): Promise<void> {
    await (await this.#sharing)?.close()
  }
}

async function open(url: string, limits: AllowanceLimits, own: OwnUse, others: OthersUse): Promise<Sharing> {
  const [{ Database }, { DatabasePart }, { allowanceTables }, sessionModule, exchangeModule] = await Promise.all([
    import("../../postgres/database.ts"),
    import("../../postgres/database-part.ts"),
    import("../../identity/allowances/tables.ts"),
    import("../../identity/allowances/session-allowance.ts"),
    import("../../identity/allowances/use-exchange.ts"),
  ])
  const database = new Database({ url, connections: 2, timeoutMs: TIMEOUT_MS })
  const part = new DatabasePart(database, "allowances", allowanceTables)
  const sessions = new sessionModule.SessionAllowance({ part, perHour: limits.sessionsPerHour, warn })
  const { UseExchange } = exchangeModule
  const isLimited = limits.connections < Infinity || limits.framesPerSecond < Infinity
  const forget = () => sessions.forget()
  const exchange = isLimited ? new UseExchange({ part, node: randomUUID(), own, others, warn, forget }) : undefined
  const close = async () => {
    await exchange?.close()
    await database.close()
  }
  return { sessions, close }
}

/** As long as a node may be silent before the others forget it. */
const TIMEOUT_MS = 5000

function warn(message: string): void {
  printNotice(`turnhouse: ${message}`)
}
