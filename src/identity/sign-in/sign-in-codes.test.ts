import { mkdtempSync, readdirSync, rmSync, statSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest"
import { Database } from "../../postgres/database.ts"
import { startPostgres, type PostgresServer } from "../../testing/servers/postgres-server.ts"
import { StoreFault } from "../store-fault.ts"
import { FileSignInCodes } from "./file-sign-in-codes.ts"
import { PostgresSignInCodes } from "./postgres-sign-in-codes.ts"
import { SIGN_IN_MS, type SignInCodes } from "./sign-in-codes.ts"

let server: PostgresServer
let home: string
let url: string
let now: number
const databases: Database[] = []

beforeAll(async () => {
  server = await startPostgres()
})
afterAll(() => server.remove())
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), "turnhouse-codes-"))
  url = server.createDatabase()
  now = 1_000_000
})
afterEach(async () => {
  await Promise.all(databases.splice(0).map((database) => database.close()))
  rmSync(home, { recursive: true })
})

function open(): Database {
  const database = new Database({ url })
  databases.push(database)
  return database
}

describe.each([
  ["files", () => new FileSignInCodes(home, () => now)],
  ["PostgreSQL", () => new PostgresSignInCodes(open(), () => now)],
])("a sign-in code in %s", (_name, openCodes: () => SignInCodes) => {
  it("is redeemed once", async () => {
    const codes = openCodes()
    const code = await codes.create()
    now += SIGN_IN_MS - 1
    expect([await codes.redeem(code), await codes.redeem(code)]).toEqual(["signed-in", "unknown"])
  })

  it("is redeemed once by processes that try at the same time", async () => {
    const code = await openCodes().create()
    const redeemed = await Promise.all(Array.from({ length: 6 }, () => openCodes().redeem(code)))
    expect(redeemed.filter((outcome) => outcome === "signed-in")).toHaveLength(1)
    expect(redeemed.filter((outcome) => outcome === "unknown")).toHaveLength(5)
  })

  it("is refused when it has expired, and named so once", async () => {
    const codes = openCodes()
    const code = await codes.create()
    now += SIGN_IN_MS
    expect([await codes.redeem(code), await codes.redeem(code)]).toEqual(["expired", "unknown"])
  })

  it.each(["", "x", "../../config", "x".repeat(10_000)])("is refused if it was never created: %.20s", async (code) => {
    const codes = openCodes()
    await codes.create()
    expect(await codes.redeem(code)).toBe("unknown")
  })
})

it("is a file that does not contain it, only for the user; expired ones are deleted", async () => {
  const codes = new FileSignInCodes(home, () => now)
  const code = await codes.create()
  const folder = join(home, "sign-ins")
  const [name = ""] = readdirSync(folder)
  expect(name).not.toContain(code)
  expect([statSync(folder).mode & 0o777, statSync(join(folder, name)).mode & 0o777]).toEqual([0o700, 0o600])
  now += SIGN_IN_MS
  await codes.create()
  expect(readdirSync(folder)).toHaveLength(1)
  expect(readdirSync(folder)).not.toContain(name)
})

it("is a digest in PostgreSQL, which forgets those that expired long ago", async () => {
  const database = open()
  const codes = new PostgresSignInCodes(database, () => now)
  const code = await codes.create()
  expect(JSON.stringify(await database.query("select * from turnhouse.sign_in_codes"))).not.toContain(code)
  now += 2 * SIGN_IN_MS
  await codes.create()
  expect(await database.query("select * from turnhouse.sign_in_codes")).toHaveLength(1)
})

it("cannot be created or redeemed while PostgreSQL cannot be reached, with a message that names no address", async () => {
  const database = new Database({ url: "postgres://127.0.0.1:1/none" })
  databases.push(database)
  const codes = new PostgresSignInCodes(database)
  await expect(codes.create()).rejects.toThrow(StoreFault)
  await expect(codes.redeem("x")).rejects.toThrow(/^Keys cannot be checked at the moment\. Try again soon\.$/)
})
