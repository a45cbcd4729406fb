import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { Database } from "../../postgres/database.ts"
import { textIn } from "../../postgres/row.ts"
import { startPostgres, type PostgresServer } from "../../testing/servers/postgres-server.ts"
import { appendOf, hostNamed, sessionIdOf, valueOf } from "../fixtures.ts"
import { ownersStatement } from "./directory.ts"
import { PostgresLog } from "./postgres-log.ts"

const SESSIONS = 400
const node = (name: string) => ({ name, labels: [name], release: "1.0.0" })

let server: PostgresServer

beforeAll(async () => {
  server = await startPostgres()
})
afterAll(() => server.remove())

describe("what each node asks PostgreSQL all the time", () => {
  it("finds the owners of open sessions without reading a row for each session", async () => {
    const url = server.createDatabase()
    const [log, database] = [new PostgresLog({ url }), new Database({ url })]
    const leases = [valueOf(await log.registerHost(hostNamed("a"))), valueOf(await log.registerHost(hostNamed("b")))]
    const creations = Array.from({ length: SESSIONS }, (_, index) =>
      log.create(leases[index % 2] ?? { hostId: "", epoch: 0 }, appendOf(sessionIdOf(index), 0, "a")),
    )
    for (const created of await Promise.all(creations)) valueOf(created)
    await database.execute("vacuum analyze turnhouse.sessions")
    const owners = await database.query(ownersStatement)
    expect(owners.map(({ epoch }) => epoch)).toEqual(leases.map(({ epoch }) => epoch))
    const plan = await database.query(`explain (analyze) ${ownersStatement}`)
    const rows = plan.map((line) => Number(/actual time=\S+ rows=(\d+)/.exec(textIn(line, "QUERY PLAN"))?.[1] ?? 0))
    expect(Math.max(...rows)).toBe(leases.length + 1)
    await Promise.all([database.close(), log.close()])
  })

  it("lists the hosts of a node without those of others, and those that are no node for a log without one", async () => {
    const url = server.createDatabase()
    const [log, none] = [new PostgresLog({ url, node: "a" }), new PostgresLog({ url })]
    valueOf(await log.registerHost({ ...hostNamed("one"), node: node("a") }))
    valueOf(await log.registerHost({ ...hostNamed("two"), node: node("b") }))
    valueOf(await none.registerHost(hostNamed("three")))
    expect(valueOf(await log.hosts("of this node")).map(({ hostId }) => hostId)).toEqual(["one"])
    expect(valueOf(await none.hosts("of this node")).map(({ hostId }) => hostId)).toEqual(["three"])
    expect(valueOf(await log.hosts()).map(({ hostId }) => hostId)).toEqual(["one", "two", "three"])
    await Promise.all([log.close(), none.close()])
  })
})
