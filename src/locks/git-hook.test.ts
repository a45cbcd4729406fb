// Real git under a hold that lasts, and under one that was taken away.
import { execFileSync, spawnSync } from "node:child_process"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
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
  const git = (...args: string[]) => spawnSync("git", [...me, ...args], { cwd, env, encoding: "utf8" })
  return { cwd, git, lose: () => files.lower("book-1") }
}

it.each([
  ["commit", ["commit", "-q", "--allow-empty", "-m", "two"]],
  ["push to another repository", ["push", "-q", "../elsewhere.git", "HEAD:refs/heads/two"]],
])("a hold that lasts allows a %s, one that was lost does not", (_, command) => {
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
