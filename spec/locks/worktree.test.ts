// An agent in its own worktree: it sees what is committed, does not affect other sessions, and its work is on its branch
// when it has ended, uncommitted changes included.
import { existsSync, readdirSync, writeFileSync } from "node:fs"
import { describe, expect, it } from "vitest"
import { object } from "../e2e/printed.ts"
import { newPlace, type Place } from "../e2e/turnhouse.ts"
import { bash } from "../ipc/agents.ts"
import { git, makeRepository, subjects } from "./repository.ts"

type Test = Parameters<typeof newPlace>[0]

function repositoryPlace(test: Test): Place {
  const place = newPlace(test)
  makeRepository(place)
  place.write("committed.txt", "as it was\n")
  git(place, "add", "committed.txt")
  git(place, "commit", "-q", "-m", "a file")
  return place
}

/** What the agent's call came to, after it has run these commands. */
async function delegated(place: Place, commands: readonly string[], tool = "subagent"): Promise<string> {
  const model = place.script([...commands.map((line) => [bash(line)]), [{ text: "Finished." }]], {}, "../agent.json")
  const call = { call: { tool, input: { task: "work", model, worktree: true } } }
  const own = place.script([[call], [{ text: "Well." }]], {}, "../parent.json")
  const { stdout, stderr } = await place.run("run", "--yes", "--json", "--model", own, "go")
  const ended = stdout
    .trim()
    .split("\n")
    .map(object)
    .find(({ type }) => type === "tool.ended")
  if (ended === undefined) throw new Error(stderr)
  return String(ended["output"])
}

function branches(place: Place): readonly string[] {
  return git(place, "branch", "--format=%(refname:short)").split("\n")
}

describe("an agent with a worktree", () => {
  it("leaves its commits and uncommitted changes on a branch, and nothing else", async (test) => {
    const place = repositoryPlace(test)
    place.write("committed.txt", "changed by a person\n")
    const told = await delegated(place, [
      "cat committed.txt > seen.txt && git add . && git commit -qm 'its own commit'",
      "echo more > uncommitted.txt && rm committed.txt",
    ])
    const [, branch = ""] = branches(place)
    expect(branch).toMatch(/^turnhouse\/[0-9a-f]{12}$/)
    expect(told).toContain(`Finished.\n[Its work is on the branch ${branch} (commits: 2; 2 files changed`)
    expect(told).toContain(`git merge ${branch}`)
    expect(git(place, "show", `${branch}:seen.txt`)).toBe("as it was")
    expect(git(place, "show", `${branch}:uncommitted.txt`)).toBe("more")
    expect(subjects(place)).toBe("a file\nthe beginning")
    expect(place.read("committed.txt")).toBe("changed by a person\n")
    expect(git(place, "status", "--porcelain")).toBe("M committed.txt")
    expect(git(place, "worktree", "list").split("\n")).toHaveLength(1)
    expect(existsSync(`${place.folder}.worktrees`)).toBe(false)
  })

  it("that changed nothing leaves nothing", async (test) => {
    const place = repositoryPlace(test)
    expect(await delegated(place, ["ls"])).toBe("Finished.\n[It changed no files.]")
    expect(branches(place)).toEqual(["main"])
  })

  it("that left its branch loses nothing", async (test) => {
    const place = repositoryPlace(test)
    const told = await delegated(place, [
      "git checkout -q --detach && echo x > x && git add x && git commit -qm astray",
    ])
    expect(told).toMatch(/Its work is on the branch turnhouse\/[0-9a-f]{12}-detached \(commits: 1; /)
    expect(subjects(place, branches(place).at(-1))).toContain("astray")
  })

  it("that stopped during a merge keeps its folder", async (test) => {
    const place = repositoryPlace(test)
    const told = await delegated(place, [
      "git checkout -qb other && echo a > committed.txt && git commit -qam a",
      "git checkout -q - && echo b > committed.txt && git commit -qam b && git merge other || true",
    ])
    expect(told).toContain("a merge is not finished there")
    const [folder = ""] = readdirSync(`${place.folder}.worktrees`)
    expect(git(place, "-C", `${place.folder}.worktrees/${folder}`, "status", "--porcelain")).toBe("UU committed.txt")
  })

  it("does not run the hooks of the repository when its folder is created and removed", async (test) => {
    const place = repositoryPlace(test)
    const hook = place.path(".git/hooks/post-checkout")
    for (const name of ["post-checkout", "pre-commit"])
      writeFileSync(hook.replace("post-checkout", name), `#!/bin/sh\ntouch ${place.root}/ran\n`, { mode: 0o755 })
    expect(await delegated(place, ["echo x > x"])).toContain("(commits: 1; ")
    expect(existsSync(`${place.root}/ran`)).toBe(false)
  })

  it("cannot have one outside a repository", async (test) => {
    expect(await delegated(newPlace(test), [])).toMatch(/^No worktree could be made: fatal: not a git repository/)
  })
})
