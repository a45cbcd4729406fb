import { randomBytes } from "node:crypto"
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { createLinkKey, newLinkId } from "../identity/links/link-key.ts"
import { newSessionToken, ownSecrets } from "./own-secrets.ts"
import { createRedactor, type Redactor } from "./redactor.ts"

const homeKey = randomBytes(32)
const consoleKey = randomBytes(32).toString("base64url")
const redactor = createRedactor({ secrets: [], own: ownSecrets({ homeKey, consoleKey }), key: homeKey })
const token = newSessionToken(homeKey)
const link = createLinkKey(consoleKey, { id: newLinkId(), role: "drive", issuedAt: 1, expiresAt: 2 })

const spellings: [string, string][] = [
  ["the owner's key", consoleKey],
  ["the owner's key in base64", Buffer.from(`x${consoleKey}\n`).toString("base64")],
  ["the home key in base64", homeKey.toString("base64")],
  ["the home key in hexadecimal", homeKey.toString("hex")],
  ["a session token", token],
  ["a session token in base64", Buffer.from(token).toString("base64")],
  ["a link key", link],
  ["a link key in base64", Buffer.from(link).toString("base64")],
  ["a link key in larger base64", Buffer.from(`a${link}b`).toString("base64")],
  ["a link key in larger base64, URL-safe", Buffer.from(`ab${link}`).toString("base64url")],
]

function inPieces(by: Redactor, text: string, length: number): string {
  const stream = by.stream()
  const pieces = text.match(new RegExp(`[^]{1,${length}}`, "g")) ?? []
  return pieces.map((piece) => stream.push(piece)).join("") + stream.end()
}

describe("Turnhouse's own keys and tokens", () => {
  it.each(spellings)("are redacted: %s", (_, spelling) => {
    expect(redactor.text(`before ${spelling} after`)).toMatch(
      /^before .{0,3}‹redacted:[\w .]+:[0-9a-f]{4}›.{0,3} after$/,
    )
    expect(redactor.holds({ deep: [spelling] })).toBe(true)
  })

  it.each(spellings)("are redacted in a stream but for a few characters: %s", (_, spelling) => {
    for (const length of [1, 2, 3, 5, 8, 13, 40, 1000]) {
      const shown = inPieces(redactor, `before ${spelling} after`, length)
      expect(shown).toMatch(/^before .{0,6}‹redacted:[\w .]+:[0-9a-f]{4}›.{0,3} after$/)
    }
  })

  it("have tokens of 64 hexadecimal digits that differ", () => {
    expect(token).toMatch(/^[0-9a-f]{64}$/)
    expect(newSessionToken(homeKey)).not.toBe(token)
  })

  it("leave other text as it is, whole and in a stream", () => {
    const others = fc.oneof(
      fc.string(),
      fc.constantFrom("lnk_", "lnk_0", token.slice(0, 10), homeKey.toString("hex", 1)),
    )
    fc.assert(
      fc.property(fc.array(others), fc.integer({ min: 1, max: 50 }), (parts, length) => {
        const text = parts.join(" ")
        fc.pre(!/lnk_[0-9a-f]{18}\./.test(text))
        expect(redactor.text(text)).toBe(text)
        expect(inPieces(redactor, text, length)).toBe(text)
      }),
    )
  })

  it("do not hold back a stream at letters with which they begin", () => {
    const stream = redactor.stream()
    for (const { value } of ownSecrets({ homeKey, consoleKey }).keys) {
      expect(stream.push(` ${value.slice(0, 3)}`)).toBe(` ${value.slice(0, 3)}`)
    }
  })
})
