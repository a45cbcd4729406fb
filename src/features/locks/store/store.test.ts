import { existsSync, statSync } from "node:fs"
import { DatabaseSync } from "node:sqlite"
import { describe, expect, it, onTestFinished } from "vitest"
import { staleAfterMs } from "../lock-table.ts"
import type { LockRequest } from "../conflicts.ts"
import { FenceFiles } from "./fence-files.ts"
import { LockWorld } from "../fixtures/lock-world.ts"
import { LockStore, type Attempt, type Granted } from "./store.ts"

function opened(): LockWorld {
  const world = new LockWorld()
  onTestFinished(() => world.close())
  return world
}

const build: LockRequest = { kind: "build", scope: "/p" }

function ask(
  store: LockStore,
  holder: string,
  requests: readonly LockRequest[] = [build],
  more: { ticket?: number; canQueue?: boolean } = {},
) {
  return store.attempt({ holder, requests, description: `for ${holder}`, canQueue: false, ...more })
}

function granted(attempt: Attempt): readonly Granted[] {
  if (attempt.kind !== "granted") throw new Error(attempt.kind)
  return attempt.locks
}

function fenceOf(attempt: Attempt): number {
  return granted(attempt)[0]?.fence ?? 0
}

describe("the lock table", () => {
  it("is created with the first request, readable for its user only", () => {
    const world = opened()
    const { path } = world
    const store = world.process(1)
    expect([store.exists, existsSync(path)]).toEqual([false, false])
    ask(store, "a")
    expect([statSync(path).mode & 0o777, statSync(`${path}.fence`).mode & 0o777]).toEqual([0o600, 0o700])
  })

  it("gives every hold a higher number, also after all processes have exited", () => {
    const world = opened()
    const first = world.process(1)
    const one = fenceOf(ask(first, "a"))
    first.release(granted(ask(first, "a")))
    first.close()
    expect(fenceOf(ask(world.process(2), "b"))).toBeGreaterThan(one)
  })

  it("grants a held lock again under the same number", () => {
    const world = opened()
    const store = world.process(1)
    const one = fenceOf(ask(store, "a"))
    expect(fenceOf(ask(store, "a"))).toBe(one)
  })

  it("takes several locks or none", () => {
    const world = opened()
    const [one, two] = [world.process(1), world.process(2)]
    granted(ask(one, "a", [{ kind: "git_commit", scope: "/p" }]))
    const both: LockRequest[] = [build, { kind: "git_index", scope: "/p" }]
    expect(ask(two, "b", both)).toMatchObject({ kind: "blocked", by: { holder: "a", kind: "git_commit" } })
    expect(two.read().rows.map(({ holder }) => holder)).toEqual(["a"])
  })

  it("lets no claim overtake a waiter for the same lock, but claims for other locks", () => {
    const world = opened()
    const [one, two, three] = [world.process(1), world.process(2), world.process(3)]
    const lock = granted(ask(one, "a"))
    const first = ask(two, "b", [build], { canQueue: true })
    if (first.kind !== "blocked") throw new Error("it was not in line")
    one.release(lock)
    expect(ask(three, "c")).toMatchObject({ kind: "blocked", by: { holder: "b" } })
    expect(ask(three, "c", [{ kind: "build", scope: "/q" }])).toMatchObject({ kind: "granted" })
    expect(ask(two, "b", [build], { ticket: first.ticket ?? 0 })).toMatchObject({ kind: "granted" })
    expect(two.read().waiting).toEqual([])
  })
})

describe("a waiter", () => {
  it("that was swept because it did not renew queues again behind later waiters", () => {
    const world = opened()
    const [one, two, three] = [world.process(1), world.process(2), world.process(3)]
    const lock = granted(ask(one, "a"))
    const slept = ask(two, "b", [build], { canQueue: true })
    if (slept.kind !== "blocked") throw new Error("it was not in line")
    world.machine.pass(staleAfterMs + 1)
    one.renew(
      lock.map(({ fence }) => fence),
      [],
    )
    ask(three, "c", [build], { canQueue: true })
    one.release(lock)
    const late = ask(two, "b", [build], { ticket: slept.ticket ?? 0, canQueue: true })
    expect(late).toMatchObject({ kind: "blocked", by: { holder: "c" } })
    expect(two.read().waiting.map(({ holder }) => holder)).toEqual(["c", "b"])
  })
})

describe("a holder", () => {
  it("whose row another program deleted loses its hold file too", () => {
    const world = opened()
    const [one, two] = [world.process(1), world.process(2)]
    granted(ask(one, "a"))
    const [file] = world.heldFiles
    const other = new DatabaseSync(world.path)
    other.exec("delete from locks")
    other.close()
    granted(ask(two, "b"))
    expect(world.heldFiles).toHaveLength(1)
    expect(world.heldFiles).not.toContain(file)
  })

  it("that has exited loses its locks and its place in the queue", () => {
    const world = opened()
    const { machine } = world
    const [one, two, three] = [world.process(1), world.process(2), world.process(3)]
    const lock = granted(ask(one, "a"))
    ask(two, "b", [build], { canQueue: true })
    machine.kill(1)
    machine.kill(2)
    expect(ask(three, "c")).toMatchObject({ kind: "granted" })
    expect(one.lostLocks(lock)).toEqual(lock)
    expect(world.heldFiles).toHaveLength(1)
    expect([...three.read().lost]).toEqual(lock.map(({ fence }) => fence))
  })

  it("that does not renew its lock in time loses it, and its old number is invalid", () => {
    const world = opened()
    const { machine } = world
    const [one, two] = [world.process(1), world.process(2)]
    const lock = granted(ask(one, "a"))
    const [file] = world.heldFiles
    machine.pass(staleAfterMs)
    expect(ask(two, "b")).toMatchObject({ kind: "blocked" })
    machine.pass(1)
    const newer = granted(ask(two, "b"))
    expect(world.heldFiles).not.toContain(file)
    one.release(lock)
    expect([one.lostLocks(lock), two.lostLocks(newer)]).toEqual([lock, []])
    expect(one.setStatus({ id: "build:/p", fence: fenceOf({ kind: "granted", locks: lock }) }, "late")).toBe(false)
  })

  it("that renews it keeps it, whatever happens to the wall clock", () => {
    const world = opened()
    const { machine } = world
    const [one, two] = [world.process(1), world.process(2)]
    const [lock] = granted(ask(one, "a"))
    for (let round = 0; round < 10; round++) {
      machine.pass(staleAfterMs - 1)
      machine.jump(round % 2 === 0 ? 86_400_000 : -2 * 86_400_000)
      expect(ask(two, "b")).toMatchObject({ kind: "blocked" })
      one.renew([lock?.fence ?? 0], [])
    }
  })

  it("keeps its locks until the processes that it started have exited", () => {
    const world = opened()
    const { machine } = world
    const one = world.process(1)
    one.record(granted(ask(one, "a")), { pid: 7, group: 7, startTime: "8" })
    machine.killHost(1)
    const two = world.process(2)
    expect(two.orphaned()).toMatchObject([
      { holderProcesses: { mark: "1:a", processes: [{ pid: 7, group: 7, startTime: "8" }] } },
    ])
    machine.pass(staleAfterMs + 1)
    expect(ask(two, "b")).toMatchObject({ kind: "blocked", by: { holder: "a" } })
    machine.endProcessesOf(1)
    expect(ask(two, "b")).toMatchObject({ kind: "granted" })
    expect(two.orphaned()).toEqual([])
  })

  it("in another container is judged only by its renewals", () => {
    const world = opened()
    const { machine, path } = world
    const elsewhere = { ...machine.seenBy(1), self: { pid: 1, startTime: "x", bootId: "another" }, hostname: "there" }
    const files = new FenceFiles(`${path}.fence`)
    const far = new LockStore({ path, machine: elsewhere, moment: machine.moment, files, mark: () => "" })
    onTestFinished(() => far.close())
    granted(ask(far, "a"))
    machine.kill(1)
    const near = world.process(2)
    expect(ask(near, "b")).toMatchObject({ kind: "blocked" })
    machine.pass(staleAfterMs + 1)
    expect(ask(near, "b")).toMatchObject({ kind: "granted" })
  })

  it("of an earlier boot is stale, also when the clock was reset", () => {
    const world = opened()
    const { machine, path } = world
    const before = { ...machine.seenBy(1), self: { pid: 1, startTime: "x", bootId: "before" } }
    const past = new LockStore({
      path,
      machine: before,
      moment: machine.moment,
      files: new FenceFiles(`${path}.fence`),
      mark: () => "",
    })
    onTestFinished(() => past.close())
    granted(ask(past, "a"))
    machine.jump(-900_000)
    expect(ask(world.process(2), "b")).toMatchObject({ kind: "granted" })
  })
})
