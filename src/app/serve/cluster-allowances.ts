// The allowances of callers and organisations over all nodes of a cluster. The database is loaded after the address is bound.
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
      nameOfOrg: (org) => names.ofOrg(org),
      takeSession: async (name, org) => (await (this.#sharing ??= openSharing())).sessions.take(name, org),
      setActive: (name, active) => own.setActive(name, active),
      tookFrame: (name) => own.tookFrame(name),
    })
    const others = new OthersUse((name, active, frames) => allowances.useElsewhere(name, active, frames))
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
  const perHour = { perHour: limits.sessionsPerHour, orgPerHour: limits.org.sessionsPerHour }
  const sessions = new sessionModule.SessionAllowance({ part, ...perHour, warn })
  const { UseExchange } = exchangeModule
  const isLimited = Math.min(limits.connections, limits.framesPerSecond, limits.org.turns) < Infinity
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
