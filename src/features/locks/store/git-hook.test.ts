// Real git under a hold that lasts, and under one that was taken away.
import { execFileSync, spawnSync } from "node:child_process"
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { expect, it, onTestFinished } from "vitest"
import { FenceFiles } from "./fence-files.ts"

function heldRepository() {
  const folder = mkdtempSync(join(tmpdir(), "hook-"))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const files = new FenceFiles(join(folder, "the fence"))
  files.raise("book-1")
  const me = ["-c", "user.name=me", "-c", "user.email=me@localhost"]
  const env = { ...process.env, ...files.environment(["book-1"], {}), GIT_CONFIG_GLOBAL: "/dev/null" }
  for (const made of [["repo"], ["--bare", "elsewhere.git"]])
    execFileSync("git", ["init", "-q", ...made], { cwd: folder })
  const cwd = join(folder, "repo")
  const gitWith = (more: Record<string, string>, ...args: string[]) =>
    spawnSync("git", [...me, ...args], { cwd, env: { ...env, ...more }, encoding: "utf8" })
  const git = (...args: string[]) => gitWith({}, ...args)
  return {
    cwd,
    git,
    gitWith,
    raise: (validMs: number) => files.raise("book-1", validMs),
    lose: () => files.lower("book-1"),
  }
}

it.each([
  ["commit", ["commit", "-q", "--allow-empty", "-m", "two"]],
  ["push to another repository", ["push", "-q", "../elsewhere.git", "HEAD:refs/heads/two"]],
])("a valid hold allows a %s, a lost one does not", (_, command) => {
  const { cwd, git, lose } = heldRepository()
  writeFileSync(join(cwd, "a"), "a")
  expect(git("add", "a").status).toBe(0)
  expect(git("commit", "-q", "-m", "one").status).toBe(0)
  expect(git(...command)).toMatchObject({ status: 0, stderr: "" })
  const refs = () => git("rev-parse", "HEAD").stdout + git("ls-remote", "../elsewhere.git").stdout
  lose()
  const before = refs()
  const { status, stderr } = git(...command.map((word) => word.replace("two", "three")))
  expect(status).not.toBe(0)
  expect(stderr).toContain("(number 1) is not held any more")
  expect(refs()).toBe(before)
})

it.runIf(process.platform === "linux")("a hold is lost at the time in its file, whatever became of its host", () => {
  const { git, raise } = heldRepository()
  raise(60_000)
  expect(git("commit", "-q", "--allow-empty", "-m", "one").status).toBe(0)
  raise(-1)
  const { status, stderr } = git("commit", "-q", "--allow-empty", "-m", "two")
  expect({ isRefused: status !== 0, stderr }).toMatchObject({
    isRefused: true,
    stderr: expect.stringContaining("(number 1) is not held"),
  })
  expect(git("log", "--format=%s").stdout).toBe("one\n")
})

const oneMore = { GIT_CONFIG_COUNT: "2", GIT_CONFIG_KEY_1: "core.abbrev", GIT_CONFIG_VALUE_1: "7" }

it.each([
  ["lie where they always do", ".git/hooks", undefined, {}],
  ["lie in a folder of the project", "own hooks", "own hooks", {}],
  ["are looked for under settings that the command has added", ".git/hooks", undefined, oneMore],
  ["are looked for elsewhere under such settings", "own hooks", "own hooks", oneMore],
])("hooks of the repository run when they %s", (_, folder, setting, more) => {
  const { cwd, git, gitWith } = heldRepository()
  mkdirSync(join(cwd, folder), { recursive: true })
  writeFileSync(join(cwd, folder, "commit-msg"), "#!/bin/sh\necho own commit-msg >&2\nexit 1\n", { mode: 0o700 })
  if (setting !== undefined) git("config", "core.hooksPath", setting)
  const { status, stderr } = gitWith(more, "commit", "-q", "--allow-empty", "-m", "one")
  expect({ status, stderr }).toEqual({ status: 1, stderr: "own commit-msg\n" })
})
