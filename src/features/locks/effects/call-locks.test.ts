// Calls that need locks, in two houses that share one book: waiting in line, being called off, losing a lock, and what
// the log and the doors are told of it.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { describe, expect, it, onTestFinished } from "vitest"
import type { SessionDelta } from "../../../contract/deltas.ts"
import { openLocks } from "../../../app/settings/locks.ts"
import type { LockRequest } from "../conflicts.ts"
import type { Locks } from "../store/locks.ts"
import { thisHost } from "../../../log/process-identity.ts"
import { history, newSession, testHost, testTool, turn, you, type TestHost } from "../../../testing/test-host.ts"
import { gate, scriptedSource } from "../../../testing/index.ts"
import type { Tool, ToolContext } from "../../../tools/tool.ts"
import type { SessionActor } from "../../../runner/session-actor.ts"

interface Locked extends TestHost {
  readonly session: SessionActor
  readonly locks: Locks
}

interface WorldOptions {
  readonly requests: readonly LockRequest[]
  readonly run?: (context: ToolContext) => Promise<void> | void
  readonly outlived?: () => Promise<void> | undefined
}

function folder(): string {
  const made = mkdtempSync(join(tmpdir(), "locked-"))
  onTestFinished(() => rmSync(made, { recursive: true }))
  return made
}

/** A house whose only tool needs these locks. */
async function locked(
  home: string,
  { requests, run = () => {}, outlived = () => undefined }: WorldOptions,
): Promise<Locked> {
  const source = openLocks(home, {}, thisHost("test"))
  const locks = await source.load()
  const calls = [[{ call: { tool: "work", input: { command: "make it" } } }], [{ text: "Done." }]]
  const work = testTool("work", async (_, context) => (await run(context), { outcome: "done", output: "worked" }), {
    locks: async () => requests,
  })
  const { prepare } = work
  const tool: Tool = { ...work, prepare: async (...given) => ({ ...(await prepare(...given)), outlived }) }
  const made = await testHost(scriptedSource([...calls, ...calls, ...calls]), [tool], { locks: source })
  onTestFinished(async () => {
    await made.host.close()
    await locks.close()
  })
  return { ...made, locks, session: await newSession(made.host) }
}

function deltas(session: SessionActor): SessionDelta[] {
  const heard: SessionDelta[] = []
  session.watch((item) => {
    if (item.kind === "delta") heard.push(item.delta)
  }, you)
  return heard
}

const commit: readonly LockRequest[] = [
  { kind: "git_index", scope: "/p" },
  { kind: "git_commit", scope: "/p" },
]

describe("a call that needs locks", () => {
  it("keeps them while processes that outlive it run", async () => {
    const home = folder()
    const other = await openLocks(home, {}, thisHost("other")).load()
    onTestFinished(() => other.close())
    const processesEnd = Promise.withResolvers<void>()
    const { session } = await locked(home, { requests: commit, outlived: () => processesEnd.promise })
    await turn(session, "go")
    const lockIds = async () => (await other.list()).rows.map(({ id }) => id)
    expect(await lockIds()).toEqual(["git_index:/p", "git_commit:/p"])
    processesEnd.resolve()
    await expect.poll(lockIds).toEqual([])
  })

  it("stores them with its intent, holds them while it runs, and releases them", async () => {
    const home = folder()
    const other = await openLocks(home, {}, thisHost("other")).load()
    onTestFinished(() => other.close())
    let during: readonly string[] = []
    const run = async () => void (during = (await other.list()).rows.map(({ id }) => id))
    const { session, log } = await locked(home, { requests: commit, run })
    await turn(session, "go")
    const started = (await history(log, session.id)).find(({ type }) => type === "tool.started")
    expect(started).toMatchObject({
      locks: [
        { type: "git_index", scope: "/p", fence: 1 },
        { type: "git_commit", scope: "/p", fence: 2 },
      ],
    })
    expect(during).toEqual(["git_index:/p", "git_commit:/p"])
    expect((await other.list()).rows).toEqual([])
  })

  it("waits for the holder, reports that, and continues when the lock is free", async () => {
    const home = folder()
    const end = gate()
    const first = await locked(home, { requests: commit, run: () => end.pass() })
    const second = await locked(home, { requests: [{ kind: "git_commit", scope: "/p/sub" }] })
    const heard = deltas(second.session)
    const ended = [turn(first.session, "go"), turn(second.session, "go")]
    await end.arrived
    await waiting(second.locks, 1)
    const message = `Waiting for git_index lock held by ${first.session.id}`
    expect(heard.filter(({ type }) => type === "tool.progressed")).toMatchObject([{ message }])
    end.open()
    expect(await Promise.all(ended)).toMatchObject([{ reason: "done" }, { reason: "done" }])
    expect((await second.locks.list()).waiting).toEqual([])
  })

  it("that is cancelled leaves the queue at once, and the next waiter continues", async () => {
    const home = folder()
    const end = gate()
    const first = await locked(home, { requests: commit, run: () => end.pass() })
    const second = await locked(home, { requests: commit })
    const done = turn(first.session, "go")
    await end.arrived
    const interrupted = turn(second.session, "go")
    await waiting(second.locks, 1)
    await second.session.send({ type: "interrupt" }, you)
    expect(await interrupted).toMatchObject({ reason: "interrupted" })
    await waiting(second.locks, 0)
    end.open()
    await done
  })

  it("excludes the other calls of its own session", async () => {
    const home = folder()
    let atOnce = 0
    let most = 0
    const run = async () => {
      most = Math.max(most, (atOnce += 1))
      await new Promise((resolve) => setTimeout(resolve, 5))
      atOnce -= 1
    }
    const { locks, host } = await locked(home, { requests: [] })
    await host.close()
    const work = testTool("work", async () => (await run(), { outcome: "done", output: "" }), {
      locks: async () => commit,
    })
    const three = Array.from({ length: 3 }, () => ({ call: { tool: "work", input: {} } }))
    const made = await testHost(scriptedSource([three, [{ text: "Done." }]]), [work], {
      locks: { load: async () => locks },
    })
    onTestFinished(() => made.host.close())
    expect(await turn(await newSession(made.host), "go")).toMatchObject({ reason: "done" })
    expect(most).toBe(1)
  })

  it("does nothing when its lock is lost before it starts, and says so", async () => {
    const home = folder()
    let worked = 0
    const { locks, host } = await locked(home, { requests: [] })
    await host.close()
    const work = testTool("work", () => ((worked += 1), { outcome: "done", output: "worked" }), {
      locks: async () => commit,
    })
    const slow: Tool = {
      ...work,
      prepare: async (input, context) => (await takenAway(home), work.prepare(input, context)),
    }
    const source = scriptedSource([[{ call: { tool: "work", input: {} } }], [{ text: "Done." }]])
    const made = await testHost(source, [slow], { locks: { load: async () => locks } })
    onTestFinished(() => made.host.close())
    const session = await newSession(made.host)
    await turn(session, "go")
    const ended = (await history(made.log, session.id)).find(({ type }) => type === "tool.ended")
    expect(ended).toMatchObject({
      outcome: "failed",
      output: expect.stringMatching(/^Nothing was done\. The call has lost/),
    })
    expect(worked).toBe(0)
  })

  it("reports in its result that it lost its lock and that nothing was undone", async () => {
    const home = folder()
    const { session, log, locks } = await locked(home, { requests: commit, run: () => takenAway(home) })
    await turn(session, "go")
    const ended = (await history(log, session.id)).find(({ type }) => type === "tool.ended")
    expect(ended).toMatchObject({
      outcome: "failed",
      output: expect.stringMatching(/^worked\n\[The call has lost the git_index lock of \/p/),
    })
    expect((await locks.list()).rows).toEqual([])
  })

  it("keeps its result when the lock table breaks while it runs, and reports that the lock is uncertain; its session closes normally", async () => {
    const home = folder()
    const spoil = () => writeFileSync(join(home, "locks.db"), "no database any more ".repeat(1000))
    const { session, log, host } = await locked(home, {
      requests: commit,
      run: () => {
        for (const end of ["", "-wal", "-shm"]) rmSync(join(home, `locks.db${end}`))
        spoil()
      },
    })
    await turn(session, "go")
    const ended = (await history(log, session.id)).find(({ type }) => type === "tool.ended")
    expect(ended).toMatchObject({
      outcome: "failed",
      output: expect.stringMatching(/^worked\n\[(?:It is unknown|The call)/),
    })
    await host.closeSession(session.id)
    expect((await host.opened(session.id)).kind).toBe("refused")
  })

  it("is refused when the lock table cannot be used, and its session stays usable", async () => {
    const home = folder()
    writeFileSync(join(home, "file"), "")
    const { session, log } = await locked(join(home, "file"), { requests: commit })
    expect(await turn(session, "go")).toMatchObject({ reason: "done" })
    const refused = (await history(log, session.id)).find(({ type }) => type === "tool.refused")
    expect(refused).toMatchObject({ by: "locks", reason: expect.stringContaining("cannot be used") })
  })
})

describe("a watcher of a session", () => {
  it("gets a delta for every lock of the home, of any holder", async () => {
    const home = folder()
    const end = gate()
    const worker = await locked(home, { requests: commit, run: () => end.pass() })
    const onlooker = await locked(home, { requests: [] })
    const [own, others] = [deltas(worker.session), deltas(onlooker.session)]
    const done = turn(worker.session, "go")
    await end.arrived
    const { id: holder } = worker.session
    const taken = {
      type: "lock.changed",
      change: "acquired",
      lock: "git_commit",
      scope: "/p",
      holder,
      description: "work: make it",
    }
    expect(own).toContainEqual(expect.objectContaining(taken))
    await expect.poll(() => others).toContainEqual(expect.objectContaining(taken))
    end.open()
    await done
    await expect
      .poll(() => others)
      .toContainEqual(expect.objectContaining({ change: "released", lock: "git_commit", holder }))
  })
})

async function waiting(locks: Locks, count: number): Promise<void> {
  await expect.poll(async () => (await locks.list()).waiting).toHaveLength(count)
}

/** As if its holder had not been heard of for long. */
async function takenAway(home: string): Promise<void> {
  const { DatabaseSync } = await import("node:sqlite")
  const book = new DatabaseSync(join(home, "locks.db"))
  book.exec("update turnhouse_locks set beat_ticks = -1000000")
  book.close()
  const other = await openLocks(home, {}, thisHost("other")).load()
  await other.list()
  await other.close()
}
