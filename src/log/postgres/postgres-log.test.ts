import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { startPostgres, type PostgresServer } from "../../testing/servers/postgres-server.ts"
import { directoryContract } from "../directory-contract.ts"
import { eventLogContract, type LogConditions } from "../event-log-contract.ts"
import { appendOf, createdEvent, hostNamed, refusalOf, sessionIdOf, textEvent, valueOf } from "../fixtures.ts"
import { PostgresLog } from "./postgres-log.ts"

let server: PostgresServer

beforeAll(async () => {
  server = await startPostgres()
})
afterAll(() => server.remove())

eventLogContract("PostgreSQL", openFresh)
directoryContract("PostgreSQL", openFresh)

function openFresh(conditions: LogConditions) {
  const url = server.createDatabase()
  const opened = [new PostgresLog({ url, ...conditions })]
  const openAnother = () => {
    const other = new PostgresLog({ url, ...conditions })
    opened.push(other)
    return other
  }
  const remove = async () => void (await Promise.all(opened.map((log) => log.close())))
  return { log: opened[0] ?? openAnother(), openAnother, remove }
}

describe("a log in PostgreSQL", () => {
  const one = sessionIdOf(1)
  const node = (name: string, ...labels: string[]) => ({ name, labels: [name, ...labels], release: "1.0.0" })

  it("gives a session only to nodes with its label", async () => {
    const log = new PostgresLog({ url: server.createDatabase() })
    const [a, b, c] = [node("a", "projects"), node("b", "projects"), node("c")]
    const [first, second, third] = await Promise.all(
      [a, b, c].map(async (each, index) => valueOf(await log.registerHost({ ...hostNamed(`h${index}`), node: each }))),
    )
    if (first === undefined || second === undefined || third === undefined) throw new Error("no lease")
    const events = [{ ...createdEvent(one), place: "projects" }]
    valueOf(await log.create(first, { sessionId: one, expectedSeq: 0, at: 1, events }))
    expect(valueOf(await log.find(one))).toMatchObject({ place: "projects", owner: { node: a } })
    valueOf(await log.release(first, one))
    expect(refusalOf(await log.claim(third, one))).toEqual({
      code: "session.elsewhere",
      sessionId: one,
      place: "projects",
    })
    valueOf(await log.claim(second, one))
    expect(valueOf(await log.list())[0]).toMatchObject({ owner: { node: b }, place: "projects" })
    await log.close()
  })

  it("hands all sessions over in one step, to a living host that can run them, until that has claimed them", async () => {
    let now = 1_000_000
    const log = new PostgresLog({ url: server.createDatabase(), now: () => now })
    const [two, unknown] = [sessionIdOf(2), sessionIdOf(3)]
    const leases = ["a", "b", "c"].map(async (name) =>
      valueOf(await log.registerHost({ ...hostNamed(`host-${name}`), node: node(name) })),
    )
    const [a, b, c] = await Promise.all(leases)
    if (a === undefined || b === undefined || c === undefined) throw new Error("no lease")
    valueOf(await log.create(a, appendOf(one, 0, "a")))
    valueOf(
      await log.create(a, { sessionId: two, expectedSeq: 0, at: 1, events: [{ ...createdEvent(two), place: "a" }] }),
    )
    const handOver = (hostId: string, ...ids: string[]) => log.cluster.handOver(a, ids, hostId)
    expect(refusalOf(await handOver("host-b", one, two))).toMatchObject({
      code: "session.elsewhere",
      place: "a",
      node: "b",
    })
    expect(refusalOf(await handOver("host-x", one))).toEqual({ code: "host.gone" })
    expect(refusalOf(await handOver("host-b", one, unknown))).toMatchObject({ code: "session.unknown" })
    expect(valueOf(await log.find(one)).owner?.hostId).toBe("host-a")
    valueOf(await handOver("host-b", one))
    expect(refusalOf(await log.append(a, appendOf(one, 1, "b")))).toMatchObject({ code: "log.fenced" })
    expect(refusalOf(await log.claim(c, one))).toMatchObject({ code: "session.owned" })
    expect(valueOf(await log.leftOpen())).toEqual([])
    expect(valueOf(await log.cluster.handedOver(b)).map(({ sessionId }) => sessionId)).toEqual([one])
    expect(valueOf(await log.cluster.handedOver(c))).toEqual([])
    valueOf(await log.claim(b, one))
    expect(valueOf(await log.cluster.handedOver(b))).toEqual([])
    valueOf(await log.cluster.handOver(b, [one], "host-c"))
    valueOf(await log.releaseHost(c)) // it leaves before it has opened the session
    expect(valueOf(await log.leftOpen()).map(({ sessionId }) => sessionId)).toEqual([one])
    now += 60_000
    expect(valueOf(await log.cluster.hosts())).toMatchObject([
      { hostId: "host-a", isAlive: false, leaseLeftMs: -54_000, sessionIds: [two], node: { name: "a" } },
      { hostId: "host-b", isAlive: false, sessionIds: [] },
    ])
    await log.close()
  })

  it("lets each node have one host of a role", async () => {
    const log = new PostgresLog({ url: server.createDatabase() })
    const register = (hostId: string, name: string) =>
      log.registerHost({ ...hostNamed(hostId), node: node(name) }, "the only one")
    const kinds = [await register("h1", "a"), await register("h2", "b"), await register("h3", "a")].map(
      ({ kind }) => kind,
    )
    expect(kinds).toEqual(["ok", "ok", "refused"])
    expect(valueOf(await log.hosts()).map((host) => host.node?.name)).toEqual(["a", "b"])
    await log.close()
  })

  it("waits for a server that is started again, stores once, and refuses what it cannot store", async () => {
    const other = await startPostgres()
    const log = new PostgresLog({ url: other.createDatabase() })
    const lease = valueOf(await log.registerHost(hostNamed("first")))
    valueOf(await log.create(lease, appendOf(one, 0, "a")))
    await other.process.stop("SIGQUIT") // SIGKILL leaves backends that answer for a moment
    const late = log.append(lease, appendOf(one, 1, "b"))
    await other.start()
    valueOf(await late)
    expect(valueOf(await log.read(one, 0, 10)).map(({ seq }) => seq)).toEqual([1, 2])
    await other.process.stop("SIGQUIT")
    const refusal = refusalOf(await log.append(lease, appendOf(one, 2, "c")))
    expect(["log.unavailable", "log.fenced"]).toContain(refusal?.code)
    expect(refusalOf(await log.renew(lease))?.code).toBe("log.unavailable")
    await other.start()
    await expect.poll(async () => (await log.read(one, 0, 10)).kind).toBe("ok")
    expect(valueOf(await log.read(one, 0, 10)).map(({ seq }) => seq)).toEqual([1, 2])
    await log.close()
    await other.remove()
  })

  it("does not store an append twice when its answer was lost", async () => {
    const log = new PostgresLog({ url: server.createDatabase() })
    const lease = valueOf(await log.registerHost(hostNamed("first")))
    const sessions = Array.from({ length: 40 }, (_, index) => sessionIdOf(100 + index))
    for (const sessionId of sessions) valueOf(await log.create(lease, appendOf(sessionId, 0, "0")))
    const seqs = new Map(sessions.map((sessionId) => [sessionId, 1]))
    const writing = sessions.map(async (sessionId) => {
      for (let round = 0; round < 25; round++) {
        const seq = seqs.get(sessionId) ?? 0
        const outcome = await log.append(lease, { ...appendOf(sessionId, seq), events: [textEvent(`${round}`)] })
        if (outcome.kind === "ok") seqs.set(sessionId, seq + 1)
        else if (refusalOf(outcome)?.code !== "log.unavailable") return
      }
    })
    // Terminates connections in the middle of their statements.
    const killer = new PostgresLog({ url: server.createDatabase() })
    await killer.close()
    const { Database } = await import("../../postgres/database.ts")
    const admin = new Database({ url: `postgres://turnhouse@127.0.0.1:${server.port}/postgres` })
    let terminated = 0
    while (terminated < 5) {
      const rows = await admin.query(
        "select pg_terminate_backend(pid) from pg_stat_activity where query like '%with request as%' and pid <> pg_backend_pid()",
      )
      terminated += rows.length
    }
    await Promise.all(writing)
    await admin.close()
    for (const sessionId of sessions) {
      const stored = valueOf(await log.read(sessionId, 0, 1000))
      const texts = stored.map(({ event }) => (event.type === "text.ended" ? event.text : ""))
      expect(new Set(texts.slice(1)).size).toBe(texts.length - 1)
      expect(stored.length).toBeGreaterThanOrEqual(seqs.get(sessionId) ?? 0)
    }
    expect(valueOf(await log.inspect())).toEqual([])
    await log.close()
  })

  it("lets a process whose host was fenced open the next one before the lease of the first ends", async () => {
    const log = new PostgresLog({ url: server.createDatabase(), isAlive: () => true })
    const first = valueOf(await log.registerHost(hostNamed("first", 1), "the only one"))
    valueOf(await log.create(first, appendOf(one, 0, "a")))
    const second = valueOf(await log.registerHost(hostNamed("second", 1), "the only one"))
    expect(valueOf(await log.renew(first))).toBe(false)
    expect(valueOf(await log.leftOpen()).map(({ sessionId }) => sessionId)).toEqual([one])
    expect(await log.claim(second, one)).toMatchObject({ kind: "ok" })
    expect(refusalOf(await log.append(first, appendOf(one, 1, "b")))?.code).toBe("log.fenced")
    await log.close()
  })

  it("takes a session over from a process that is frozen inside a transaction", async () => {
    const url = server.createDatabase()
    const gone = new Set<number>()
    const log = new PostgresLog({ url, isAlive: ({ pid }) => !gone.has(pid) })
    valueOf(await log.create(valueOf(await log.registerHost(hostNamed("first", 1))), appendOf(one, 0, "a")))
    const second = valueOf(await log.registerHost(hostNamed("second", 2)))
    const { Database } = await import("../../postgres/database.ts")
    const frozen = new Database({ url, timeoutMs: 2000 })
    const locked = Promise.withResolvers<void>()
    const holding = frozen.transaction(async (queries) => {
      await queries.query("select 1 from turnhouse.sessions where session_id = $1 for update", [one])
      locked.resolve()
      await new Promise(() => {}) // it never comes to the next statement
    })
    holding.catch(() => {})
    await locked.promise
    gone.add(1)
    expect(await log.claim(second, one)).toEqual({ kind: "ok", value: undefined })
    await frozen.close()
    await log.close()
  })

  it("names damage that was done behind its back", async () => {
    const url = server.createDatabase()
    const log = new PostgresLog({ url })
    const lease = valueOf(await log.registerHost(hostNamed("first")))
    valueOf(await log.create(lease, appendOf(one, 0, "a", "b", "c")))
    const { Database } = await import("../../postgres/database.ts")
    const admin = new Database({ url })
    await admin.query("update turnhouse.events set text = replace(text, 'b', 'x') where seq = 2")
    expect(refusalOf(await log.load(one))).toMatchObject({ code: "session.damaged", seq: 2 })
    expect(valueOf(await log.inspect())).toEqual([{ sessionId: one, seq: 2, what: "its bytes were altered" }])
    await admin.query("delete from turnhouse.events where seq = 2")
    expect(valueOf(await log.inspect(one))).toEqual([{ sessionId: one, seq: 2, what: "it is missing" }])
    await admin.close()
    await log.close()
  })
})
