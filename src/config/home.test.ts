import { mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs"
import { homedir, tmpdir } from "node:os"
import { join, resolve } from "node:path"
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import { ConfigFault } from "./faults.ts"
import { ensureHome, homeFolder } from "./home.ts"

let root: string

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "turnhouse-home-"))
})
afterEach(() => {
  rmSync(root, { recursive: true, force: true })
})

describe("the home folder", () => {
  it("is the value of the variable, or .turnhouse in the user's home", () => {
    expect(homeFolder({ TURNHOUSE_HOME: "/somewhere", HOME: "/u" })).toBe("/somewhere")
    expect(homeFolder({ TURNHOUSE_HOME: "rel", HOME: "/u" })).toBe(resolve("rel"))
    expect(homeFolder({ TURNHOUSE_HOME: "~/th", HOME: "/u" })).toBe("/u/th")
    expect(homeFolder({ TURNHOUSE_HOME: "", HOME: "/u" })).toBe("/u/.turnhouse")
    expect(homeFolder({ HOME: "" })).toBe(join(homedir(), ".turnhouse"))
  })

  it("is made for the owner alone under any umask", () => {
    for (const umask of [0, 0o077, 0o777]) {
      const home = join(root, `umask-${umask}`)
      const before = process.umask(umask)
      try {
        ensureHome(home)
      } finally {
        process.umask(before)
      }
      expect(statSync(home).mode & 0o777).toBe(0o700)
    }
  })

  it("keeps its mode if it exists", () => {
    ensureHome(root)
    const mode = statSync(root).mode
    ensureHome(root)
    expect(statSync(root).mode).toBe(mode)
  })

  it("that cannot be used is reported in one line", () => {
    const file = join(root, "file")
    writeFileSync(file, "")
    expect(() => ensureHome(file)).toThrow(ConfigFault)
    expect(() => ensureHome(file)).toThrow(/cannot be used: it is not a folder\. .*TURNHOUSE_HOME/)
    expect(() => ensureHome(join(file, "below"))).toThrow(/cannot be used: a part of its path is not a folder/)
  })
})
