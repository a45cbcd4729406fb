// Locks of several machines in one PostgreSQL database: each machine has its own processes, monotonic clock and hold files.
import { existsSync, readdirSync } from "node:fs"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest"
import { Database } from "../../../../postgres/database.ts"
import { startPostgres, type PostgresServer } from "../../../../testing/servers/postgres-server.ts"
import type { LockRequest } from "../../conflicts.ts"
import { LockWorld } from "../../fixtures/lock-world.ts"
import { staleAfterMs, type Machine } from "../../lock-table.ts"
import type { Granted, StoredClaim } from "../../table-change.ts"
import { LockFault } from "../lock-fault.ts"
import type { LockStore } from "../lock-store.ts"
import { Locks, type CallClaim } from "../locks.ts"
import { leaseMs } from "./hold-leases.ts"
import { lockTable } from "./postgres-table.ts"

let server: PostgresServer

beforeAll(async () => {
  server = await startPostgres()
})
afterAll(() => server.remove())

const build: LockRequest = { kind: "build", scope: "/p" }
const index: LockRequest = { kind: "git_index", scope: "/p" }

interface Node {
  readonly store: LockStore
  readonly locks: Locks
  readonly heldFiles: () => readonly string[]
}

/** Nodes with the same clocks; `shared`: a folder that they all have. */
function cluster(url: string, shared = "/p") {
  const world = new LockWorld(url, leaseMs)
  const closing: (() => Promise<void>)[] = []
  onTestFinished(async () => {
    for (const close of closing) await close()
    await world.close()
  })
  const node = (name: string): Node => {
    const fences = join(world.folder, name)
    const placeOf = (scope: string) => (scope === shared ? "the shared folder" : name)
    const openStore = world.opener(1, { fences, placeOf })
    const self = { pid: 1, startTime: name, bootId: name }
    const machine: Machine = { ...world.machine.seenBy(1), self, hostname: name, isAlive: () => true }
    const end = () => Promise.resolve(true)
    const store = openStore(machine)
    const locks = new Locks({ openStore, machine, renewMs: 20, end, warn: () => {} })
    closing.push(
      () => locks.close(),
      () => store.close(),
    )
    const held = join(fences, "held")
    return { store, locks, heldFiles: () => (existsSync(held) ? readdirSync(held) : []) }
  }
  return { machine: world.machine, node }
}

function claimOf(holder: string, requests: readonly LockRequest[] = [build], canQueue = false): StoredClaim {
  return { holder, requests, description: `for ${holder}`, canQueue }
}

async function granted(
  store: LockStore,
  holder: string,
  requests?: readonly LockRequest[],
): Promise<readonly Granted[]> {
  const { result } = await store.attempt(claimOf(holder, requests))
  if (result.kind !== "granted") throw new Error(result.kind)
  return result.locks
}

function call(holder: string, requests: readonly LockRequest[]): CallClaim {
  return { holder, requests, description: "", signal: new AbortController().signal, onWait: () => {} }
}

describe("a lock of several machines", () => {
  it("conflicts with locks of the same place only", async () => {
    const { node } = cluster(server.createDatabase())
    const [one, two] = [node("one"), node("two")]
    const own: LockRequest = { kind: "build", scope: "/own" }
    await granted(one.store, "a", [build, own])
    expect((await two.store.attempt(claimOf("b", [build]))).result).toMatchObject({
      kind: "blocked",
      by: { holder: "a" },
    })
    await granted(two.store, "b", [own])
    await granted(two.store, "b", [{ kind: "build", scope: "global" }])
    const rows = (await two.store.read()).rows.map(({ scope, hostname, place }) => `${scope} on ${hostname}: ${place}`)
    expect(rows.toSorted()).toEqual([
      "/own on one: one",
      "/own on two: two",
      "/p on one: the shared folder",
      "global on two: two",
    ])
  })

  it("has its hold file on the machine of its holder only, also when another machine revokes it", async () => {
    const { machine, node } = cluster(server.createDatabase())
    const [one, two] = [node("one"), node("two")]
    const [lock] = await granted(one.store, "a")
    expect([one.heldFiles(), two.heldFiles()]).toEqual([[one.store.token(lock?.fence ?? 0)], []])
    await granted(two.store, "b", [{ kind: "test", scope: "/own" }])
    await two.store.sweep()
    expect([one.heldFiles(), two.heldFiles()]).toMatchObject([{ length: 1 }, { length: 1 }])
    machine.pass(staleAfterMs + 1)
    await granted(two.store, "b")
    await one.store.renew([lock?.fence ?? 0], [])
    expect(one.heldFiles()).toEqual([])
  })

  it("is lost for its holder by its own clock before another machine can take it", async () => {
    const { machine, node } = cluster(server.createDatabase())
    const [one, two] = [node("one"), node("two")]
    const locks = await granted(one.store, "a")
    machine.pass(leaseMs - 1)
    expect(await one.store.lostLocks(locks)).toEqual([])
    machine.pass(1)
    await expect.poll(one.heldFiles).toEqual([])
    expect(await one.store.lostLocks(locks)).toEqual(locks)
    expect((await two.store.attempt(claimOf("b"))).result).toMatchObject({ kind: "blocked" })
    await one.store.renew([locks[0]?.fence ?? 0], [])
    expect(await one.store.lostLocks(locks)).toEqual(locks)
  })

  it("goes to waiters in order of arrival over all machines", async () => {
    const { node } = cluster(server.createDatabase())
    const nodes = [node("one"), node("two"), node("three")]
    const first = await nodes[0]?.locks.acquireForCall(call("first", [build]))
    const order: string[] = []
    const waiting: Promise<void>[] = []
    for (const [at, { locks }] of [...nodes, ...nodes].entries()) {
      const passOn = async () => {
        const outcome = await locks.acquireForCall(call(`waiter ${at}`, [build]))
        order.push(`waiter ${at}`)
        if (outcome.kind === "taken") await outcome.hold.release()
      }
      waiting.push(passOn())
      await expect.poll(async () => (await locks.list()).waiting).toHaveLength(at + 1)
    }
    if (first?.kind === "taken") await first.hold.release()
    await Promise.all(waiting)
    expect(order).toEqual([0, 1, 2, 3, 4, 5].map((at) => `waiter ${at}`))
  })

  it("in a deadlock over two machines is refused for the youngest call at once", async () => {
    const { node } = cluster(server.createDatabase())
    const [one, two] = [node("one"), node("two")]
    await one.locks.acquire("a", build, "")
    await two.locks.acquire("b", index, "")
    const older = one.locks.acquireForCall(call("a", [index]))
    await expect.poll(async () => (await two.locks.list()).waiting).toHaveLength(1)
    const younger = await two.locks.acquireForCall(call("b", [build]))
    expect(younger).toMatchObject({ kind: "deadlock", cycle: [{ waiter: "b" }, { waiter: "a" }] })
    await two.locks.release("b", index.kind, index.scope)
    expect(await older).toMatchObject({ kind: "taken" })
  })

  it("never has a number twice when many processes take and release it", async () => {
    const { node } = cluster(server.createDatabase())
    const fences: number[] = []
    const nodes = ["one", "two", "three"].map(node)
    const work = async ({ locks }: Node, holder: string) => {
      for (let round = 0; round < 5; round++) {
        const outcome = await locks.acquireForCall(call(holder, [build]))
        if (outcome.kind !== "taken") throw new Error(outcome.kind)
        expect(await outcome.hold.lostLocks()).toEqual([])
        fences.push(...outcome.hold.locks.map(({ fence }) => fence))
        await outcome.hold.release()
      }
    }
    await Promise.all(nodes.flatMap((each, at) => [work(each, `a${at}`), work(each, `b${at}`)]))
    expect(fences).toEqual(Array.from({ length: 30 }, (_, at) => at + 1))
  })
})

describe("two calls of one session at the same moment", () => {
  it("that need the same lock run one after the other", async () => {
    const { node } = cluster(server.createDatabase())
    const { locks } = node("one")
    const calls = [1, 2].map(() => locks.acquireForCall(call("a", [build])))
    const first = await Promise.race(calls)
    await expect.poll(async () => (await locks.list()).waiting).toHaveLength(1)
    if (first.kind === "taken") await first.hold.release()
    expect((await Promise.all(calls)).map(({ kind }) => kind)).toEqual(["taken", "taken"])
  })
})

describe("a node without a connection", () => {
  it("gets a fault that names the server, never the answer that it holds a lock", async () => {
    const own = await startPostgres()
    onTestFinished(() => own.remove())
    const { machine, node } = cluster(own.createDatabase())
    const { store, heldFiles } = node("one")
    const locks = await granted(store, "a")
    await own.process.stop("SIGKILL")
    for (const act of [() => store.lostLocks(locks), () => store.attempt(claimOf("b")), () => store.renew([1], [])]) {
      const fault: unknown = await act().catch((reason: unknown) => reason)
      expect(fault).toBeInstanceOf(LockFault)
      expect(String(fault)).toContain(`127.0.0.1:${own.port}`)
    }
    machine.pass(leaseMs)
    await expect.poll(heldFiles).toEqual([])
    expect(await store.lostLocks(locks)).toEqual(locks)
    await own.start()
    await expect.poll(() => granted(store, "a").catch(() => [])).toMatchObject([{ fence: 2 }])
    expect((await store.read()).rows).toHaveLength(1)
  })
})

describe("a node that stands still in the middle of a change", () => {
  it("is cut off by the server, so that the others go on", async () => {
    const url = server.createDatabase()
    const { node } = cluster(url)
    const { store } = node("one")
    await granted(store, "a")
    const frozen = new Database({ url })
    const holding = Promise.withResolvers<void>()
    const stuck = Promise.withResolvers<void>()
    const change = frozen.transaction(async (queries) => {
      await lockTable(queries)
      holding.resolve()
      await stuck.promise
      await queries.query("update turnhouse.lock_book set fence = fence + 100")
    })
    const ended = change.catch((reason: unknown) => reason)
    await holding.promise
    const other = () => granted(store, "b", [{ kind: "test", scope: "/q" }]).catch(() => [])
    await expect.poll(other).toMatchObject([{ fence: 2 }])
    stuck.resolve()
    expect(await ended).toMatchObject({ kind: "unreachable" })
    await frozen.close()
  })
})
