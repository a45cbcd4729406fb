import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest"
import { Database } from "../postgres/database.ts"
import { startPostgres, type PostgresServer } from "../testing/servers/postgres-server.ts"
import { Keyring } from "./keyring.ts"
import { FileLinkStore } from "./links/file-link-store.ts"
import { createLinkKey, newLinkId, type Link } from "./links/link-key.ts"
import type { LinkStore } from "./links/link-store.ts"
import { PostgresLinkStore } from "./links/postgres-link-store.ts"

const consoleKey = "k".repeat(43)
const now = 1_000_000

let server: PostgresServer
let home: string
let url: string
let clock: number
const cleanups: (() => Promise<void>)[] = []

beforeAll(async () => {
  server = await startPostgres()
})
afterAll(() => server.remove())
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), "turnhouse-keys-"))
  url = server.createDatabase()
  clock = now
})
afterEach(async () => {
  for (const cleanUp of cleanups.splice(0)) await cleanUp()
  rmSync(home, { recursive: true })
})

function inHome(): LinkStore {
  return new FileLinkStore(home, () => clock)
}

function inPostgres(): LinkStore {
  const database = new Database({ url })
  const store = new PostgresLinkStore({ database, onFault: () => {}, now: () => clock })
  cleanups.push(async () => {
    await store.close()
    await database.close()
  })
  return store
}

describe.each([
  ["files", inHome],
  ["PostgreSQL", inPostgres],
])("a keyring with links in %s", (_name, open) => {
  let links: LinkStore
  let keys: Keyring
  beforeEach(() => {
    links = open()
    keys = new Keyring(consoleKey, links, "me")
  })

  async function link(change: Partial<Link> = {}): Promise<Link> {
    const made: Link = { id: newLinkId(), role: "drive", issuedAt: now, expiresAt: now + 1000, ...change }
    await links.add(made)
    return made
  }

  const rolesOf = async (made: Link) => (await keys.holderOf(createLinkKey(consoleKey, made), now))?.roles

  it("identifies the owner, without restriction, by the console key", async () => {
    expect(await keys.holderOf(consoleKey, now)).toMatchObject({ name: "me", roles: undefined, sessionId: undefined })
    for (const wrong of ["", consoleKey.slice(1), `${consoleKey} `, consoleKey.toUpperCase()])
      expect(await keys.holderOf(wrong, now)).toBeUndefined()
  })

  it("identifies the holder of a link with its roles until it expires", async () => {
    const made = await link({ sessionId: "s1" })
    const holder = await keys.holderOf(createLinkKey(consoleKey, made), now)
    expect(holder).toMatchObject({ name: made.id, roles: ["watch", "drive"], sessionId: "s1" })
    expect([holder?.isValid(now + 999), holder?.isValid(now + 1000)]).toEqual([true, false])
    expect(await keys.holderOf(createLinkKey(consoleKey, made), now + 1000)).toBeUndefined()
    expect(await rolesOf(await link({ role: "watch" }))).toEqual(["watch"])
    expect(await rolesOf(await link({ role: "approve" }))).toEqual(["watch", "approve"])
  })

  it("accepts links for /ws and for /house only at their own door", async () => {
    const [visit, host] = [await link({ sessionId: "s1", door: "ws" }), await link({ sessionId: "s1" })]
    const [forVisit, forHouse] = [createLinkKey(consoleKey, visit), createLinkKey(consoleKey, host)]
    expect([await keys.holderOf(forVisit, now), await keys.grantOf(forHouse, now)]).toEqual([undefined, undefined])
    const grant = { name: visit.id, sessionId: "s1", expiresAt: now + 1000 }
    expect(await keys.grantOf(forVisit, now)).toMatchObject(grant)
    const forNoSession = createLinkKey(consoleKey, await link({ door: "ws" }))
    expect(await keys.grantOf(forNoSession, now)).toBeUndefined()
  })

  it("rejects a link that another process revoked, also for a connected holder", async () => {
    const [made, kept] = [await link(), await link()]
    const holder = await keys.holderOf(createLinkKey(consoleKey, made), now)
    const other = await keys.holderOf(createLinkKey(consoleKey, kept), now)
    expect(holder?.isValid(now)).toBe(true)
    expect(await open().revoke(made.id)).toBe(true)
    await expect.poll(() => holder?.isValid(now)).toBe(false)
    expect(other?.isValid(now)).toBe(true)
    expect(await keys.holderOf(createLinkKey(consoleKey, made), now)).toBeUndefined()
    expect(await open().revoke(made.id)).toBe(false)
  })

  it("rejects at once a link that this process revoked", async () => {
    const made = await link()
    const holder = await keys.holderOf(createLinkKey(consoleKey, made), now)
    await links.revoke(made.id)
    expect(holder?.isValid(now)).toBe(false)
  })

  it("accepts at once a link that another process created", async () => {
    const made: Link = { id: newLinkId(), role: "watch", issuedAt: now, expiresAt: now + 1000 }
    await open().add(made)
    expect(await rolesOf(made)).toEqual(["watch"])
  })

  it("rejects a link with another signature, even if it is stored", async () => {
    const made = await link()
    expect(await keys.holderOf(createLinkKey("another", made), now)).toBeUndefined()
    expect(await keys.holderOf(made.id, now)).toBeUndefined()
    const [id = "", body = "", signature = ""] = createLinkKey(consoleKey, made).split(".")
    const longer = Buffer.from(JSON.stringify({ ...made, expiresAt: now * 2 })).toString("base64url")
    for (const key of [
      `${id}.${longer}.${signature}`,
      `${id}.${body}.`,
      `${(await link()).id}.${body}.${signature}`,
      `${id}.${body}.${signature}.x`,
    ])
      expect(await keys.holderOf(key, now)).toBeUndefined()
  })

  it("lists valid links, the newest first, and forgets expired ones", async () => {
    const [old, first, second] = [await link({ expiresAt: now + 1 }), await link(), await link({ issuedAt: now })]
    clock += 1
    const third = await link({ issuedAt: now + 1 })
    clock += 500
    expect((await links.list())[0]).toEqual(third)
    expect(new Set(await open().list())).toEqual(new Set([first, second, third]))
    expect(await links.revoke(old.id)).toBe(false)
  })

  it("knows no link by an id that is none", async () => {
    writeFileSync(join(home, "secret.json"), "{}")
    for (const id of ["../secret", "lnk_../../secret", "", "."])
      expect([await links.has(id), links.isStillThere(id), await links.revoke(id)]).toEqual([false, false, false])
  })
})
