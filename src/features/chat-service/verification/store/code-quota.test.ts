import { mkdtempSync, readFileSync, rmSync, statSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterEach, beforeEach, expect, it } from "vitest"
import { limits } from "../../../../contract/limits.ts"
import { CodeQuota } from "./code-quota.ts"

const hour = 60 * 60 * 1000
const key = new Uint8Array(32)
let path = ""
const open: CodeQuota[] = []

beforeEach(() => {
  path = join(mkdtempSync(join(tmpdir(), "quota-")), "codes.db")
})
afterEach(() => {
  for (const opened of open.splice(0)) opened.close()
  rmSync(join(path, ".."), { recursive: true, force: true })
})

function quota(): CodeQuota {
  const opened = new CodeQuota(path, key)
  open.push(opened)
  return opened
}

function takes(of: CodeQuota, count: number, change: (n: number) => object = () => ({}), at = 0): number {
  const counted = { mailbox: "jane@example.com", visitId: "v", org: "public" }
  return Array.from({ length: count }, (_, n) => of.take({ ...counted, ...change(n) }, at)).filter(Boolean).length
}

it("limits codes per contact and hour, across visits and organisations", () => {
  const elsewhere = (n: number) => ({ visitId: `v${n}`, org: `o${n}` })
  expect(takes(quota(), 20, elsewhere)).toBe(limits.codesPerContact)
  expect(takes(quota(), 20, (n) => ({ ...elsewhere(n), mailbox: "jane@example.com" }))).toBe(0)
})

it("limits codes per visit, across contacts", () => {
  expect(takes(quota(), 20, (n) => ({ mailbox: `${n}@example.com` }))).toBe(limits.codesPerVisit)
})

it("limits codes per caller, across contacts and visits", () => {
  const each = (n: number) => ({ mailbox: `${n}@example.com`, visitId: `v${n}`, caller: "one" })
  expect(takes(quota(), limits.codesPerCaller + 5, each)).toBe(limits.codesPerCaller)
  expect(takes(quota(), 1, () => ({ ...each(100), caller: "other" }))).toBe(1)
})

it("limits codes per organisation, and does not count refused ones", () => {
  const each = (n: number) => ({ mailbox: `${n}@example.com`, visitId: `v${n}` })
  const taken = takes(quota(), limits.codesPerOrg + 5, each)
  expect(taken).toBe(limits.codesPerOrg)
  expect(takes(quota(), 1, () => ({ ...each(limits.codesPerOrg), org: "other" }))).toBe(1)
})

it("keeps its counts across restarts, for an hour", () => {
  takes(quota(), limits.codesPerContact)
  const next = quota()
  expect(takes(next, 1, undefined, hour - 1)).toBe(0)
  expect(takes(next, 1, undefined, hour)).toBe(1)
})

it("counts across two hosts", () => {
  const [one, other] = [quota(), quota()]
  const turns = Array.from({ length: 10 }, (_, n) => takes(n % 2 === 0 ? one : other, 1))
  expect(turns.reduce((sum, taken) => sum + taken, 0)).toBe(limits.codesPerContact)
})

it("is readable for its owner only and contains no address", () => {
  const made = quota()
  takes(made, 1)
  made.close()
  expect(statSync(path).mode & 0o777).toBe(0o600)
  expect(readFileSync(path, "latin1")).not.toContain("jane")
})
