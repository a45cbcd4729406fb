import { mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import { Keyring } from "./keyring.ts"
import { LinkStore } from "./link-store.ts"
import { createLinkKey, newLinkId, type Link } from "./link-key.ts"

const consoleKey = "k".repeat(43)
const now = 1_000_000

describe("a keyring", () => {
  let home: string
  let book: LinkStore
  let keys: Keyring
  beforeEach(() => {
    home = mkdtempSync(join(tmpdir(), "turnhouse-keys-"))
    book = new LinkStore(home)
    keys = new Keyring(consoleKey, book, "me")
  })
  afterEach(() => rmSync(home, { recursive: true }))

  function link(change: Partial<Link> = {}): Link {
    const made: Link = { id: newLinkId(), role: "drive", issuedAt: now, expiresAt: now + 1000, ...change }
    book.add(made)
    return made
  }

  it("identifies the owner, without restriction, by the console key", () => {
    expect(keys.holderOf(consoleKey, now)).toMatchObject({ name: "me", roles: undefined, sessionId: undefined })
    for (const wrong of ["", consoleKey.slice(1), `${consoleKey} `, consoleKey.toUpperCase()])
      expect(keys.holderOf(wrong, now)).toBeUndefined()
  })

  it("identifies the holder of a link with its roles until it expires", () => {
    const made = link({ sessionId: "s1" })
    const holder = keys.holderOf(createLinkKey(consoleKey, made), now)
    expect(holder).toMatchObject({ name: made.id, roles: ["watch", "drive"], sessionId: "s1" })
    expect([holder?.isValid(now + 999), holder?.isValid(now + 1000)]).toEqual([true, false])
    expect(keys.holderOf(createLinkKey(consoleKey, made), now + 1000)).toBeUndefined()
    expect(keys.holderOf(createLinkKey(consoleKey, link({ role: "watch" })), now)?.roles).toEqual(["watch"])
    expect(keys.holderOf(createLinkKey(consoleKey, link({ role: "approve" })), now)?.roles).toEqual([
      "watch",
      "approve",
    ])
  })

  it("accepts links for /ws and for /house only at their own door", () => {
    const [visit, host] = [link({ sessionId: "s1", door: "ws" }), link({ sessionId: "s1" })]
    const [forVisit, forHouse] = [createLinkKey(consoleKey, visit), createLinkKey(consoleKey, host)]
    expect([keys.holderOf(forVisit, now), keys.grantOf(forHouse, now)]).toEqual([undefined, undefined])
    expect(keys.grantOf(forVisit, now)).toMatchObject({ name: visit.id, sessionId: "s1", expiresAt: now + 1000 })
    expect(keys.grantOf(createLinkKey(consoleKey, link({ door: "ws" })), now)).toBeUndefined() // for no session
  })

  it("rejects a link that another process revoked", () => {
    const made = link()
    const holder = keys.holderOf(createLinkKey(consoleKey, made), now)
    expect(new LinkStore(home).revoke(made.id)).toBe(true)
    expect(holder?.isValid(now)).toBe(false)
    expect(keys.holderOf(createLinkKey(consoleKey, made), now)).toBeUndefined()
    expect(new LinkStore(home).revoke(made.id)).toBe(false)
  })

  it("rejects a link with another signature, even if its file exists", () => {
    const made = link()
    expect(keys.holderOf(createLinkKey("another", made), now)).toBeUndefined()
    expect(keys.holderOf(made.id, now)).toBeUndefined()
    const [id = "", body = "", signature = ""] = createLinkKey(consoleKey, made).split(".")
    const longer = Buffer.from(JSON.stringify({ ...made, expiresAt: now * 2 })).toString("base64url")
    for (const key of [
      `${id}.${longer}.${signature}`,
      `${id}.${body}.`,
      `${link().id}.${body}.${signature}`,
      `${id}.${body}.${signature}.x`,
    ])
      expect(keys.holderOf(key, now)).toBeUndefined()
  })

  it("stores links readable for their owner only, and deletes expired ones", () => {
    const [old, good] = [link({ expiresAt: now + 1 }), link()]
    const folder = join(home, "links")
    expect([statSync(folder).mode & 0o777, statSync(join(folder, `${good.id}.json`)).mode & 0o777]).toEqual([
      0o700, 0o600,
    ])
    writeFileSync(join(folder, "lnk_000000000000000000.json"), "no JSON")
    writeFileSync(join(folder, "something else"), "{}")
    expect(book.list(now + 500)).toEqual([good])
    expect(readdirSync(folder)).not.toContain(`${old.id}.json`)
  })

  it("ignores other files in the folder of links", () => {
    writeFileSync(join(home, "secret.json"), "{}")
    for (const id of ["../secret", "lnk_../../secret", "", "."])
      expect([book.has(id), book.revoke(id)]).toEqual([false, false])
  })
})
