import { existsSync, mkdtempSync, readFileSync, rmSync, statSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { describe, expect, it, onTestFinished } from "vitest"
import { ExtensionLog } from "./extensions.ts"

function logIn() {
  const folder = join(mkdtempSync(join(tmpdir(), "turnhouse-log-")), "extensions")
  onTestFinished(() => rmSync(join(folder, ".."), { recursive: true }))
  return { folder, log: new ExtensionLog(folder, (line) => line.replaceAll("secret", "…")) }
}

describe("the log of an extension", () => {
  it("contains no secrets and is readable only by its owner", () => {
    const { folder, log } = logIn()
    log.write("a", "the secret is out")
    log.write("a", "again")
    const file = join(folder, "a.log")
    expect(readFileSync(file, "utf8")).toMatch(/^\S+Z the … is out\n\S+Z again\n$/)
    expect(statSync(file).mode & 0o777).toBe(0o600)
    expect(statSync(folder).mode & 0o777).toBe(0o700)
  })

  it("is rotated when it is large", () => {
    const { folder, log } = logIn()
    for (let round = 0; round < 5; round++) log.write("a", "x".repeat(600_000))
    const sizes = ["a.log", "a.log.old"].map((name) => statSync(join(folder, name)).size)
    expect(Math.max(...sizes)).toBeLessThan(2 * 1024 * 1024)
    expect(existsSync(join(folder, "a.log.old.old"))).toBe(false)
  })
})
