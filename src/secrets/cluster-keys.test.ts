import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterEach, beforeEach, expect, it } from "vitest"
import { clusterKeyProblem } from "./check-cluster-keys.ts"
import { readConsoleKey } from "./console-key.ts"
import { homeKey } from "./home-key.ts"

const TURNHOUSE_CLUSTER_SECRET = "0123456789abcdef0123456789abcdef"
const env = { TURNHOUSE_CLUSTER_SECRET }
let homes: string[] = []

beforeEach(() => {
  homes = Array.from({ length: 2 }, () => mkdtempSync(join(tmpdir(), "turnhouse-cluster-")))
})
afterEach(() => {
  for (const home of homes) rmSync(home, { recursive: true })
})

it("gives all homes the same keys, and each secret other ones", () => {
  const [[one, ownerOfOne], [other, ownerOfOther]] = keysOf(env)
  expect(other).toEqual(one)
  expect(ownerOfOther).toBe(ownerOfOne)
  expect(Buffer.from(one).toString("base64url")).not.toBe(ownerOfOne)
  for (const home of homes) {
    rmSync(join(home, "secret.key"))
    rmSync(join(home, "console.key"))
  }
  const [[changed, changedOwner]] = keysOf({ TURNHOUSE_CLUSTER_SECRET: `${TURNHOUSE_CLUSTER_SECRET}0` })
  expect(changed).not.toEqual(one)
  expect(changedOwner).not.toBe(ownerOfOne)
})

it("writes files that only their owner can read and that hold no part of the secret", () => {
  const [home = ""] = homes
  keysOf(env)
  for (const name of ["secret.key", "console.key"]) {
    expect(statSync(join(home, name)).mode & 0o777).toBe(0o600)
    expect(readFileSync(join(home, name), "latin1")).not.toContain(TURNHOUSE_CLUSTER_SECRET.slice(0, 8))
  }
})

it("accepts a home without keys, and one whose keys come from the same secret", () => {
  const [home = ""] = homes
  expect(clusterKeyProblem(home, env)).toBeUndefined()
  expect(existsSync(join(home, "secret.key"))).toBe(false)
  keysOf(env)
  expect(clusterKeyProblem(home, env)).toBeUndefined()
})

it.each([
  ["secret.key", (home: string) => homeKey(home, {})],
  ["console.key", (home: string) => readConsoleKey(home, {})],
])("refuses a home with another %s, which stays", (name, create) => {
  const [home = ""] = homes
  create(home)
  const before = readFileSync(join(home, name))
  expect(clusterKeyProblem(home, env)).toBe(
    `${join(home, name)} is not the key that TURNHOUSE_CLUSTER_SECRET gives. Unset the variable, or delete the file if this home has no sessions of its own.`,
  )
  expect(readFileSync(join(home, name))).toEqual(before)
  expect(clusterKeyProblem(home, {})).toBeUndefined()
})

it("refuses a secret of fewer than 32 characters, without showing it, and creates nothing", () => {
  const [home = ""] = homes
  const short = { TURNHOUSE_CLUSTER_SECRET: "too-short-9417" }
  const problem = /TURNHOUSE_CLUSTER_SECRET has 14 characters, and needs at least 32/
  for (const use of [clusterKeyProblem, homeKey, readConsoleKey]) expect(() => use(home, short)).toThrow(problem)
  expect(() => homeKey(home, short)).not.toThrow(/9417/)
  expect(existsSync(join(home, "secret.key"))).toBe(false)
})

it("is not used when the variable is empty", () => {
  const [home = ""] = homes
  writeFileSync(join(home, "console.key"), `${"k".repeat(43)}\n`)
  expect(clusterKeyProblem(home, { TURNHOUSE_CLUSTER_SECRET: "" })).toBeUndefined()
})

function keysOf(given: Readonly<Record<string, string>>): [[Uint8Array, string], [Uint8Array, string]] {
  const [one = "", other = ""] = homes
  return [
    [homeKey(one, given), readConsoleKey(one, given)],
    [homeKey(other, given), readConsoleKey(other, given)],
  ]
}
