import { createHash } from "node:crypto"
import { expect, it } from "vitest"
import { firstHash, nextHash } from "./chain.ts"

const sha256 = (bytes: Buffer) => createHash("sha256").update(bytes).digest("hex")

it("the chain starts with a hash of the session id", () => {
  expect(firstHash("abc")).toBe(sha256(Buffer.from("turnhouse:abc")))
})

it("each hash covers the previous one and the stored bytes, as sha256sum confirms", () => {
  const before = firstHash("abc")
  expect(nextHash(before, '{"text":"grüße 😀"}')).toBe(sha256(Buffer.from(`${before}{"text":"grüße 😀"}`, "utf8")))
})
