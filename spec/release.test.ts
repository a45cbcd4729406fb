// The checks of `npm run release`. Building, packing and testing the tarball is spec/package.
import { execFileSync, spawnSync } from "node:child_process"
import { globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { describe, expect, it, type TestContext } from "vitest"
import { checkClean, checkTag, checkVersion, sectionOf } from "../scripts/release/repository.ts"
import { describeTarball, readTarball } from "../scripts/release/tarball.ts"
import { version } from "../src/program/program-files.ts"

const root = join(import.meta.dirname, "..")
const script = join(root, "scripts/release.ts")
const changelog =
  "# Changelog\n\n## [Unreleased]\n\n## [1.2.3] - 2026-01-02\n\n- a change\n\n## [1.2.2] - 2026-01-01\n\n- another\n"

function repository(test: TestContext, text = changelog, locked = "1.2.3"): string {
  const folder = mkdtempSync(join(tmpdir(), "turnhouse-release-"))
  test.onTestFinished(() => rmSync(folder, { recursive: true }))
  writeFileSync(join(folder, "package.json"), JSON.stringify({ version: "1.2.3" }))
  writeFileSync(join(folder, "package-lock.json"), JSON.stringify({ version: locked }))
  writeFileSync(join(folder, "CHANGELOG.md"), text)
  git(folder, "init", "--quiet")
  git(folder, "add", ".")
  git(folder, "-c", "user.name=test", "-c", "user.email=test@example.com", "commit", "--quiet", "-m", "first")
  return folder
}

function git(folder: string, ...args: readonly string[]): void {
  execFileSync("git", args, { cwd: folder, stdio: "ignore" })
}

describe("a release", () => {
  it("is refused with uncommitted changes, which are named", (test) => {
    const folder = repository(test)
    expect(checkClean(folder)).toBe("nothing uncommitted")
    writeFileSync(join(folder, "left.txt"), "")
    expect(() => checkClean(folder)).toThrow("the tree has uncommitted changes:\n?? left.txt\nCommit or remove them.")
  })

  it("is refused without entries in the changelog", (test) => {
    expect(checkVersion(repository(test))).toBe("1.2.3, described in CHANGELOG.md")
    expect(() => checkVersion(repository(test, "# Changelog\n"))).toThrow('no entries under "## [1.2.3] - DATE"')
    expect(() => checkVersion(repository(test, changelog.replace("- a change\n", "")))).toThrow("no entries")
  })

  it("is refused when the lock file has another version", (test) => {
    const advice = "package-lock.json has version 1.2.2, package.json 1.2.3. Run 'npm install'."
    expect(() => checkVersion(repository(test, changelog, "1.2.2"))).toThrow(advice)
  })

  it("is not published without the tag of its version on the commit", (test) => {
    const folder = repository(test)
    git(folder, "tag", "v1.2.2")
    expect(() => checkTag(folder)).toThrow("this commit is not tagged v1.2.3, so nothing is published.")
    git(folder, "tag", "v1.2.3")
    expect(checkTag(folder)).toBe("v1.2.3")
  })
})

describe("the release script", () => {
  it("says what it does with --help", () => {
    const { status, stdout } = spawnSync(process.execPath, [script, "--help"], { encoding: "utf8" })
    expect({ status, stdout }).toMatchObject({ status: 0, stdout: expect.stringContaining("--dry-run") })
  })

  it("refuses an unknown option in one line", () => {
    const { status, stderr } = spawnSync(process.execPath, [script, "--wet-run"], { encoding: "utf8" })
    expect(status).toBe(1)
    expect(stderr).toMatch(/^release: Unknown option '--wet-run'[^\n]*\n$/)
  })

  it("describes the tarball by folder, largest first, also when npm printed something before", () => {
    const files = [
      { path: "package.json", size: 1000 },
      { path: "dist/command/a.js", size: 2000 },
      { path: "dist/command/b.js", size: 3000 },
    ]
    const printed = JSON.stringify([{ filename: "t-1.tgz", size: 1500, unpackedSize: 6000, files }], undefined, 2)
    expect(describeTarball(readTarball(`> prepack\n${printed}`, "/out"))).toBe(
      "/out/t-1.tgz: 3 files, 1.5 kB packed, 6.0 kB unpacked\n       5.0 kB  dist/command (2 files)\n       1.0 kB  package.json",
    )
  })
})

describe("this version", () => {
  it("is described in the changelog", () => {
    expect(sectionOf(readFileSync(join(root, "CHANGELOG.md"), "utf8"), version())).toContain("- ")
  })

  it("is written in package.json and its lock file only", () => {
    const files = globSync(["src/**/*.ts", "scripts/**/*.{ts,sh}", "bin/*", "deploy/**/*.*"], { cwd: root })
    const isOther = /\.test\.ts$|fixtures|generated|\/scaffold\.ts$/ // a new extension has a version of its own
    const repeating = files.filter((path) => readFileSync(join(root, path), "utf8").includes(`"${version()}"`))
    expect(repeating.filter((path) => !isOther.test(path))).toEqual([])
  })
})
