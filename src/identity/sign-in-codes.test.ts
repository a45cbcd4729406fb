import { mkdtempSync, readdirSync, rmSync, statSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterEach, beforeEach, expect, it } from "vitest"
import { SIGN_IN_MS, SignInCodes } from "./sign-in-codes.ts"

const now = 1_000_000
let home: string
let codes: SignInCodes
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), "turnhouse-codes-"))
  codes = new SignInCodes(home)
})
afterEach(() => rmSync(home, { recursive: true }))

it("redeems a code once", () => {
  const code = codes.create(now)
  expect([codes.redeem(code, now + SIGN_IN_MS - 1), codes.redeem(code, now)]).toEqual(["signed-in", "unknown"])
})

it("redeems a code in another process", () => {
  const code = codes.create(now)
  expect(new SignInCodes(home).redeem(code, now)).toBe("signed-in")
  expect(codes.redeem(code, now)).toBe("unknown")
})

it("refuses an expired code, and names it so once", () => {
  const code = codes.create(now)
  expect([codes.redeem(code, now + SIGN_IN_MS), codes.redeem(code, now)]).toEqual(["expired", "unknown"])
})

it.each(["", "x", "../../config", "x".repeat(10_000)])("refuses a code that was never created: %.20s", (code) => {
  codes.create(now)
  expect(codes.redeem(code, now)).toBe("unknown")
})

it("stores no code, only for the user, and deletes expired ones", () => {
  const code = codes.create(now)
  const folder = join(home, "sign-ins")
  const [name = ""] = readdirSync(folder)
  expect(name).not.toContain(code)
  expect([statSync(folder).mode & 0o777, statSync(join(folder, name)).mode & 0o777]).toEqual([0o700, 0o600])
  codes.create(now + SIGN_IN_MS)
  expect(readdirSync(folder)).toHaveLength(1)
  expect(readdirSync(folder)).not.toContain(name)
})
