import { execFileSync } from "node:child_process"
import { chmodSync, existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import { gitState, type GitPlace } from "./git-state.ts"

/** Git may be slow beside other tests. */
const timeoutMs = 60_000
let root: string

beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), "turnhouse-git-")))
  git("init", "-q", "-b", "trunk")
})
afterEach(() => rmSync(root, { recursive: true, force: true }))

function git(...args: readonly string[]): void {
  const who = ["-c", "user.name=Test", "-c", "user.email=test@example.com"]
  execFileSync("git", [...who, "-C", root, ...args], { stdio: "ignore" })
}

function state(change: Partial<GitPlace> = {}): Promise<string | undefined> {
  return gitState({ root, cwd: root, trusted: false, env: process.env, timeoutMs, ...change })
}

describe("the git state of a folder", () => {
  it("has the branch, changed files and newest commits", async () => {
    writeFileSync(join(root, "a.txt"), "a")
    git("add", "a.txt")
    git("commit", "-qm", "feat: the first commit")
    writeFileSync(join(root, "a.txt"), "b")
    expect(await state()).toMatch(
      /^Git branch: trunk\nChanged files \(1\):\n {3}M a\.txt\nNewest commits:\n {2}[0-9a-f]{7,} feat: the first commit$/,
    )
  })

  it("is bounded: at most 20 files, each in one line", async () => {
    for (let at = 0; at < 25; at += 1) writeFileSync(join(root, `${at}-${"x".repeat(200)}`), "")
    const lines = (await state())?.split("\n") ?? []
    expect(lines[1]).toBe("Changed files (25):")
    expect(lines).toHaveLength(23)
    expect(lines.at(-1)).toBe("  … and 5 more")
    for (const line of lines) expect(line.length).toBeLessThan(130)
  })

  it("starts no program that an untrusted repository names", async () => {
    const made = join(root, "made")
    const program = join(root, ".git", "program")
    writeFileSync(program, `#!/bin/sh\ntouch ${made}\ncat\n`)
    chmodSync(program, 0o755)
    writeFileSync(join(root, "a.txt"), "a")
    git("add", "a.txt")
    git("config", "core.fsmonitor", program)
    expect(await state()).toContain("Git branch: ")
    expect(existsSync(made)).toBe(false)
    git("config", "--unset", "core.fsmonitor")
    git("config", "filter.evil.clean", program)
    writeFileSync(join(root, ".gitattributes"), "* filter=evil\n")
    writeFileSync(join(root, "a.txt"), "b")
    expect(await state()).toBeUndefined()
    expect(existsSync(made)).toBe(false)
    expect(await state({ trusted: true })).toContain("Git branch: ")
  })

  it.each(["[include]\npath = x", '[ FILTER "a"]\nclean = x', "[extensions]\nworktreeConfig = true"])(
    "is unknown for an untrusted repository with the configuration %j",
    async (config) => {
      writeFileSync(join(root, ".git", "config"), `${config}\n`, { flag: "a" })
      expect(await state()).toBeUndefined()
    },
  )

  it("is unknown when git does not answer in time, is missing, or there is no repository", async () => {
    const bin = join(root, "bin")
    mkdirSync(bin)
    writeFileSync(join(bin, "git"), "#!/bin/sh\nexec sleep 600\n", { mode: 0o755 })
    expect(await state({ env: { PATH: `${bin}:${process.env["PATH"]}` }, timeoutMs: 50 })).toBeUndefined()
    expect(await state({ env: { PATH: "/nowhere" } })).toBeUndefined()
    rmSync(join(root, ".git"), { recursive: true })
    expect(await state({ trusted: true })).toBeUndefined()
  })
})
