import { mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import { Keyring } from "./keyring.ts"
import { LinkBook } from "./link-book.ts"
import { linkKey, newLinkId, type Link } from "./link-key.ts"

const consoleKey = "k".repeat(43)
const now = 1_000_000

describe("a keyring", () => {
  let home: string
  let book: LinkBook
  let keys: Keyring
  beforeEach(() => {
    home = mkdtempSync(join(tmpdir(), "turnhouse-keys-"))
    book = new LinkBook(home)
    keys = new Keyring(consoleKey, book, "me")
  })
  afterEach(() => rmSync(home, { recursive: true }))

  function link(change: Partial<Link> = {}): Link {
    const made: Link = { id: newLinkId(), role: "drive", issuedAt: now, expiresAt: now + 1000, ...change }
    book.add(made)
    return made
  }

  it("knows its owner, who may do everything", () => {
    expect(keys.holderOf(consoleKey, now)).toMatchObject({ name: "me", roles: undefined, sessionId: undefined })
    for (const wrong of ["", consoleKey.slice(1), `${consoleKey} `, consoleKey.toUpperCase()])
      expect(keys.holderOf(wrong, now)).toBeUndefined()
  })

  it("knows whoever has a link, what it is for, and that it has an end", () => {
    const made = link({ sessionId: "s1" })
    const holder = keys.holderOf(linkKey(consoleKey, made), now)
    expect(holder).toMatchObject({ name: made.id, roles: ["watch", "drive"], sessionId: "s1" })
    expect([holder?.isGood(now + 999), holder?.isGood(now + 1000)]).toEqual([true, false])
    expect(keys.holderOf(linkKey(consoleKey, made), now + 1000)).toBeUndefined()
    expect(keys.holderOf(linkKey(consoleKey, link({ role: "watch" })), now)?.roles).toEqual(["watch"])
    expect(keys.holderOf(linkKey(consoleKey, link({ role: "approve" })), now)?.roles).toEqual(["watch", "approve"])
  })

  it("keeps links for /ws and for /house apart", () => {
    const [visit, host] = [link({ sessionId: "s1", door: "ws" }), link({ sessionId: "s1" })]
    const [forVisit, forHouse] = [linkKey(consoleKey, visit), linkKey(consoleKey, host)]
    expect([keys.holderOf(forVisit, now), keys.grantOf(forHouse, now)]).toEqual([undefined, undefined])
    expect(keys.grantOf(forVisit, now)).toMatchObject({ name: visit.id, sessionId: "s1", expiresAt: now + 1000 })
    expect(keys.grantOf(linkKey(consoleKey, link({ door: "ws" })), now)).toBeUndefined() // for no session
  })

  it("does not know a link that was called back, in whatever process that was", () => {
    const made = link()
    const holder = keys.holderOf(linkKey(consoleKey, made), now)
    expect(new LinkBook(home).revoke(made.id)).toBe(true)
    expect(holder?.isGood(now)).toBe(false)
    expect(keys.holderOf(linkKey(consoleKey, made), now)).toBeUndefined()
    expect(new LinkBook(home).revoke(made.id)).toBe(false)
  })

  it("does not know a link that was signed with another key, or whose file alone was put there", () => {
    const made = link()
    expect(keys.holderOf(linkKey("another", made), now)).toBeUndefined()
    expect(keys.holderOf(made.id, now)).toBeUndefined()
    const [id = "", body = "", signature = ""] = linkKey(consoleKey, made).split(".")
    const longer = Buffer.from(JSON.stringify({ ...made, expiresAt: now * 2 })).toString("base64url")
    for (const key of [
      `${id}.${longer}.${signature}`,
      `${id}.${body}.`,
      `${link().id}.${body}.${signature}`,
      `${id}.${body}.${signature}.x`,
    ])
      expect(keys.holderOf(key, now)).toBeUndefined()
  })

  it("keeps its links where nobody else can read them, and throws away those that are over", () => {
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

  it("looks for files of links only", () => {
    writeFileSync(join(home, "secret.json"), "{}")
    for (const id of ["../secret", "lnk_../../secret", "", "."])
      expect([book.has(id), book.revoke(id)]).toEqual([false, false])
  })
})
