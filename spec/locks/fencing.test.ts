// Two agents in one repository. While the first is frozen with the lock, the second takes it over and commits. When the
// first wakes up it moves no ref, and none of its work is lost.
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { beforeAll, describe, expect, it } from "vitest"
import { eventually } from "../e2e/eventually.ts"
import {
  bash,
  sendPrompt,
  startAgent,
  permissivePlace,
  turn,
  waitFor,
  type AgentProcess,
  type Test,
} from "../ipc/agents.ts"
import { of, type RawViewer } from "../ipc/raw-viewer.ts"
import type { Place } from "../e2e/turnhouse.ts"
import { needPackage } from "../need-package.ts"
import { git, makeRepository, subjects } from "./repository.ts"

async function agent(place: Place, name: string, ...commands: readonly string[]): Promise<AgentProcess> {
  const steps = [...commands.map((command) => [bash(command)]), [{ text: "Done." }]]
  return startAgent(place, ["--model", place.script(steps, {}, `${name}.json`)])
}

function results(viewer: RawViewer): readonly string[] {
  return of(viewer.frames, "tool_result").map(({ output, error }) => output ?? `failed: ${error}`)
}

/** Beside the repository: what a test waits for is no part of it. */
function signal(place: Place, name: string): string {
  return join(place.root, name)
}

async function frozen(test: Test, place: Place, command: string) {
  const first = await agent(place, "first", command)
  const viewer = await first.viewer(test)
  await sendPrompt(viewer, "commit")
  await eventually("it is at work", () => existsSync(signal(place, "begun")) || undefined)
  process.kill(first.pid, "SIGSTOP")
  return { first, viewer }
}

describe("a holder that was frozen", () => {
  it("cannot move a ref when it wakes up; it gets the reason, and its work is kept", async (test) => {
    const place = permissivePlace(test)
    makeRepository(place)
    const { first, viewer } = await frozen(
      test,
      place,
      `echo one > one.txt; git add one.txt; touch ${signal(place, "begun")}; ${waitFor(signal(place, "go"))}; git commit -m one`,
    )
    const second = await agent(
      place,
      "second",
      "echo two > two.txt && git add two.txt && git commit -q -m two -- two.txt",
    )
    const other = await second.viewer(test)
    const frames = await turn(other, "commit")
    const waits = of(frames, "tool_progress").map(({ message }) => message)
    expect(waits).toContain(`Waiting for git_index lock held by ${first.id}`)
    expect(results(other)).toHaveLength(1)
    expect(subjects(place)).toBe("two\nthe beginning")

    writeFileSync(signal(place, "go"), "")
    await eventually("its commit was refused", () => !isBusy(place) || undefined)
    process.kill(first.pid, "SIGCONT")
    await viewer.next("stream_end")
    const [told = ""] = results(viewer)
    expect(told).toContain("turnhouse: the lock under which this command was started (number 1) is not held any more")
    expect(told).toContain("the git_index lock of")
    expect(subjects(place)).toBe("two\nthe beginning")
    expect(git(place, "status", "--porcelain", "--untracked-files=no")).toBe("A  one.txt")
    expect(readFileSync(place.path("one.txt"), "utf8")).toBe("one\n")
  })

  /** A command of the first agent still runs. */
  function isBusy(place: Place): boolean {
    return !git(place, "fsck", "--unreachable", "--no-reflogs").includes("unreachable commit")
  }

  it("during its commit, in a hook of the repository, cannot complete it either", async (test) => {
    const place = permissivePlace(test)
    makeRepository(place)
    const hook = place.path(".git/hooks/pre-commit")
    mkdirSync(place.path(".git/hooks"), { recursive: true })
    writeFileSync(
      hook,
      `#!/bin/sh\n[ -e ${signal(place, "begun")} ] && exit 0\ntouch ${signal(place, "begun")}\n${waitFor(signal(place, "go"))}\n`,
    )
    chmodSync(hook, 0o755)
    const { first, viewer } = await frozen(test, place, "echo one > one.txt; git add one.txt; git commit -m one")
    const second = await agent(place, "second", "git tag seen")
    await turn(await second.viewer(test), "tag")
    expect(git(place, "tag")).toBe("seen")

    writeFileSync(signal(place, "go"), "")
    process.kill(first.pid, "SIGCONT")
    await viewer.next("stream_end")
    expect(results(viewer)[0]).toContain("is not held any more")
    expect(subjects(place)).toBe("the beginning")
    expect(git(place, "status", "--porcelain", "--untracked-files=no")).toBe("A  one.txt")
  })
})

describe("two agents that commit in one repository", () => {
  it("commit one after the other, and every commit exists", async (test) => {
    const place = permissivePlace(test)
    makeRepository(place)
    const rounds = [1, 2, 3, 4, 5]
    const commits = (name: string) =>
      rounds.map(
        (round) => `echo ${round} > ${name}${round}; git add ${name}${round}; git commit -q -m ${name}${round}`,
      )
    const agents = [await agent(place, "a", ...commits("a")), await agent(place, "b", ...commits("b"))]
    const viewers = await Promise.all(agents.map((one) => one.viewer(test)))
    await Promise.all(viewers.map((viewer) => turn(viewer, "commit")))
    for (const viewer of viewers) expect(results(viewer)).toEqual(rounds.map(() => "(no output)"))
    const committed = subjects(place).split("\n").toSorted()
    expect(committed).toEqual(
      [...rounds.map((n) => `a${n}`), ...rounds.map((n) => `b${n}`), "the beginning"].toSorted(),
    )
  })
})

describe("a command under a lock", () => {
  beforeAll(() => needPackage("bwrap", "bubblewrap"))

  it("sees its hold and cannot create or remove one, or reach the lock table", async (test) => {
    const place = permissivePlace(test)
    makeRepository(place)
    const fence = join(place.home, "locks.db.fence")
    const one = await agent(
      place,
      "a",
      `git tag seen; ls ${fence}/held | wc -l; ls -A ${place.home}; touch ${fence}/held/x; rm ${fence}/held/*; echo > ${fence}/hooks/reference-transaction; echo > ${place.home}/locks.db`,
    )
    const viewer = await one.viewer(test)
    await turn(viewer, "try")
    const [told = ""] = results(viewer)
    expect(told).toMatch(/^failed: 1\nlocks\.db\.fence\n/)
    expect(told.match(/Read-only file system/g)).toHaveLength(4)
    expect(git(place, "tag")).toBe("seen")
  })
})

describe("hooks of a repository", () => {
  it("run unchanged under a lock, in any folder, with their input, arguments and exit code", async (test) => {
    const place = permissivePlace(test)
    makeRepository(place)
    const log = signal(place, "hooks")
    mkdirSync(place.path("own hooks"))
    for (const [name, verdict] of [
      ["pre-commit", 0],
      ["commit-msg", 0],
      ["reference-transaction", 0],
      ["post-commit", 0],
      ["pre-push", 1],
    ] as const) {
      const path = place.path(`own hooks/${name}`)
      writeFileSync(path, `#!/bin/sh\necho "${name} $# $1 $(cat | wc -l)" >> ${log}\nexit ${verdict}\n`)
      chmodSync(path, 0o755)
    }
    git(place, "config", "core.hooksPath", "own hooks")
    git(place, "init", "-q", "--bare", join(place.root, "remote"))
    const one = await agent(
      place,
      "a",
      "git commit --allow-empty -q -m x",
      `git push -q ${join(place.root, "remote")} main`,
    )
    const viewer = await one.viewer(test)
    await turn(viewer, "commit")
    expect(results(viewer)[1]).toContain("failed")
    const lines = readFileSync(log, "utf8").split("\n")
    expect(lines).toEqual(
      expect.arrayContaining([
        "pre-commit 0  0",
        "commit-msg 1 .git/COMMIT_EDITMSG 0",
        expect.stringMatching(/^reference-transaction 1 prepared [12]$/),
        "post-commit 0  0",
        expect.stringMatching(/^pre-push 2 .* 1$/),
      ]),
    )
  })
})
