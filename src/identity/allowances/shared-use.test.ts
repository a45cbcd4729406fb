import { randomUUID } from "node:crypto"
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from "vitest"
import { Database } from "../../postgres/database.ts"
import { DatabasePart } from "../../postgres/database-part.ts"
import { startPostgres, type PostgresServer } from "../../testing/servers/postgres-server.ts"
import { AccountNames } from "./account-names.ts"
import { Allowances } from "./allowances.ts"
import { OthersUse } from "./others-use.ts"
import { OwnUse } from "./own-use.ts"
import { SessionAllowance } from "./session-allowance.ts"
import { allowanceTables } from "./tables.ts"
import { UseExchange } from "./use-exchange.ts"

const limits = { connections: 5, framesPerSecond: 10, sessionsPerHour: 20, org: { turns: 3, sessionsPerHour: 30 } }
const visitor = JSON.stringify(["shop", "jane"])
const hour = 3_600_000

let server: PostgresServer
let url: string
const open: { close(): Promise<void> }[] = []

beforeAll(async () => {
  server = await startPostgres()
})
afterAll(() => server.remove())
beforeEach(() => {
  url = server.createDatabase()
})
afterEach(async () => {
  for (const one of open.splice(0).toReversed()) await one.close()
})

function tables(address = url) {
  const database = new Database({ url: address, timeoutMs: 2000 })
  open.push(database)
  return { database, part: new DatabasePart(database, "allowances", allowanceTables) }
}

/** A node whose clock stands still: its buckets do not refill. */
function startNode({ staleMs = 60_000, address = url } = {}) {
  const { database, part } = tables(address)
  const warn = vi.fn<(message: string) => void>()
  const names = new AccountNames(new Uint8Array(32))
  const own = new OwnUse(limits.framesPerSecond)
  const perHour = { perHour: limits.sessionsPerHour, orgPerHour: limits.org.sessionsPerHour }
  const sessions = new SessionAllowance({ part, ...perHour, warn })
  const allowances = new Allowances(limits, () => 0, {
    nameOf: (account) => names.of(account),
    nameOfOrg: (org) => names.ofOrg(org),
    takeSession: (name, org) => sessions.take(name, org),
    setActive: (name, active) => own.setActive(name, active),
    tookFrame: (name) => own.tookFrame(name),
  })
  const others = new OthersUse((name, active, frames) => allowances.useElsewhere(name, active, frames))
  const forget = () => sessions.forget()
  const exchange = new UseExchange({ part, node: randomUUID(), own, others, warn, forget, pauseMs: 20, staleMs })
  open.push(exchange)
  return { allowances, database, exchange, warn }
}

/** How many connections the account could open now. */
function spare(allowances: Allowances, account = visitor): number {
  let count = 0
  while (allowances.enter(account)) count += 1
  for (let n = 0; n < count; n++) allowances.leave(account)
  return count
}

function framesTaken(allowances: Allowances, account = visitor): number {
  let count = 0
  while (allowances.takeFrame(account)) count += 1
  return count
}

describe("connections", () => {
  it("are limited over all nodes, per account of an organisation", async () => {
    const [one, other] = [startNode(), startNode()]
    for (let n = 0; n < 3; n++) one.allowances.enter(visitor)
    await expect.poll(() => spare(other.allowances)).toBe(2)
    expect(spare(other.allowances, JSON.stringify(["bank", "jane"]))).toBe(5)
    one.allowances.leave(visitor)
    await expect.poll(() => spare(other.allowances)).toBe(3)
  })

  it("are known to a node that starts later", async () => {
    const [one, other] = [startNode(), startNode()]
    one.allowances.enter(visitor)
    other.allowances.enter(visitor)
    await expect.poll(() => spare(one.allowances)).toBe(3)
    const late = startNode()
    await expect.poll(() => spare(late.allowances)).toBe(3)
  })

  it("of a node that has left do not count", async () => {
    const [one, other] = [startNode(), startNode()]
    one.allowances.enter(visitor)
    await expect.poll(() => spare(other.allowances)).toBe(4)
    await one.exchange.close()
    await expect.poll(() => spare(other.allowances)).toBe(5)
  })

  it("of a node that publishes nothing do not count, until it publishes again", async () => {
    const other = startNode({ staleMs: 1000 })
    const frozen = tables().part
    const name = new AccountNames(new Uint8Array(32)).of(visitor)
    const time = "(extract(epoch from clock_timestamp()) * 1000)::bigint"
    await expect.poll(() => frozen.query("select from turnhouse.using_nodes")).toHaveLength(1)
    await frozen.transaction(async (queries) => {
      await queries.query(`insert into turnhouse.using_nodes values ('frozen', 1, ${time})`)
      await queries.query("insert into turnhouse.account_use values ('frozen', $1, 2, 0, 1)", [name])
    })
    const publish = () =>
      frozen.query(`update turnhouse.using_nodes set publication = publication + 1, at = ${time} where node = 'frozen'`)
    const spareWithIt = async () => (await publish(), spare(other.allowances))
    await expect.poll(spareWithIt).toBe(3)
    await expect.poll(() => spare(other.allowances)).toBe(5) // after a second of silence
    await expect.poll(spareWithIt).toBe(3) // its row is the one of its first publication
  })
})

describe("frames", () => {
  it("that another node let pass are taken from the allowance here", async () => {
    const [one, other] = [startNode(), startNode()]
    one.allowances.enter(visitor)
    await expect.poll(() => spare(other.allowances)).toBe(4) // each knows of the other
    expect(framesTaken(one.allowances)).toBe(40)
    await expect.poll(() => other.allowances.takeFrame(visitor)).toBe(false)
  })
})

describe("sessions per hour", () => {
  it("are exact over nodes that take them at the same time", async () => {
    const nodes = [startNode(), startNode(), startNode()]
    const taking = nodes.flatMap(({ allowances }) => Array.from({ length: 20 }, () => allowances.takeSession(visitor)))
    const takes = await Promise.all(taking)
    expect(takes.filter((take) => take === "taken")).toHaveLength(limits.sessionsPerHour)
    expect(takes.filter((take) => take === "used-up")).toHaveLength(60 - limits.sessionsPerHour)
  })

  it("refill over time, to the limit at most, and are forgotten when they are full", async () => {
    let now = 0
    const { database, part } = tables()
    const sessions = new SessionAllowance({ part, perHour: 3, orgPerHour: 4, warn: () => {}, now: () => now })
    const takes = async (count: number) => {
      const taken = []
      for (let n = 0; n < count; n++) taken.push(await sessions.take("a"))
      return taken.filter((take) => take === "taken").length
    }
    expect(await takes(5)).toBe(3)
    now += hour / 3
    expect(await takes(5)).toBe(1)
    now -= 5000 // setting the clock back changes nothing
    expect(await takes(1)).toBe(0)
    now += 10 * hour
    expect(await takes(5)).toBe(3)
    await sessions.forget()
    expect(await database.query("select * from turnhouse.session_allowances")).toHaveLength(1)
    now += hour
    await sessions.forget()
    expect(await database.query("select * from turnhouse.session_allowances")).toHaveLength(0)
  })

  it("have no limit if it is infinite, without asking PostgreSQL", async () => {
    const { part } = tables("postgres://127.0.0.1:1/none")
    const sessions = new SessionAllowance({ part, perHour: Infinity, orgPerHour: Infinity, warn: () => {} })
    expect(await sessions.take("a", "org:shop")).toBe("taken")
  })

  it("are exact per organisation, and a refused one costs its caller nothing", async () => {
    const nodes = [startNode(), startNode(), startNode()]
    const callers = Array.from({ length: 60 }, (_, at) => JSON.stringify(["shop", `visitor ${at % 12}`]))
    const taking = callers.map(async (caller, at) => nodes[at % 3]?.allowances.takeSession(caller, "shop"))
    const takes = await Promise.all(taking)
    expect(takes.filter((take) => take === "taken")).toHaveLength(limits.org.sessionsPerHour)
    expect(takes.filter((take) => take === "used-up")).toHaveLength(60 - limits.org.sessionsPerHour)
    const { allowances, database } = startNode()
    const taken = "select sum($1::float8 - remaining)::float8 as taken from turnhouse.session_allowances"
    const [own] = await database.query(`${taken} where account not like 'org:%'`, [limits.sessionsPerHour])
    expect(own?.["taken"]).toBeCloseTo(limits.org.sessionsPerHour, 0)
    expect(await allowances.takeSession(JSON.stringify(["bank", "visitor 1"]), "bank")).toBe("taken")
  })

  it("of an organisation are not used by a caller who has none left", async () => {
    const { part, database } = tables()
    const sessions = new SessionAllowance({ part, perHour: 1, orgPerHour: 2, warn: () => {}, now: () => 0 })
    const takes = []
    for (const caller of ["a", "a", "a", "b", "c"]) takes.push(await sessions.take(caller, "org:shop"))
    expect(takes).toEqual(["taken", "used-up", "used-up", "taken", "used-up"])
    const rows = await database.query("select account, remaining from turnhouse.session_allowances order by account")
    expect(rows.map((row) => [row["account"], row["remaining"]])).toEqual([
      ["a", 0],
      ["b", 0],
      ["org:shop", 0],
    ])
  })
})

describe("turns of an organisation", () => {
  const room = ({ allowances }: ReturnType<typeof startNode>, org = "shop") => {
    const admitted = allowances.turns?.admit(org, "next")
    if (typeof admitted === "function") admitted()
    return admitted !== "full"
  }

  it("are limited over all nodes, and those of a node that has left do not count", async () => {
    const [one, other] = [startNode(), startNode()]
    for (const id of ["s1", "s2"]) one.allowances.turns?.setRunning("shop", id, true)
    other.allowances.turns?.setRunning("shop", "s3", true)
    await expect.poll(() => [room(one), room(other)]).toEqual([false, false])
    expect(room(other, "bank")).toBe(true)
    one.allowances.turns?.setRunning("shop", "s1", false)
    await expect.poll(() => room(other)).toBe(true)
    one.allowances.turns?.setRunning("shop", "s1", true)
    await expect.poll(() => room(other)).toBe(false)
    await one.exchange.close()
    await expect.poll(() => room(other)).toBe(true)
  })
})

describe("the tables", () => {
  it("have no name of an account", async () => {
    const node = startNode()
    node.allowances.enter(visitor)
    node.allowances.enter("192.0.2.7")
    node.allowances.turns?.setRunning("shop", "s1", true)
    await node.allowances.takeSession(visitor, "shop")
    const rows = () => node.database.query("select * from turnhouse.account_use")
    await expect.poll(async () => (await rows().catch(() => [])).length).toBe(3)
    const sessions = await node.database.query("select * from turnhouse.session_allowances")
    expect(JSON.stringify([await rows(), sessions])).not.toMatch(/jane|shop|192\.0/)
  })
})

describe("without PostgreSQL", () => {
  it("a node counts alone, refuses new sessions, and shares again when the server answers", async () => {
    const [one, other] = [startNode({ staleMs: 1000 }), startNode({ staleMs: 1000 })]
    one.allowances.enter(visitor)
    other.allowances.enter(visitor)
    await expect.poll(() => spare(one.allowances)).toBe(3)
    await server.process.stop("SIGKILL")
    await expect.poll(() => spare(one.allowances)).toBe(4)
    expect(await one.allowances.takeSession(visitor)).toBe("unavailable")
    expect(one.allowances.enter(visitor)).toBe(true)
    await server.start()
    await expect.poll(() => spare(other.allowances), { timeout: 20_000 }).toBe(2)
    expect(await one.allowances.takeSession(visitor)).toBe("taken")
    const outages = one.warn.mock.calls.filter(([message]) => message.includes("this node alone"))
    expect(outages).toHaveLength(1)
  })
})
