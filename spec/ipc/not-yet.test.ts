// Conformance cases 40 to 49 and 57 to 60: what this release does not have says so, at once, to whoever asked; nothing
// is pretended and nothing is changed by it.
import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { SharedAgent, turn } from "./agents.ts"
import { textOf, type Frame } from "./raw-viewer.ts"

const noLocks = "Locks are not available in this release"
const noPlanMode = "Plan mode is not available on this door in this release"
const lock = { resource_type: "build", scope: "/p" } as const
const acquire = { type: "acquire_lock", ...lock, description: "make" } as const
const release = { type: "release_lock", ...lock } as const
const lockRefused: Frame = { type: "lock_result", success: false, ...lock, error: noLocks, blocking_agent: null }
const lockError: Frame = { type: "error", message: noLocks, fatal: false }
const planError: Frame = { type: "error", message: noPlanMode, fatal: false }
const enter = { type: "enter_plan_mode", focus: "auth" } as const
const exit = { type: "exit_plan_mode" } as const
const input = { type: "plan_mode_user_input", content: "hi", context_files: [] } as const
const sync = { type: "plan_mode_sync_request" } as const

const types =
  "build test build_test git_index git_commit git_remote_write git_remote_merge git_branch git_destructive".split(" ")

describe("locks", () => {
  const shared = new SharedAgent()
  const other = new SharedAgent()

  it("40: of two agents that race for one lock nobody gets it, and nobody is named as its holder", async (test) => {
    const viewers = [await shared.viewer(test), await other.viewer(test)]
    for (const viewer of viewers) expect(await viewer.settle(acquire)).toEqual([lockRefused])
  })

  it("41: each of the nine types is refused with its own name", async (test) => {
    const viewer = await shared.viewer(test)
    const results = await viewer.settle(...types.map((resource_type) => ({ ...acquire, resource_type })))
    expect(results).toEqual(types.map((resource_type) => ({ ...lockRefused, resource_type })))
    expect(await viewer.settle({ ...acquire, resource_type: "Build" })).toMatchObject([{ type: "error" }])
  })

  it("42: the scope comes back as it was sent", async (test) => {
    const viewer = await shared.viewer(test)
    for (const scope of ["/p", "/p/", "/p/sub", "/px", "global", ""])
      expect(await viewer.settle({ ...acquire, scope })).toEqual([{ ...lockRefused, scope }])
  })

  it("43: two viewers of one agent both see the refusal, and a release is an error to whoever asked", async (test) => {
    const [asker, onlooker] = [await shared.viewer(test), await shared.viewer(test)]
    const after = onlooker.frames.length
    expect(await asker.settle(acquire, release)).toEqual([lockRefused, lockError])
    await onlooker.frame(lockRefused, after)
    expect(await onlooker.settle()).toEqual([])
  })

  it("44: a viewer that asks and is killed leaves nothing behind that the next one would see", async (test) => {
    const killed = await shared.viewer(test)
    await killed.send(acquire)
    killed.socket.destroy()
    expect(await (await shared.viewer(test)).settle(acquire)).toEqual([lockRefused])
  })

  it("45, 46: asking again and again, for no holder can have died or be alive", async (test) => {
    const viewer = await shared.viewer(test)
    expect(await viewer.settle(acquire, acquire, acquire)).toEqual([lockRefused, lockRefused, lockRefused])
  })

  it("47, 49: a database of locks, broken or from another program, is not looked at", async (test) => {
    mkdirSync(join(shared.place.root, "user", ".brainwires"))
    for (const path of [join(shared.place.home, "locks.db"), join(shared.place.root, "user/.brainwires/locks.db")])
      writeFileSync(path, "no database")
    expect(await (await shared.viewer(test)).settle(acquire)).toEqual([lockRefused])
  })

  it("48: a question for locks and a new status are errors to whoever asked", async (test) => {
    const [asker, onlooker] = [await shared.viewer(test), await shared.viewer(test)]
    const status = { type: "update_lock_status", ...lock, status: "50%" }
    const asked = [{ type: "query_locks", scope: null }, { type: "query_locks" }, { type: "query_locks", scope: "/p" }]
    expect(await asker.settle(...asked, status)).toEqual([lockError, lockError, lockError, lockError])
    expect(await onlooker.settle()).toEqual([])
  })
})

describe("plan mode", () => {
  const shared = new SharedAgent()

  it("57: enter, two inputs and exit are an error each, and the conversation is unchanged", async (test) => {
    const viewer = await shared.says(test, [[{ text: "Still the main one." }]])
    expect(await viewer.settle(enter, input, input, exit)).toEqual([planError, planError, planError, planError])
    expect((await viewer.sync()).messages).toEqual([])
    expect(textOf(await turn(viewer, "hello"))).toBe("Still the main one.")
  })

  it("58: entering twice, leaving and speaking outside of it are the same error", async (test) => {
    const viewer = await shared.viewer(test)
    const frames = await viewer.settle(enter, { type: "enter_plan_mode" }, exit, exit, input)
    expect(frames).toEqual([planError, planError, planError, planError, planError])
  })

  it("59: no model is asked, so no tool runs; cancel is acknowledged as ever", async (test) => {
    const viewer = await shared.viewer(test)
    expect(await viewer.settle(input, { type: "cancel" })).toEqual([planError, { type: "ack", command: "cancel" }])
  })

  it("60: a sync of the plan is an error to whoever asked; others hear nothing of it", async (test) => {
    const [asker, onlooker] = [await shared.viewer(test), await shared.viewer(test)]
    expect(await asker.settle(sync)).toEqual([planError])
    expect(await onlooker.settle()).toEqual([])
  })
})
