import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { encodeEvent } from "../../contract/stored-event.ts"
import { Database } from "../../postgres/database.ts"
import { migrate } from "../../postgres/migrate.ts"
import { startPostgres, type PostgresServer } from "../../testing/servers/postgres-server.ts"
import { firstHash, nextHash } from "../chain.ts"
import { appendOf, createdEvent, hostNamed, sessionIdOf, valueOf } from "../fixtures.ts"
import { PostgresLog } from "./postgres-log.ts"
import { logSteps } from "./schema.ts"

describe("the tables of the log", () => {
  const one = sessionIdOf(1)
  let server: PostgresServer

  beforeAll(async () => {
    server = await startPostgres()
  })
  afterAll(() => server.remove())

  /** A session as the release that knew this many steps stored it. */
  async function storedWith(steps: number): Promise<string> {
    const url = server.createDatabase()
    const database = new Database({ url })
    await migrate(database, "log", logSteps.slice(0, steps))
    const text = encodeEvent({ seq: 1, at: 1000, event: createdEvent(one) })
    const hash = nextHash(firstHash(one), text)
    await database.query(
      `insert into turnhouse.sessions (session_id, created_at, updated_at, seq, head, owner_epoch, summary, org, owner)
         values ($1, 1000, 1000, 1, $2, 0, 'null', 'local', 'me')`,
      [one, hash],
    )
    await database.query("insert into turnhouse.events select number, 1, $1, $2 from turnhouse.sessions", [hash, text])
    await database.close()
    return url
  }

  it.each(logSteps.map((_, index) => index + 1))("of a release with %i steps are brought up to date", async (steps) => {
    const log = new PostgresLog({ url: await storedWith(steps) })
    expect(valueOf(await log.leftOpen()).map(({ sessionId }) => sessionId)).toEqual([one])
    const lease = valueOf(await log.registerHost(hostNamed("first")))
    valueOf(await log.claim(lease, one))
    valueOf(await log.append(lease, appendOf(one, 1, "b")))
    expect(valueOf(await log.load(one)).events.map(({ seq }) => seq)).toEqual([1, 2])
    expect(valueOf(await log.inspect())).toEqual([])
    await log.close()
  })
})
