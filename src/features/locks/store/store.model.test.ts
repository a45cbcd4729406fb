import fc from "fast-check"
import { afterAll, beforeAll, it } from "vitest"
import { Database } from "../../../postgres/database.ts"
import { startPostgres, type PostgresServer } from "../../../testing/servers/postgres-server.ts"
import { commandSequences, runCommands } from "../fixtures/lock-table-model.ts"
import { LockWorld } from "../fixtures/lock-world.ts"
import { leaseMs } from "./postgres/hold-leases.ts"

let server: PostgresServer

beforeAll(async () => {
  server = await startPostgres()
})
afterAll(() => server.remove())

it("gives the model's answers for random requests, crashes and clock changes", { timeout: 60_000 }, async () => {
  const check = fc.asyncProperty(commandSequences, (sequence) => runCommands(new LockWorld(), sequence))
  await fc.assert(check, { numRuns: 100 })
})

it(
  "gives the model's answers in PostgreSQL, where a process gives its holds up first",
  { timeout: 120_000 },
  async () => {
    const url = server.createDatabase()
    const database = new Database({ url })
    const check = fc.asyncProperty(commandSequences, async (sequence) => {
      await database.execute("drop schema if exists turnhouse cascade")
      await runCommands(new LockWorld(url, leaseMs), sequence)
    })
    await fc.assert(check, { numRuns: 50 })
    await database.close()
  },
)
