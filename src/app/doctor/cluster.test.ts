import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { createdEvent, hostNamed, sessionIdOf, valueOf } from "../../log/fixtures.ts"
import { PostgresLog } from "../../log/postgres/postgres-log.ts"
import { startPostgres, type PostgresServer } from "../../testing/servers/postgres-server.ts"
import { clusterChecks, nodeFindings } from "./cluster.ts"
import { runChecks } from "./run-checks.ts"

let server: PostgresServer
const home = mkdtempSync(join(tmpdir(), "turnhouse-doctor-cluster-"))

beforeAll(async () => {
  server = await startPostgres()
})
afterAll(async () => {
  await server.remove()
  rmSync(home, { recursive: true, force: true })
})

const look = (url: string) =>
  runChecks(clusterChecks({ home, config: { store: { type: "postgres", url }, node: { name: "a" } } }), 60_000)

describe("doctor in a cluster", () => {
  it("checks nothing of a home whose log is in SQLite", () => {
    expect(clusterChecks({ home: "/h", config: {} })).toEqual([])
  })

  it("reports the database, settings that lose events, nodes and sessions that no node can run", async () => {
    const url = server.createDatabase()
    const log = new PostgresLog({ url })
    const one = sessionIdOf(1)
    const node = { name: "b", labels: ["b"], release: "0.0.1" }
    const lease = valueOf(await log.registerHost({ ...hostNamed("h1"), node }))
    const events = [{ ...createdEvent(one), place: "shop" }]
    valueOf(await log.create(lease, { sessionId: one, expectedSeq: 0, at: 1, events }))
    const findings = await look(url)
    const whats = findings.map(({ level, what }) => `${level}: ${what}`)
    expect(whats).toContainEqual(expect.stringMatching(/: PostgreSQL at .* answers in [\d.]+ ms$/))
    expect(whats).toContain("warning: fsync is off: a crash of the server loses acknowledged events")
    expect(whats).toContainEqual(expect.stringMatching(/^ok: schema: .*log \d/))
    expect(whats).toContain("ok: 1 node live: b")
    expect(whats).toContainEqual(expect.stringMatching(/^warning: node 'b' runs release 0\.0\.1, this machine has /))
    expect(whats).toContain(
      `warning: 1 session can run only on a node with the label 'shop', and none is running: ${one}`,
    )
    expect(whats).toContain("ok: no dead host left a turn open")
    expect(findings.filter(({ level }) => level === "problem")).toEqual([])
    await log.close()
  })

  it("names what cannot be reached without showing the password", async () => {
    const findings = await look("postgres://turnhouse:secret-word@127.0.0.1:1/db")
    expect(findings.map(({ subject, level }) => [subject, level])).toContainEqual(["database", "problem"])
    expect(JSON.stringify(findings)).not.toContain("secret-word")
  })

  it("warns of nodes that have stopped renewing their lease", () => {
    const host = { hostId: "h", role: "serve", pid: 1, state: "unreachable" as const }
    const gone = { name: "c", isThis: false, state: "unreachable" as const, release: "1", labels: ["c"] }
    const nodes = [{ ...gone, hosts: [host], takesSessions: false, sessions: 2, turns: 1 }]
    expect(nodeFindings({ isCluster: true, nodes, waiting: [] }, "1")).toMatchObject([
      { level: "ok", what: "no node is running" },
      { level: "warning", what: "node 'c' is unreachable and has 2 sessions" },
    ])
  })
})
