import { execFile } from "node:child_process"
import { chmodSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { promisify } from "node:util"
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import { homeKey } from "./home-key.ts"
import { KeyFileFault } from "./key-file.ts"

let home: string

beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), "turnhouse-key-"))
})
afterEach(() => {
  rmSync(home, { recursive: true, force: true })
})

const program = `
  import { homeKey } from ${JSON.stringify(new URL("./home-key.ts", import.meta.url).href)}
  process.umask(0o777)
  console.log(Buffer.from(homeKey(process.argv[1])).toString("hex"))
`

async function keyOfAnotherProcess(): Promise<string> {
  const { stdout } = await promisify(execFile)(process.execPath, ["--input-type=module", "-e", program, home])
  return stdout.trim()
}

describe("the key of a home", () => {
  it("is made once, 32 bytes, for the owner alone", () => {
    const key = homeKey(home)
    expect(key.length).toBe(32)
    expect(homeKey(home)).toEqual(key)
    expect(statSync(join(home, "secret.key")).mode & 0o777).toBe(0o600)
  })

  it("is the same for processes that start together under any umask, and nothing is left over", async () => {
    const keys = await Promise.all(Array.from({ length: 4 }, keyOfAnotherProcess))
    expect(new Set(keys).size).toBe(1)
    expect(keys[0]).toMatch(/^[0-9a-f]{64}$/)
    expect(readdirSync(home)).toEqual(["secret.key"])
    expect(statSync(join(home, "secret.key")).mode & 0o777).toBe(0o600)
  })

  it("that others could read is closed to them", () => {
    homeKey(home)
    chmodSync(join(home, "secret.key"), 0o644)
    homeKey(home)
    expect(statSync(join(home, "secret.key")).mode & 0o777).toBe(0o600)
  })

  it("of the wrong length is a fault, never used and never replaced", () => {
    writeFileSync(join(home, "secret.key"), "short")
    expect(() => homeKey(home)).toThrow(/has 5 bytes, not 32/)
    expect(statSync(join(home, "secret.key")).size).toBe(5)
  })

  it("in a home that is not there is a fault with a sentence", () => {
    expect(() => homeKey(join(home, "none"))).toThrow(KeyFileFault)
  })
})
