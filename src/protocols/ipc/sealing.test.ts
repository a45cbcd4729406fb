import { expect, it } from "vitest"
import { maxLineBytes } from "./codec.ts"
import { beginsSealed, sealingKey } from "./sealing.ts"

it("makes the key of a token", () => {
  expect(sealingKey("0123456789abcdef".repeat(4)).toString("hex")).toBe(
    "41ffe43a0701fdbb75d5f27bdfa99a445399004508f5492873f22b8897168f9e",
  )
})

it("tells a frame from a line by its first byte", () => {
  const longest = Buffer.alloc(4)
  longest.writeUInt32BE(maxLineBytes)
  expect([0, ...longest.subarray(0, 1)].map(beginsSealed)).toEqual([true, true])
  expect([...Buffer.from("{ \t\r\n")].map(beginsSealed)).not.toContain(true)
})
