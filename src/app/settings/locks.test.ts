// Which lock table a home uses.
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, expect, it, onTestFinished } from "vitest"
import type { Config } from "../../contract/config.ts"
import { thisHost } from "../../log/process-identity.ts"
import { startPostgres, type PostgresServer } from "../../testing/servers/postgres-server.ts"
import { listHomeLocks, openLocks } from "./locks.ts"

let server: PostgresServer

beforeAll(async () => {
  server = await startPostgres()
})
afterAll(() => server.remove())

function newHome(): string {
  const home = mkdtempSync(join(tmpdir(), "locks-of-"))
  onTestFinished(() => rmSync(home, { recursive: true }))
  return home
}

it("lists the locks of all nodes with the same database, with their holders and waiters", async () => {
  const config: Config = { store: { type: "postgres", url: server.createDatabase() } }
  const host = thisHost("test")
  const node = (name: string) => openLocks(newHome(), config, host, { name, placeOf: () => "projects" })
  const [one, two] = [await node("one").load(), await node("two").load()]
  onTestFinished(async () => {
    await one.close()
    await two.close()
  })
  await one.acquire("a", { kind: "build", scope: "/p" }, "for a")
  const off = new AbortController()
  const requests = [{ kind: "build", scope: "/p" }] as const
  const claim = { requests, description: "for b", signal: off.signal, onWait: () => {} }
  const waiting = two.acquireForCall({ holder: "b", ...claim })
  const list = () => listHomeLocks(newHome(), config)
  await expect.poll(list).toMatchObject({
    held: [{ lock: "build", scope: "/p", holder: "a", description: "for a", fence: 1, hostname: "one" }],
    waiting: [{ holder: "b", wants: [{ lock: "build", scope: "/p" }], hostname: "two" }],
  })
  off.abort()
  expect(await waiting).toEqual({ kind: "cancelled" })
  expect((await list()).waiting).toEqual([])
})

it("refuses a lock file together with PostgreSQL", () => {
  const config: Config = { store: { type: "postgres", url: "postgres://x/y" }, locks: { file: "/tmp/locks.db" } }
  expect(() => openLocks("/home", config, thisHost("test"))).toThrow(/^locks\.file: .* Remove "locks\.file" or "store"/)
})

it("names the server when the locks of a cluster cannot be listed", async () => {
  const config: Config = { store: { type: "postgres", url: "postgres://me:secret@127.0.0.1:1/db" } }
  const fault: unknown = await listHomeLocks(newHome(), config).catch((reason: unknown) => reason)
  expect(String(fault)).toContain("PostgreSQL at 127.0.0.1:1/db cannot be reached")
  expect(String(fault)).not.toContain("secret")
})
