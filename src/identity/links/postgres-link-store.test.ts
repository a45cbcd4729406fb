import { afterAll, beforeAll, expect, it, vi } from "vitest"
import { Database } from "../../postgres/database.ts"
import { startPostgres, type PostgresServer } from "../../testing/servers/postgres-server.ts"
import { StoreFault } from "../store-fault.ts"
import { newLinkId, type Link } from "./link-key.ts"
import { PostgresLinkStore } from "./postgres-link-store.ts"

let server: PostgresServer
beforeAll(async () => {
  server = await startPostgres()
})
afterAll(() => server.remove())

it("rejects links once they could not be read for ten seconds, and accepts them again when they can", async () => {
  let elapsed = 0
  const onFault = vi.fn<(fault: unknown) => void>()
  const database = new Database({ url: server.createDatabase(), timeoutMs: 2000 })
  const store = new PostgresLinkStore({ database, onFault, elapsed: () => elapsed })
  const link: Link = { id: newLinkId(), role: "watch", issuedAt: 0, expiresAt: 3_600_000 }
  await store.add(link)
  expect(await store.has(link.id)).toBe(true)
  await server.process.stop("SIGKILL")
  await expect.poll(() => onFault.mock.calls.length).toBe(1)
  await expect(store.has(link.id)).rejects.toThrow(StoreFault)
  elapsed += 10_000
  expect(store.isStillThere(link.id)).toBe(true)
  elapsed += 1
  expect(store.isStillThere(link.id)).toBe(false)
  await server.start()
  await expect.poll(() => store.isStillThere(link.id), { timeout: 20_000 }).toBe(true)
  expect(onFault).toHaveBeenCalledTimes(1) // once for the whole outage
  await store.close()
  await database.close()
})

it("expires links by the clock of the server, whatever that of the node says", async () => {
  const database = new Database({ url: server.createDatabase() })
  const store = new PostgresLinkStore({ database, onFault: () => {} })
  const behind = { id: newLinkId(), role: "watch", issuedAt: 0, expiresAt: 3_600_000 } as const
  const over = { id: newLinkId(), role: "watch", issuedAt: 1e15, expiresAt: 1e15 } as const
  await store.add(behind)
  await store.add(over)
  expect([await store.has(behind.id), await store.has(over.id)]).toEqual([true, false])
  expect(await store.list()).toEqual([behind])
  await store.close()
  await database.close()
})
