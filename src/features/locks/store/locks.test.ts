import { readdirSync } from "node:fs"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest"
import { startPostgres, type PostgresServer } from "../../../testing/servers/postgres-server.ts"
import { staleAfterMs, type HolderProcesses } from "../lock-table.ts"
import type { LockRequest } from "../conflicts.ts"
import { LockWorld } from "../fixtures/lock-world.ts"
import { Locks, type CallClaim, type Hold, type LocksOptions } from "./locks.ts"
import { leaseMs } from "./postgres/hold-leases.ts"

let server: PostgresServer

beforeAll(async () => {
  server = await startPostgres()
})
afterAll(() => server.remove())

const build: LockRequest = { kind: "build", scope: "/p" }

function home(open: () => LockWorld, end: LocksOptions["end"] = () => Promise.resolve(true)) {
  const world = open()
  const { machine, folder } = world
  const opened: Locks[] = []
  onTestFinished(async () => {
    for (const locks of opened) await locks.close()
    await world.close()
  })
  return {
    folder,
    machine,
    /** How long a hold surely lasts without a renewal. */
    validMs: world.leaseMs === undefined ? staleAfterMs : world.leaseMs - 1,
    host: (pid: number): Locks => {
      const warn = (sentence: string) => console.error(sentence)
      const openStore = world.opener(pid)
      const locks = new Locks({ openStore, machine: machine.seenBy(pid), renewMs: 5, end, warn })
      opened.push(locks)
      return locks
    },
  }
}

function claim(holder: string, change: Partial<CallClaim> = {}): CallClaim {
  const { signal } = new AbortController()
  return { holder, requests: [build], description: "", signal, onWait: () => {}, ...change }
}

async function taken(locks: Locks, wanted: CallClaim): Promise<Hold> {
  const outcome = await locks.acquireForCall(wanted)
  if (outcome.kind !== "taken") throw new Error(outcome.kind)
  return outcome.hold
}

async function inLine(locks: Locks, count: number): Promise<void> {
  await expect.poll(async () => (await locks.list()).waiting).toHaveLength(count)
}

describe.each([
  ["a file", () => new LockWorld()],
  ["PostgreSQL", () => new LockWorld(server.createDatabase(), leaseMs)],
])("with the lock table in %s,", (_, open) => {
  describe("calls that request the same lock", () => {
    it("get it in order of arrival, across hosts", async () => {
      const { host } = home(open)
      const [one, two] = [host(1), host(2)]
      const first = await taken(one, claim("a"))
      const order: string[] = []
      const passOn = async (locks: Locks, holder: string) => {
        const hold = await taken(locks, claim(holder))
        order.push(holder)
        await hold.release()
      }
      const waiting: Promise<void>[] = []
      for (const [locks, holder] of [
        [two, "b"],
        [one, "c"],
        [two, "d"],
        [one, "e"],
      ] as const) {
        waiting.push(passOn(locks, holder))
        await inLine(one, waiting.length)
      }
      expect((await two.list()).waiting.map(({ holder }) => holder)).toEqual(["b", "c", "d", "e"])
      await first.release()
      await Promise.all(waiting)
      expect(order).toEqual(["b", "c", "d", "e"])
    })

    it("are refused with the holder after the timeout, and leave nothing behind", async () => {
      const { host } = home(open)
      const [one, two] = [host(1), host(2)]
      await taken(one, claim("a"))
      const refused = await two.acquireForCall(claim("b", { waitMs: 50 }))
      expect(refused).toEqual({ kind: "refused", by: { kind: "build", scope: "/p", holder: "a" } })
      expect((await one.list()).waiting).toEqual([])
    })

    it("leave the queue at once when they are cancelled", async () => {
      const { host } = home(open)
      const locks = host(1)
      await taken(locks, claim("a"))
      const off = new AbortController()
      const waiting = locks.acquireForCall(claim("b", { signal: off.signal }))
      await inLine(locks, 1)
      off.abort()
      expect(await waiting).toEqual({ kind: "cancelled" })
      expect((await locks.list()).waiting).toEqual([])
    })

    it("also queue behind calls of their own session", async () => {
      const { host } = home(open)
      const locks = host(1)
      const test: LockRequest = { kind: "test", scope: "/p" }
      const held = await taken(locks, claim("other", { requests: [test] }))
      const first = locks.acquireForCall(claim("a", { requests: [build, test] }))
      await inLine(locks, 1)
      const off = new AbortController()
      const second = locks.acquireForCall(claim("a", { signal: off.signal }))
      await inLine(locks, 2)
      await held.release()
      expect(await first).toMatchObject({ kind: "taken" })
      off.abort()
      expect(await second).toEqual({ kind: "cancelled" })
    })

    it("do not queue for a lock that a viewer of their session holds", async () => {
      const { host } = home(open)
      const [one, two] = [host(1), host(2)]
      await one.acquire("a", build, "for its calls")
      const off = new AbortController()
      const waiting = two.acquireForCall(claim("b", { signal: off.signal }))
      await inLine(one, 1)
      expect(await one.acquireForCall(claim("a", { waitMs: 100 }))).toMatchObject({ kind: "taken" })
      off.abort()
      await waiting
    })

    it("are not overtaken by a viewer of another session", async () => {
      const { host } = home(open)
      const [one, two] = [host(1), host(2)]
      const first = await taken(one, claim("a"))
      const off = new AbortController()
      const waiting = two.acquireForCall(claim("b", { signal: off.signal }))
      await inLine(one, 1)
      expect(await one.acquire("c", build, "")).toMatchObject({ kind: "refused", by: { holder: "a" } })
      await first.release()
      expect(await waiting).toMatchObject({ kind: "taken" })
    })
  })

  describe("a live host", () => {
    it("renews locks and queue places of its sessions, so that neither is lost", async () => {
      const { host, machine, validMs } = home(open)
      const [one, two] = [host(1), host(2)]
      const first = await taken(one, claim("a"))
      const waiting = two.acquireForCall(claim("b"))
      await inLine(one, 1)
      const beats = async () => {
        const { rows, waiting: line } = await one.list()
        return [rows[0]?.ownDetails?.heartbeat.ticks, line[0]?.heartbeat.ticks]
      }
      for (let round = 0; round < 3; round++) {
        machine.pass(validMs)
        await expect.poll(beats).toEqual([machine.ticks, machine.ticks])
      }
      await first.release()
      expect(await waiting).toMatchObject({ kind: "taken" })
    })
  })

  describe("a lock with several users in one session", () => {
    it("stays until the last call is done, also when viewers release it before", async () => {
      const { host } = home(open)
      const locks = host(1)
      expect(await locks.acquire("a", build, "for a viewer")).toMatchObject({ kind: "granted" })
      const hold = await taken(locks, claim("a"))
      expect(await locks.release("a", "build", "/p")).toBe(true)
      expect((await locks.list()).rows).toMatchObject([{ holder: "a", ownDetails: { description: "for a viewer" } }])
      await hold.release()
      expect((await locks.list()).rows).toEqual([])
      expect(await locks.release("a", "build", "/p")).toBe(false)
    })

    it("is released with its session", async () => {
      const { host } = home(open)
      const locks = host(1)
      await locks.acquire("a", build, "")
      await locks.acquire("b", { kind: "test", scope: "/p" }, "")
      await locks.releaseAll("a")
      expect((await locks.list()).rows.map(({ holder }) => holder)).toEqual(["b"])
    })
  })

  describe("a watcher", () => {
    it("gets each later change once, and a lost lock as stale", async () => {
      const { host, machine } = home(open)
      const [one, two] = [host(1), host(2)]
      await two.acquire("before", { kind: "test", scope: "/q" }, "")
      const heard: string[] = []
      const stop = one.watch(({ change, row }) => heard.push(`${change} ${row.holder}`))
      await one.acquire("a", build, "")
      await one.setStatus("a", "build", "/p", "half")
      await one.release("a", "build", "/p")
      machine.kill(2)
      const look = async () => {
        await one.list()
        return heard
      }
      await expect.poll(look).toEqual(["acquired a", "acquired a", "released a", "stale before"])
      stop()
      await one.acquire("a", build, "")
      expect(heard).toHaveLength(4)
    })
  })

  describe("the environment of a command under a lock", () => {
    it("names its hold and adds to the existing git configuration", async () => {
      const { host, folder } = home(open)
      const hold = await taken(host(1), claim("a"))
      const given = { GIT_CONFIG_COUNT: "1", GIT_CONFIG_KEY_0: "user.name", GIT_CONFIG_VALUE_0: "You" }
      const env = hold.environment(given)
      expect(env).toEqual({
        TURNHOUSE_FENCE: readdirSync(join(folder, "locks.db.fence/held"))[0],
        GIT_CONFIG_COUNT: "2",
        GIT_CONFIG_KEY_1: "core.hooksPath",
        GIT_CONFIG_VALUE_1: join(folder, "locks.db.fence/hooks"),
      })
      expect(hold.environment({ GIT_CONFIG_COUNT: "nonsense" })).toMatchObject({ GIT_CONFIG_COUNT: "1" })
    })
  })

  describe("the locks of a host that was killed", () => {
    it("are granted to the next call only when the processes of their holder have exited", async () => {
      const ended: HolderProcesses[] = []
      const ending = Promise.withResolvers<boolean>()
      const { host, machine } = home(open, (work) => {
        ended.push(work)
        return ending.promise
      })
      const [one, two] = [host(1), host(2)]
      const hold = await taken(one, claim("a"))
      await hold.record({ pid: 7, group: 7, startTime: "8" })
      machine.kill(1)
      const next = taken(two, claim("b"))
      await expect.poll(() => ended).toEqual([{ mark: "1:a", processes: [{ pid: 7, group: 7, startTime: "8" }] }])
      await inLine(two, 1)
      ending.resolve(true)
      expect((await next).locks).toMatchObject([{ kind: "build", scope: "/p" }])
    })
  })

  describe("agents in a deadlock", () => {
    const p = { kind: "build", scope: "/p" } as const
    const q = { kind: "build", scope: "/q" } as const
    const r = { kind: "build", scope: "/r" } as const

    it("are detected at once: the youngest call is refused with the cycle, the others get their locks", async () => {
      const { host } = home(open)
      const [one, two] = [host(1), host(2)]
      for (const [locks, holder, want] of [
        [one, "a", p],
        [two, "b", q],
        [one, "c", r],
      ] as const)
        expect(await locks.acquire(holder, want, "")).toMatchObject({ kind: "granted" })
      const oldest = one.acquireForCall(claim("a", { requests: [q] }))
      await inLine(one, 1)
      const second = two.acquireForCall(claim("b", { requests: [r] }))
      await inLine(one, 2)
      expect(await one.acquireForCall(claim("c", { requests: [p] }))).toEqual({
        kind: "deadlock",
        cycle: [
          { waiter: "c", ...p, holder: "a" },
          { waiter: "a", ...q, holder: "b" },
          { waiter: "b", ...r, holder: "c" },
        ],
      })
      await one.release("c", r.kind, r.scope)
      expect(await second).toMatchObject({ kind: "taken" })
      await two.release("b", q.kind, q.scope)
      expect(await oldest).toMatchObject({ kind: "taken" })
    })

    it("are not reported while only calls hold the locks: a call ends by itself", async () => {
      const { host } = home(open)
      const [one, two] = [host(1), host(2)]
      const [first, second] = [
        await taken(one, claim("a", { requests: [p] })),
        await taken(two, claim("b", { requests: [q] })),
      ]
      const waits = [
        one.acquireForCall(claim("a", { requests: [q] })),
        two.acquireForCall(claim("b", { requests: [p] })),
      ]
      await inLine(one, 2)
      await Promise.all([first.release(), second.release()])
      expect(await Promise.all(waits)).toMatchObject([{ kind: "taken" }, { kind: "taken" }])
    })
  })
})
