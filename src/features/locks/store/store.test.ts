// The lock table of one machine and the one of a cluster: the same rules.
import { existsSync, statSync } from "node:fs"
import { DatabaseSync } from "node:sqlite"
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest"
import { startPostgres, type PostgresServer } from "../../../testing/servers/postgres-server.ts"
import { renewEveryMs, staleAfterMs } from "../lock-table.ts"
import type { LockRequest } from "../conflicts.ts"
import { LockWorld } from "../fixtures/lock-world.ts"
import type { Granted } from "../table-change.ts"
import type { Attempt, LockStore } from "./lock-store.ts"
import { leaseMs } from "./postgres/hold-leases.ts"

let server: PostgresServer

beforeAll(async () => {
  server = await startPostgres()
})
afterAll(() => server.remove())

function opened(url?: string): LockWorld {
  const world = url === undefined ? new LockWorld() : new LockWorld(url, leaseMs)
  onTestFinished(() => world.close())
  return world
}

const build: LockRequest = { kind: "build", scope: "/p" }

async function ask(
  store: LockStore,
  holder: string,
  requests: readonly LockRequest[] = [build],
  more: { ticket?: number; canQueue?: boolean } = {},
): Promise<Attempt["result"]> {
  const { result } = await store.attempt({ holder, requests, description: `for ${holder}`, canQueue: false, ...more })
  return result
}

async function granted(asked: ReturnType<typeof ask>): Promise<readonly Granted[]> {
  const result = await asked
  if (result.kind !== "granted") throw new Error(result.kind)
  return result.locks
}

async function fenceOf(asked: ReturnType<typeof ask>): Promise<number> {
  return (await granted(asked))[0]?.fence ?? 0
}

describe.each([
  ["a file", () => opened()],
  ["PostgreSQL", () => opened(server.createDatabase())],
])("in %s", (_, open) => {
  describe("the lock table", () => {
    it("gives every hold a higher number, also after all processes have exited", async () => {
      const world = open()
      const first = world.process(1)
      const one = await fenceOf(ask(first, "a"))
      await first.release(await granted(ask(first, "a")))
      await first.close()
      expect(await fenceOf(ask(world.process(2), "b"))).toBeGreaterThan(one)
    })

    it("grants a held lock again under the same number", async () => {
      const world = open()
      const store = world.process(1)
      const one = await fenceOf(ask(store, "a"))
      expect(await fenceOf(ask(store, "a"))).toBe(one)
    })

    it("takes several locks or none", async () => {
      const world = open()
      const [one, two] = [world.process(1), world.process(2)]
      await granted(ask(one, "a", [{ kind: "git_commit", scope: "/p" }]))
      const both: LockRequest[] = [build, { kind: "git_index", scope: "/p" }]
      expect(await ask(two, "b", both)).toMatchObject({ kind: "blocked", by: { holder: "a", kind: "git_commit" } })
      expect((await two.read()).rows.map(({ holder }) => holder)).toEqual(["a"])
    })

    it("lets no claim overtake a waiter for the same lock, but claims for other locks", async () => {
      const world = open()
      const [one, two, three] = [world.process(1), world.process(2), world.process(3)]
      const lock = await granted(ask(one, "a"))
      const first = await ask(two, "b", [build], { canQueue: true })
      if (first.kind !== "blocked") throw new Error("it was not in line")
      await one.release(lock)
      expect(await ask(three, "c")).toMatchObject({ kind: "blocked", by: { holder: "b" } })
      expect(await ask(three, "c", [{ kind: "build", scope: "/q" }])).toMatchObject({ kind: "granted" })
      expect(await ask(two, "b", [build], { ticket: first.ticket ?? 0 })).toMatchObject({ kind: "granted" })
      expect((await two.read()).waiting).toEqual([])
    })
  })

  describe("a waiter", () => {
    it("that was swept because it did not renew queues again behind later waiters", async () => {
      const world = open()
      const [one, two, three] = [world.process(1), world.process(2), world.process(3)]
      const lock = await granted(ask(one, "a"))
      const slept = await ask(two, "b", [build], { canQueue: true })
      if (slept.kind !== "blocked") throw new Error("it was not in line")
      const fences = lock.map(({ fence }) => fence)
      for (let passed = 0; passed <= staleAfterMs; passed += renewEveryMs) {
        world.machine.pass(renewEveryMs)
        await one.renew(fences, [])
      }
      await ask(three, "c", [build], { canQueue: true })
      await one.release(lock)
      const late = await ask(two, "b", [build], { ticket: slept.ticket ?? 0, canQueue: true })
      expect(late).toMatchObject({ kind: "blocked", by: { holder: "c" } })
      expect((await two.read()).waiting.map(({ holder }) => holder)).toEqual(["c", "b"])
    })
  })

  describe("a holder", () => {
    it("that has exited loses its locks and its place in the queue", async () => {
      const world = open()
      const { machine } = world
      const [one, two, three] = [world.process(1), world.process(2), world.process(3)]
      const lock = await granted(ask(one, "a"))
      await ask(two, "b", [build], { canQueue: true })
      machine.kill(1)
      machine.kill(2)
      expect(await ask(three, "c")).toMatchObject({ kind: "granted" })
      expect(await one.lostLocks(lock)).toEqual(lock)
      expect(world.heldFiles).toHaveLength(1)
      expect([...(await three.read()).lost]).toEqual(lock.map(({ fence }) => fence))
    })

    it("that does not renew its lock in time loses it, and its old number is invalid", async () => {
      const world = open()
      const { machine } = world
      const [one, two] = [world.process(1), world.process(2)]
      const lock = await granted(ask(one, "a"))
      const [file] = world.heldFiles
      machine.pass(staleAfterMs)
      expect(await ask(two, "b")).toMatchObject({ kind: "blocked" })
      machine.pass(1)
      const newer = await granted(ask(two, "b"))
      expect(world.heldFiles).not.toContain(file)
      await one.release(lock)
      expect([await one.lostLocks(lock), await two.lostLocks(newer)]).toEqual([lock, []])
      expect(await one.setStatus({ id: "build:/p", fence: lock[0]?.fence ?? 0 }, "late")).toBe(false)
    })

    it("that renews it keeps it, whatever happens to the wall clock", async () => {
      const world = open()
      const { machine } = world
      const [one, two] = [world.process(1), world.process(2)]
      const [lock] = await granted(ask(one, "a"))
      for (let round = 0; round < 10; round++) {
        machine.pass((world.leaseMs ?? staleAfterMs) - 1)
        machine.jump(round % 2 === 0 ? 86_400_000 : -2 * 86_400_000)
        expect(await ask(two, "b")).toMatchObject({ kind: "blocked" })
        await one.renew([lock?.fence ?? 0], [])
      }
    })

    it("keeps its locks until the processes that it started have exited", async () => {
      const world = open()
      const { machine } = world
      const one = world.process(1)
      await one.record(await granted(ask(one, "a")), { pid: 7, group: 7, startTime: "8" })
      machine.killHost(1)
      const two = world.process(2)
      expect(await two.orphaned()).toMatchObject([
        { holderProcesses: { mark: "1:a", processes: [{ pid: 7, group: 7, startTime: "8" }] } },
      ])
      machine.pass(staleAfterMs + 1)
      expect(await ask(two, "b")).toMatchObject({ kind: "blocked", by: { holder: "a" } })
      machine.endProcessesOf(1)
      expect(await ask(two, "b")).toMatchObject({ kind: "granted" })
      expect(await two.orphaned()).toEqual([])
    })

    it("in another container is judged only by its renewals", async () => {
      const world = open()
      const { machine } = world
      const self = { pid: 1, startTime: "x", bootId: "another" }
      const far = world.process(1, { self, hostname: "there" })
      await granted(ask(far, "a"))
      machine.kill(1)
      const near = world.process(2)
      expect(await ask(near, "b")).toMatchObject({ kind: "blocked" })
      machine.pass(staleAfterMs + 1)
      expect(await ask(near, "b")).toMatchObject({ kind: "granted" })
    })

    it("of an earlier boot is stale, also when the clock was reset", async () => {
      const world = open()
      const { machine } = world
      const past = world.process(1, { self: { pid: 1, startTime: "x", bootId: "before" } })
      await granted(ask(past, "a"))
      machine.jump(-900_000)
      expect(await ask(world.process(2), "b")).toMatchObject({ kind: "granted" })
    })
  })
})

describe("the lock file", () => {
  it("is created with the first request, readable for its user only", async () => {
    const world = opened()
    const { path } = world
    const store = world.process(1)
    expect([store.exists, existsSync(path)]).toEqual([false, false])
    await ask(store, "a")
    expect([statSync(path).mode & 0o777, statSync(`${path}.fence`).mode & 0o777]).toEqual([0o600, 0o700])
  })

  it("loses the hold file of a row that another program deleted", async () => {
    const world = opened()
    const [one, two] = [world.process(1), world.process(2)]
    await granted(ask(one, "a"))
    const [file] = world.heldFiles
    const other = new DatabaseSync(world.path)
    other.exec("delete from locks")
    other.close()
    await granted(ask(two, "b"))
    expect(world.heldFiles).toHaveLength(1)
    expect(world.heldFiles).not.toContain(file)
  })
})
