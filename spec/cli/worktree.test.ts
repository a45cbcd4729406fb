// `run --worktree`: a session works on a branch of its own, which is merged, kept or thrown away.
import { execFileSync } from "node:child_process"
import { existsSync } from "node:fs"
import { expect, it } from "vitest"
import { newPlace, type Place } from "../e2e/turnhouse.ts"

function git(place: Place, ...args: string[]): string {
  return execFileSync("git", args, { cwd: place.folder, encoding: "utf8" }).trim()
}

function repository(place: Place): void {
  git(place, "init", "-q", "-b", "main")
  git(place, "config", "user.name", "a")
  git(place, "config", "user.email", "a@b")
  place.write("a.txt", "one\n")
  git(place, "add", "-A")
  git(place, "commit", "-qm", "first")
}

function changing(place: Place, command: string): string {
  const call = { call: { tool: "bash", input: { command } } }
  const path = `${place.root}/worktree-script.json`
  const model = place.script([[call], [{ text: "Done." }], [call], [{ text: "Again." }]])
  execFileSync("mv", [model.slice("offline/script:".length), path])
  return `offline/script:${path}`
}

it("run --worktree --merge leaves the folder alone until its branch is merged", async (test) => {
  const place = newPlace(test)
  repository(place)
  place.write("dirty.txt", "mine\n")
  const model = changing(place, "echo two > a.txt; pwd > where.txt")
  const merged = await place.run("run", "-w", "--branch", "fix", "--merge", "change it", "--yes", "--model", model)
  expect(merged).toMatchObject({ code: 0, stdout: "Done.\n" })
  expect(merged.stderr).toContain("merged 1 commit of worktree fix into main")
  expect([place.read("a.txt"), place.read("where.txt"), place.read("dirty.txt")]).toEqual([
    "two\n",
    `${place.folder}.worktrees/fix\n`,
    "mine\n",
  ])
  expect(git(place, "log", "-1", "--format=%s")).toBe("change it")
  expect(git(place, "branch", "--list", "turnhouse/*")).toBe("")
  expect(existsSync(`${place.folder}.worktrees`)).toBe(false)
  expect((await place.run("worktree")).stdout).toContain("No worktrees.")
})

it("a kept worktree is listed, continued, not merged on a conflict, and thrown away only after a yes", async (test) => {
  const place = newPlace(test)
  repository(place)
  const model = changing(place, "echo theirs >> a.txt")
  const kept = await place.run("run", "-w", "--branch", "fix", "change it", "--yes", "--model", model)
  expect(kept.stderr).toContain("turnhouse worktree merge fix")
  const continued = await place.run("run", "-w", "-c", "more", "--yes", "--keep")
  expect(continued).toMatchObject({ code: 0, stdout: "Again.\n" })
  expect((await place.run("worktree", "ls")).stdout).toMatch(/fix +just now +main +0 commits, 1 uncommitted/)
  place.write("a.txt", "mine\n")
  git(place, "commit", "-qam", "mine")
  place.write("a.txt", "mine, not committed\n")
  const conflict = await place.run("worktree", "merge", "fix")
  expect(conflict.code).toBe(1)
  expect(conflict.stderr).toContain("it conflicts with main in a.txt")
  expect(place.read("a.txt")).toBe("mine, not committed\n")
  expect(git(place, "status", "--porcelain", "--untracked-files=no")).toBe("M a.txt")
  expect(await place.run("worktree", "discard", "fix")).toMatchObject({ code: 2 })
  expect((await place.run("worktree", "discard", "fix", "--yes")).code).toBe(0)
  expect(existsSync(`${place.folder}.worktrees`)).toBe(false)
})

it("a merge that the user has not finished stays as it is, and files in the way are named", async (test) => {
  const place = newPlace(test)
  repository(place)
  const model = changing(place, "echo two > a.txt")
  await place.run("run", "change it", "--worktree", "--branch", "w", "--keep", "--yes", "--model", model)
  place.write("a.txt", "mine\n")
  const refused = await place.run("worktree", "merge", "w")
  expect(refused.stderr).toContain("would be overwritten by merge: a.txt.")
  git(place, "checkout", "-q", "-b", "other")
  git(place, "commit", "-qam", "other")
  git(place, "checkout", "-q", "main")
  git(place, "merge", "--no-commit", "--no-ff", "other")
  place.write("a.txt", "resolved by hand\n")
  git(place, "add", "a.txt")
  const unfinished = await place.run("worktree", "merge", "w")
  expect(unfinished).toMatchObject({ code: 1, stderr: expect.stringContaining("is not finished. Finish it") })
  expect(place.read("a.txt")).toBe("resolved by hand\n")
  expect(git(place, "rev-parse", "MERGE_HEAD")).toBe(git(place, "rev-parse", "other"))
})

it("names what is wrong with the options and the folder", async (test) => {
  const place = newPlace(test)
  const cases: [string[], string][] = [
    [["run", "-w", "x"], "is not in a git work tree"],
    [["run", "--merge", "x"], "--merge needs --worktree"],
    [["run", "-w", "--merge", "--keep", "x"], "--merge and --keep cannot be combined"],
    [["run", "-w", "--branch", "../x", "x"], "cannot name a worktree"],
    [["worktree", "drop"], "'drop' is not an action"],
    [["worktree", "merge", "none"], "no worktree has the name 'none'"],
  ]
  for (const [args, message] of cases) {
    const { code, stderr } = await place.run(...args)
    expect(code).toBe(2)
    expect(stderr).toContain(message)
  }
})
