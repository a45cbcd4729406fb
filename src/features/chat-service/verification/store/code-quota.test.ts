import { mkdtempSync, readFileSync, rmSync, statSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest"
import { limits } from "../../../../contract/limits.ts"
import { Database } from "../../../../postgres/database.ts"
import { DatabaseFault } from "../../../../postgres/database-fault.ts"
import { startPostgres, type PostgresServer } from "../../../../testing/servers/postgres-server.ts"
import type { CodeQuota } from "./code-quota.ts"
import { PostgresCodeQuota } from "./postgres-code-quota.ts"
import { SqliteCodeQuota } from "./sqlite-code-quota.ts"

const hour = 60 * 60 * 1000
const key = new Uint8Array(32)
const opened: CodeQuota[] = []
let path = ""
let url = ""
let server: PostgresServer

beforeAll(async () => {
  server = await startPostgres()
})
afterAll(() => server.remove())
beforeEach(() => {
  path = join(mkdtempSync(join(tmpdir(), "quota-")), "codes.db")
  url = server.createDatabase()
})
afterEach(async () => {
  await Promise.all(opened.splice(0).map((one) => one.close()))
  rmSync(join(path, ".."), { recursive: true, force: true })
})

function keep<Quota extends CodeQuota>(quota: Quota): Quota {
  opened.push(quota)
  return quota
}

const sqlite = () => keep(new SqliteCodeQuota(path, key))
const postgres = () => keep(new PostgresCodeQuota(new Database({ url }), key, "caller"))

async function takes(of: CodeQuota, count: number, change: (n: number) => object = () => ({}), at = 0) {
  const counted = { mailbox: "jane@example.com", visitId: "v", org: "public" }
  let taken = 0
  for (let n = 0; n < count; n++) if (await of.take({ ...counted, ...change(n) }, at)) taken += 1
  return taken
}

describe.each([
  ["SQLite", sqlite],
  ["PostgreSQL", postgres],
])("the quota of codes in %s", (_name, quota) => {
  it("limits codes per contact and hour, across visits and organisations", async () => {
    const elsewhere = (n: number) => ({ visitId: `v${n}`, org: `o${n}` })
    expect(await takes(quota(), 20, elsewhere)).toBe(limits.codesPerContact)
    expect(await takes(quota(), 20, (n) => ({ ...elsewhere(n), mailbox: "jane@example.com" }))).toBe(0)
  })

  it("limits codes per visit, across contacts", async () => {
    expect(await takes(quota(), 20, (n) => ({ mailbox: `${n}@example.com` }))).toBe(limits.codesPerVisit)
  })

  it("limits codes per caller, across contacts and visits", async () => {
    const each = (n: number) => ({ mailbox: `${n}@example.com`, visitId: `v${n}`, caller: "one" })
    expect(await takes(quota(), limits.codesPerCaller + 5, each)).toBe(limits.codesPerCaller)
    expect(await takes(quota(), 1, () => ({ ...each(100), caller: "other" }))).toBe(1)
  })

  it("limits codes per organisation, and does not count refused ones", async () => {
    const each = (n: number) => ({ mailbox: `${n}@example.com`, visitId: `v${n}` })
    const taken = await takes(quota(), limits.codesPerOrg + 5, each)
    expect(taken).toBe(limits.codesPerOrg)
    expect(await takes(quota(), 1, () => ({ ...each(limits.codesPerOrg), org: "other" }))).toBe(1)
  })

  it("keeps its counts across restarts, for an hour", async () => {
    await takes(quota(), limits.codesPerContact)
    const next = quota()
    expect(await takes(next, 1, undefined, hour - 1)).toBe(0)
    expect(await takes(next, 1, undefined, hour)).toBe(1)
  })

  it("counts codes that two hosts take at the same time", async () => {
    const [one, other] = [quota(), quota()]
    const turns = await Promise.all(Array.from({ length: 10 }, (_, n) => takes(n % 2 === 0 ? one : other, 1)))
    expect(turns.reduce((sum, taken) => sum + taken, 0)).toBe(limits.codesPerContact)
  })
})

it("is a file in SQLite that is readable for its owner only and contains no address", async () => {
  const quota = sqlite()
  await takes(quota, 1)
  await quota.close()
  expect(statSync(path).mode & 0o777).toBe(0o600)
  expect(readFileSync(path, "latin1")).not.toContain("jane")
})

describe("the quota in PostgreSQL", () => {
  it("goes by the clock of the server, whatever that of the node says", async () => {
    const quota = keep(new PostgresCodeQuota(new Database({ url }), key))
    expect(await takes(quota, limits.codesPerContact + 1)).toBe(limits.codesPerContact)
    expect(await takes(quota, 1, undefined, Date.now() + 2 * hour)).toBe(0)
  })

  it("contains no address, and forgets what is older than an hour", async () => {
    const database = new Database({ url })
    const quota = keep(new PostgresCodeQuota(database, key, "caller"))
    await takes(quota, 1)
    expect(JSON.stringify(await database.query("select * from turnhouse.codes"))).not.toContain("jane")
    await takes(quota, 1, () => ({ mailbox: "joe@example.com" }), hour)
    expect(await database.query("select distinct at from turnhouse.codes")).toEqual([{ at: hour }])
  })

  it("counts over many nodes that ask for different mailboxes of one organisation and caller", async () => {
    const nodes = Array.from({ length: 4 }, postgres)
    const each = (n: number) => () => ({ mailbox: `${n}@example.com`, visitId: `v${n}`, caller: "one" })
    const all = Array.from({ length: limits.codesPerCaller + 12 }, (_, n) =>
      takes(nodes[n % 4] ?? postgres(), 1, each(n)),
    )
    const taken = (await Promise.all(all)).reduce((sum, one) => sum + one, 0)
    expect(taken).toBe(limits.codesPerCaller)
  })

  it("issues no code while the server cannot be reached", async () => {
    const quota = keep(new PostgresCodeQuota(new Database({ url: "postgres://127.0.0.1:1/x" }), key))
    await expect(quota.take({ mailbox: "a", visitId: "v", org: "o" }, 0)).rejects.toThrow(DatabaseFault)
  })
})
