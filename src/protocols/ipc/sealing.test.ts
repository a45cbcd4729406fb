import { expect, it } from "vitest"
import { frameLimits } from "./limits.ts"
import { isSealedStart, sealingKey } from "./sealing.ts"

it("derives the key from the token", () => {
  expect(sealingKey("0123456789abcdef".repeat(4)).toString("hex")).toBe(
    "41ffe43a0701fdbb75d5f27bdfa99a445399004508f5492873f22b8897168f9e",
  )
})

it("distinguishes a sealed frame from a line by its first byte", () => {
  const longest = Buffer.alloc(4)
  longest.writeUInt32BE(frameLimits.lineBytes)
  expect([0, ...longest.subarray(0, 1)].map(isSealedStart)).toEqual([true, true])
  expect([...Buffer.from("{ \t\r\n")].map(isSealedStart)).not.toContain(true)
})
