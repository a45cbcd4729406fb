import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { expect, it, onTestFinished } from "vitest"
import { commandLocks } from "./command-locks.ts"
import { fileLocks } from "./file-locks.ts"

function project(): string {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "call-locks-")))
  onTestFinished(() => rmSync(root, { recursive: true }))
  mkdirSync(join(root, "repo/.git"), { recursive: true })
  mkdirSync(join(root, "repo/web"))
  mkdirSync(join(root, "tree"))
  writeFileSync(join(root, "tree/.git"), "gitdir: ../repo/.git/worktrees/tree")
  symlinkSync(join(root, "repo"), join(root, "link"))
  return root
}

function scopes(commandLine: string, cwd: string): readonly string[] {
  return commandLocks(commandLine, cwd).map(({ kind, scope }) => `${kind}:${scope}`)
}

it("git locks its working tree, also through symbolic links; a build locks its folder", () => {
  const root = project()
  expect(scopes("git add x", join(root, "repo/web"))).toEqual([`git_index:${root}/repo`])
  expect(scopes("git add x", join(root, "link/web"))).toEqual([`git_index:${root}/repo`])
  expect(scopes("cd web && make", join(root, "link"))).toEqual([`build:${root}/repo/web`])
})

it("a worktree is a separate scope", () => {
  const root = project()
  expect(scopes("git commit", join(root, "tree"))).toEqual([`git_index:${root}/tree`, `git_commit:${root}/tree`])
  expect(scopes("git -C ../repo add x", join(root, "tree"))).toEqual([`git_index:${root}/repo`])
})

it("two paths to the same folder are one lock", () => {
  const root = project()
  expect(scopes(`git add x; git -C ${root}/link/web add y`, join(root, "repo"))).toEqual([`git_index:${root}/repo`])
})

it("outside a repository git locks the folder", () => {
  const root = project()
  expect(scopes("git add x", join(root))).toEqual([`git_index:${root}`])
})

it.each([
  ["src/a.ts", true],
  ["Makefile", true],
  ["CMakeLists.txt", true],
  ["notes.md", false],
  ["README.MD", false],
  ["bad\0name", false],
])("writing %j takes a lock: %s", (path, takes) => {
  expect(fileLocks(path, "/p").map(({ kind }) => kind)).toEqual(takes ? ["file_write"] : [])
})
