import { mkdtempSync, readFileSync, rmSync, statSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterEach, beforeEach, expect, it } from "vitest"
import { limits } from "../../../../contract/limits.ts"
import { CodeTally } from "./code-tally.ts"

const hour = 60 * 60 * 1000
const key = new Uint8Array(32)
let path = ""
const open: CodeTally[] = []

beforeEach(() => {
  path = join(mkdtempSync(join(tmpdir(), "tally-")), "codes.db")
})
afterEach(() => {
  for (const opened of open.splice(0)) opened.close()
  rmSync(join(path, ".."), { recursive: true, force: true })
})

function tally(): CodeTally {
  const opened = new CodeTally(path, key)
  open.push(opened)
  return opened
}

function takes(of: CodeTally, count: number, change: (n: number) => object = () => ({}), at = 0): number {
  const counted = { mailbox: "jane@example.com", visitId: "v", org: "public" }
  return Array.from({ length: count }, (_, n) => of.take({ ...counted, ...change(n) }, at)).filter(Boolean).length
}

it("lets one contact have so many codes in an hour, whoever asks for them", () => {
  const elsewhere = (n: number) => ({ visitId: `v${n}`, org: `o${n}` })
  expect(takes(tally(), 20, elsewhere)).toBe(limits.codesPerContact)
  expect(takes(tally(), 20, (n) => ({ ...elsewhere(n), mailbox: "jane@example.com" }))).toBe(0)
})

it("lets one visit have so many, whomever they are for", () => {
  expect(takes(tally(), 20, (n) => ({ mailbox: `${n}@example.com` }))).toBe(limits.codesPerVisit)
})

it("lets one caller have so many, whatever contacts and visits they name", () => {
  const each = (n: number) => ({ mailbox: `${n}@example.com`, visitId: `v${n}`, caller: "one" })
  expect(takes(tally(), limits.codesPerCaller + 5, each)).toBe(limits.codesPerCaller)
  expect(takes(tally(), 1, () => ({ ...each(100), caller: "other" }))).toBe(1)
})

it("lets one organisation have so many, and does not count what was refused", () => {
  const each = (n: number) => ({ mailbox: `${n}@example.com`, visitId: `v${n}` })
  const taken = takes(tally(), limits.codesPerOrg + 5, each)
  expect(taken).toBe(limits.codesPerOrg)
  expect(takes(tally(), 1, () => ({ ...each(limits.codesPerOrg), org: "other" }))).toBe(1)
})

it("remembers them for whoever opens it next, for an hour", () => {
  takes(tally(), limits.codesPerContact)
  const next = tally()
  expect(takes(next, 1, undefined, hour - 1)).toBe(0)
  expect(takes(next, 1, undefined, hour)).toBe(1)
})

it("counts for two hosts at once", () => {
  const [one, other] = [tally(), tally()]
  const turns = Array.from({ length: 10 }, (_, n) => takes(n % 2 === 0 ? one : other, 1))
  expect(turns.reduce((sum, taken) => sum + taken, 0)).toBe(limits.codesPerContact)
})

it("is for its owner alone and gives away nobody's address", () => {
  const made = tally()
  takes(made, 1)
  made.close()
  expect(statSync(path).mode & 0o777).toBe(0o600)
  expect(readFileSync(path, "latin1")).not.toContain("jane")
})
