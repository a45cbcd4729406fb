import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { startPostgres, type PostgresServer } from "../testing/servers/postgres-server.ts"
import { Database, type Queries } from "./database.ts"
import { DatabaseFault, serverName } from "./database-fault.ts"
import { migrate, type Step } from "./migrate.ts"
import { numberIn } from "./row.ts"

describe("a PostgreSQL database", () => {
  let server: PostgresServer
  let database: Database

  beforeAll(async () => {
    server = await startPostgres()
    database = new Database({ url: server.createDatabase() })
  })
  afterAll(async () => {
    await database.close()
    await server.remove()
  })

  const kindOf = (error: unknown) => (error instanceof DatabaseFault ? error.kind : error)

  it("passes text, numbers, null, bytes and arrays unchanged, and reads bigint as a number", async () => {
    const [row] = await database.query(
      "select $1::text as a, $2::bigint as b, $3::text as c, $4::bytea as d, $5::text[] as e, $6::bigint[] as f, $7::bool as g",
      [
        'it\'s \u2028 "x" \\ {}, 😀',
        2 ** 45,
        null,
        Uint8Array.of(0, 255),
        ["a,b", '"{}"', "\\", ""],
        [1, 2 ** 40],
        true,
      ],
    )
    expect(row).toMatchObject({ a: 'it\'s \u2028 "x" \\ {}, 😀', b: 2 ** 45, c: null, e: ["a,b", '"{}"', "\\", ""] })
    expect(row).toMatchObject({ f: [1, 2 ** 40], g: true })
    expect(row?.["d"]).toEqual(Buffer.from([0, 255]))
  })

  it("takes NUL in text as an unknown character, also in arrays", async () => {
    expect(await database.query("select $1::text as a, $2::text[] as b", ["a\0b", ["c\0"]])).toEqual([
      { a: "a\uFFFDb", b: ["c\uFFFD"] },
    ])
  })

  it("rolls a transaction back when its work fails", async () => {
    await database.query("create table rolled (a integer)")
    const failing = database.transaction(async (queries) => {
      await queries.query("insert into rolled values (1)")
      throw new Error("a reason")
    })
    await expect(failing).rejects.toThrow("a reason")
    expect(await database.query("select * from rolled")).toHaveLength(0)
  })

  it.for([
    ["between two statements", (queries: Queries) => queries.query("select 1")],
    ["before it is rolled back", () => Promise.reject(new Error("a reason"))],
    ["before it is committed", () => Promise.resolve([])],
  ] as const)("fails a transaction whose connection is lost %s, and works again", async ([, next]) => {
    const url = server.createDatabase()
    const [cut, other] = [new Database({ url }), new Database({ url })]
    const lost = cut.transaction(async (queries) => {
      const [row] = await queries.query("select pg_backend_pid() as pid")
      await other.query("select pg_terminate_backend($1)", [numberIn(row ?? {}, "pid")])
      await expect
        .poll(() => other.query("select 1 from pg_stat_activity where pid = $1", [numberIn(row ?? {}, "pid")]))
        .toEqual([])
      return next(queries)
    })
    expect(kindOf(await lost.catch((reason: unknown) => reason))).toBe("unreachable")
    expect(await cut.transaction((queries) => queries.query("select 1 as one"))).toEqual([{ one: 1 }])
    await Promise.all([cut.close(), other.close()])
  })

  it("limits each statement of a transaction instead of the whole", async () => {
    const patient = new Database({ url: server.createDatabase(), timeoutMs: 1000, timeoutOf: "statement" })
    const slow = async (queries: Queries) => {
      for (let statement = 0; statement < 4; statement++) await queries.query("select pg_sleep(0.4)")
      return "done"
    }
    expect(await patient.transaction(slow)).toBe("done")
    const stuck = patient.transaction((queries) => queries.query("select pg_sleep(60)"))
    expect(kindOf(await stuck.catch((reason: unknown) => reason))).toBe("unreachable")
    await patient.close()
  })

  it("gives up when the server does not answer in time, and works again when it does", async () => {
    const hasty = new Database({ url: server.createDatabase(), timeoutMs: 300 })
    await hasty.query("select 1")
    const error: unknown = await hasty.query("select pg_sleep(60)").catch((reason: unknown) => reason)
    expect(kindOf(error)).toBe("unreachable")
    expect(await hasty.query("select 1 as one")).toEqual([{ one: 1 }])
    await hasty.close()
  })

  it("names the server, not the password, when it is unreachable", async () => {
    const absent = new Database({ url: "postgres://me:geheim-77@127.0.0.1:1/sessions" })
    const error: unknown = await absent.query("select 1").catch((reason: unknown) => reason)
    expect(kindOf(error)).toBe("unreachable")
    expect(String(error)).toContain("127.0.0.1:1/sessions")
    expect(String(error)).not.toContain("geheim")
    await absent.close()
    expect(serverName("postgres://a:b@h1:1,h2:2/x")).toBe("h2:2/x")
  })

  it("works again after the server was killed and started", async () => {
    const url = server.createDatabase()
    const other = new Database({ url })
    await other.query("select 1")
    await server.process.stop("SIGKILL")
    // a process of the server may answer once more
    await expect.poll(() => other.query("select 1").then(() => "answered", kindOf)).toBe("unreachable")
    await server.start()
    await expect.poll(() => other.query("select 1 as one").catch(() => [])).toEqual([{ one: 1 }])
    await other.close()
  })

  it.each(["in a query", "between two queries", "before the commit"])(
    "rejects a transaction whose server dies %s, and the process goes on",
    async (place) => {
      const inQuery = place === "in a query"
      const asking = new Database({ url: server.createDatabase() })
      const watching = new Database({ url: server.createDatabase() })
      const { promise: died, resolve: hasDied } = Promise.withResolvers<void>()
      const { promise: begun, resolve: hasBegun } = Promise.withResolvers<void>()
      const work = async (queries: Queries) => {
        await queries.query("select 1")
        hasBegun()
        if (inQuery) await queries.query("select pg_sleep(60)").catch((reason: unknown) => reason)
        await died
        if (place !== "before the commit") await queries.query("select 2")
      }
      const ended = asking.transaction(work).catch((reason: unknown) => reason)
      await begun
      const sleeping = "select 1 from pg_stat_activity where wait_event = 'PgSleep'"
      await expect.poll(() => watching.query(sleeping)).toHaveLength(inQuery ? 1 : 0)
      await server.process.stop("SIGQUIT")
      const reason = await ended
      hasDied()
      await server.start()
      expect(kindOf(reason)).toBe("unreachable")
      expect(await asking.query("select 1 as one")).toEqual([{ one: 1 }])
      await Promise.all([asking.close(), watching.close()])
    },
  )

  it("migrates once, also when many start together, and refuses tables of a newer release", async () => {
    const url = server.createDatabase()
    const nodes = Array.from({ length: 6 }, () => new Database({ url }))
    const first: Step = {
      sql: "create table turnhouse.things (a integer);\ninsert into turnhouse.things values (1);\n",
      keepsOlder: false,
    }
    const adding: Step = { sql: "alter table turnhouse.things add column b integer;\n", keepsOlder: true }
    const breaking: Step = { sql: "alter table turnhouse.things drop column a;\n", keepsOlder: false }
    await Promise.all(nodes.map((node) => migrate(node, "things", [first])))
    const [node = database] = nodes
    expect(await node.query("select * from turnhouse.things")).toEqual([{ a: 1 }])
    await migrate(node, "things", [first, adding])
    await migrate(node, "things", [first]) // an older release keeps running
    expect(await node.query("select * from turnhouse.things")).toEqual([{ a: 1, b: null }])
    await migrate(node, "things", [first, adding, breaking])
    const refused: unknown = await migrate(node, "things", [first, adding]).catch((reason: unknown) => reason)
    expect(kindOf(refused)).toBe("newer")
    await Promise.all(nodes.map((each) => each.close()))
  })
})
