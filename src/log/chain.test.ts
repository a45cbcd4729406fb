import { createHash } from "node:crypto"
import { expect, it } from "vitest"
import { firstHash, nextHash } from "./chain.ts"

const sha256 = (bytes: Buffer) => createHash("sha256").update(bytes).digest("hex")

it("the chain begins with the session's own hash", () => {
  expect(firstHash("abc")).toBe(sha256(Buffer.from("turnhouse:abc")))
})

it("every link covers the hash before it and the stored bytes, as everybody can check with sha256sum", () => {
  const before = firstHash("abc")
  expect(nextHash(before, '{"text":"grüße 😀"}')).toBe(sha256(Buffer.from(`${before}{"text":"grüße 😀"}`, "utf8")))
})
