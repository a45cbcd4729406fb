// Conformance cases 40 to 49: locks that viewers take for their agents, between processes that share one home.
import { execFileSync, spawn } from "node:child_process"
import { once } from "node:events"
import { mkdirSync, realpathSync, symlinkSync, writeFileSync } from "node:fs"
import { hostname } from "node:os"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { beforeAll, describe, expect, it } from "vitest"
import { sharedPlace } from "../e2e/turnhouse.ts"
import { newAgent, startAgent, allowAllTools, type AgentProcess } from "./agents.ts"
import type { Frame, FrameOf, RawViewer } from "./raw-viewer.ts"

const types =
  "build test build_test git_index git_commit git_remote_write git_remote_merge git_branch git_destructive".split(" ")
/** Rows hold, columns request; X is refused. */
const table = `
  X . X . . . X X X
  . X X . . . X X X
  X X X . . . X X X
  . . . X X . X X X
  . . . X X . X X X
  . . . . . X . . .
  X X X X X . X X X
  X X X X X . X X X
  X X X X X . X X X`
  .trim()
  .split("\n")
  .map((line) => line.trim().split(" "))

const notHeld = { type: "error", message: "Lock not held", fatal: false }
const model = ["--model", "offline/demo:0"]
const place = sharedPlace()
let one: AgentProcess
let two: AgentProcess
beforeAll(async () => {
  place.config(allowAllTools)
  ;[one, two] = await Promise.all([startAgent(place, model), startAgent(place, model)])
})

function acquire(resource_type: string, scope: string, description = "make") {
  return { type: "acquire_lock", resource_type, scope, description }
}
function release(resource_type: string, scope: string) {
  return { type: "release_lock", resource_type, scope }
}

function ask(viewer: RawViewer, ...args: Parameters<typeof acquire>): Promise<FrameOf<"lock_result">> {
  return viewer.ask("lock_result", acquire(...args))
}

async function releaseLock(viewer: RawViewer, ...held: Parameters<typeof release>): Promise<void> {
  await viewer.ask("lock_released", release(...held))
}

describe("two agents", () => {
  it.for(["build", "git_commit"])("40: race for %s 200 times, and each time exactly one wins", async (type, test) => {
    const viewers = [await one.viewer(test), await two.viewer(test)]
    for (let round = 0; round < 200; round++) {
      const results = await Promise.all(viewers.map((viewer) => ask(viewer, type, "/race")))
      const winner = results.findIndex(({ success }) => success)
      const loser = results[1 - winner]
      expect(loser).toMatchObject({ success: false, error: "Lock held by another agent" })
      expect(loser?.blocking_agent).toBe([one.id, two.id][winner])
      const held = viewers[winner]
      if (held !== undefined) await releaseLock(held, type, "/race")
    }
  })

  it("41: all 81 pairs between them follow the table, and within one agent nothing is refused", async (test) => {
    const [holder, other] = [await one.viewer(test), await two.viewer(test)]
    const seen: string[][] = []
    for (const held of types) {
      await ask(holder, held, "/pairs")
      const row: string[] = []
      for (const args of types) {
        expect(await ask(holder, args, "/pairs")).toMatchObject({ success: true })
        if (args !== held) await releaseLock(holder, args, "/pairs")
        const { success } = await ask(other, args, "/pairs")
        row.push(success ? "." : "X")
        if (success) await releaseLock(other, args, "/pairs")
      }
      seen.push(row)
      await releaseLock(holder, held, "/pairs")
    }
    expect(seen).toEqual(table)
  })

  it("42: scopes overlap by whole names of folders, through links, and everywhere", async (test) => {
    const [holder, other] = [await one.viewer(test), await two.viewer(test)]
    const real = join(realpathSync(place.folder), "project")
    mkdirSync(join(real, "sub"), { recursive: true })
    symlinkSync(real, place.path("link"))
    await ask(holder, "build", real)
    const args = [
      real,
      `${real}/`,
      `${real}/sub`,
      `${real}/sub/../../project`,
      place.path("link"),
      "/",
      "Global",
      `${real}x`,
      "project",
    ]
    const got: boolean[] = []
    for (const scope of args) got.push((await ask(other, "build", scope)).success)
    expect(got).toEqual([false, false, false, false, false, false, false, true, true])
    expect((await ask(other, "build", `${real}/`)).scope).toBe(`${real}/`)
    await releaseLock(holder, "build", real)
    for (const scope of [`${real}x`, "project"]) await releaseLock(other, "build", scope)
  })

  it("accept a scope that is not a path, up to a length", async (test) => {
    const viewer = await one.viewer(test)
    for (const scope of ["", " ", "a\0b", "/a\0b", "é".repeat(1000), "../".repeat(1000), "'; drop table locks; --"]) {
      expect(await ask(viewer, "build", scope)).toMatchObject({ success: true, scope })
      await releaseLock(viewer, "build", scope)
    }
    const long = "/a".repeat(5000)
    expect(await ask(viewer, "build", long)).toMatchObject({ success: false, error: expect.stringContaining("4096") })
    expect(await viewer.ask("error", release("build", long))).toEqual(notHeld)
  })

  it("report the other agent's locks to their own viewers", async (test) => {
    const [holder, onlooker] = [await one.viewer(test), await two.viewer(test)]
    await ask(holder, "test", "/reported", "unit tests")
    const lock = { agent_id: one.id, resource_type: "test", scope: "/reported" }
    const from = onlooker.frames.length
    await changed(onlooker, "acquired", { ...lock, description: "unit tests", status: "active" })
    await releaseLock(holder, "test", "/reported")
    const reported = changed(onlooker, "released", { ...lock, description: "", status: "released" }, from)
    expect(await reported).toMatchObject({ lock: { held_for_secs: expect.any(Number) } })
  })
})

function changed(viewer: RawViewer, change: string, lock: object, after = 0): Promise<Frame> {
  const fits = (frame: Frame) =>
    frame.type === "lock_changed" &&
    frame.change === change &&
    Object.entries(lock).every(([name, value]) =>
      Object.entries(frame.lock).some(([key, actual]) => key === name && actual === value),
    )
  return viewer.until(`lock_changed ${change} ${JSON.stringify(lock)}`, fits, after)
}

describe("viewers of one agent", () => {
  it("43: share its locks; one that releases a lock releases it for all", async (test) => {
    const [first, second] = [await one.viewer(test), await one.viewer(test)]
    expect(await ask(first, "build", "/shared", "the first")).toMatchObject({ success: true })
    expect(await ask(second, "build", "/shared", "the second")).toMatchObject({ success: true })
    const { locks } = await first.ask("lock_status", { type: "query_locks", scope: "/shared" })
    expect(locks).toMatchObject([{ agent_id: one.id, description: "the first" }])
    await releaseLock(second, "build", "/shared")
    expect(await first.ask("error", release("build", "/shared"))).toEqual(notHeld)
  })

  it("44: one that is killed loses its lock after a while, one that detaches keeps it", async (test) => {
    const [killed, onlooker, polite] = [await one.viewer(test), await one.viewer(test), await one.viewer(test)]
    await ask(killed, "build", "/killed")
    await ask(polite, "build", "/polite")
    const from = onlooker.frames.length
    killed.socket.destroy()
    await polite.send({ type: "detach", exit_when_done: false })
    await changed(onlooker, "released", { scope: "/killed" }, from)
    const { locks } = await onlooker.ask("lock_status", { type: "query_locks", scope: "/polite" })
    expect(locks).toHaveLength(1)
    await releaseLock(onlooker, "build", "/polite")
  })

  it("one that is killed does not release a lock that another viewer took by another path", async (test) => {
    const [killed, other] = [await one.viewer(test), await one.viewer(test)]
    await ask(killed, "build", "/two-names")
    await ask(other, "build", "/two-names/")
    await ask(killed, "build", "/alone")
    const from = other.frames.length
    killed.socket.destroy()
    await changed(other, "released", { scope: "/alone" }, from)
    const { locks } = await other.ask("lock_status", { type: "query_locks", scope: "/two-names" })
    expect(locks).toHaveLength(1)
    await releaseLock(other, "build", "/two-names/")
  })

  it("48: the list is filtered by scope; a status is stored and listed", async (test) => {
    const [holder, other] = [await one.viewer(test), await two.viewer(test)]
    for (const scope of ["/list", "/list/sub", "/listed"]) await ask(holder, "git_index", scope, `for ${scope}`)
    const listed = async (scope?: string | null) =>
      (await other.ask("lock_status", { type: "query_locks", scope })).locks.map((lock) => lock.scope)
    expect(await listed()).toEqual(expect.arrayContaining(["/list", "/list/sub", "/listed"]))
    expect(await listed("/list")).toEqual(["/list", "/list/sub"])
    expect(await listed("/list/")).toEqual(["/list", "/list/sub"])
    expect(await listed("/nothing")).toEqual([])
    const status = { type: "update_lock_status", resource_type: "git_index", scope: "/list", status: "50%" }
    expect(await other.ask("error", status)).toEqual(notHeld)
    const from = holder.frames.length
    await holder.send(status)
    const reported = await changed(
      holder,
      "acquired",
      { scope: "/list", status: "50%", description: "for /list" },
      from,
    )
    const acknowledged = await holder.ack("update_lock_status", from)
    expect(holder.frames.indexOf(reported)).toBeLessThan(holder.frames.indexOf(acknowledged))
    for (const scope of ["/list", "/list/sub", "/listed"]) await releaseLock(holder, "git_index", scope)
  })
})

describe("a lock holder that has exited", () => {
  it("45: by kill frees its lock at once, and viewers of other agents see that it was lost", async (test) => {
    const victim = await startAgent(place, model)
    const [holder, other] = [await victim.viewer(test), await two.viewer(test)]
    await ask(holder, "build", "/victim", "make all")
    await changed(other, "acquired", { agent_id: victim.id, scope: "/victim" })
    process.kill(victim.pid, "SIGKILL")
    await victim.running.ended
    await changed(other, "stale", { agent_id: victim.id, scope: "/victim", description: "make all" })
    expect(await ask(other, "build", "/victim")).toMatchObject({ success: true })
    await releaseLock(other, "build", "/victim")
  })

  it("releases its locks when its session ends", async (test) => {
    const leaving = await startAgent(place, model)
    const [holder, other] = [await leaving.viewer(test), await two.viewer(test)]
    await ask(holder, "build", "/leaving")
    await changed(other, "acquired", { scope: "/leaving" })
    await holder.send({ type: "exit" })
    expect(await changed(other, "released", { scope: "/leaving" })).toMatchObject({ lock: { agent_id: leaving.id } })
  })

  it("46, 49: of another program is respected while its process lives", async (test) => {
    const other = spawn("sleep", ["1000"])
    test.onTestFinished(() => void other.kill("SIGKILL"))
    const viewer = await one.viewer(test)
    const put = (type: string, scope: string, pid: number, expires: number | null = null, host = hostname()) =>
      withLockDatabase((book) =>
        book
          .prepare("insert into locks values (?, ?, ?, 'rusty', ?, ?, ?, ?)")
          .run(`${type}:${scope}`, type, scope, pid, Date.now(), expires, host),
      )
    put("build", "/rust", other.pid ?? 0)
    put("build", "/elsewhere", 4_000_000, null, "another-machine")
    put("build", "/expired", 1, Date.now() - 1)
    put("build", "/not-ours", 1) // of root, or at least of a live process
    put("file_write", "/rust-file/src/a.rs", other.pid ?? 0)
    const rusty = { success: false, blocking_agent: "rusty" }
    expect(await ask(viewer, "build", "/rust")).toMatchObject(rusty)
    expect(await ask(viewer, "build", "/elsewhere")).toMatchObject(rusty)
    expect(await ask(viewer, "build", "/not-ours")).toMatchObject(rusty)
    expect(await ask(viewer, "build", "/rust-file")).toMatchObject(rusty)
    expect(await ask(viewer, "build", "/expired")).toMatchObject({ success: true })
    other.kill("SIGKILL")
    await once(other, "exit")
    expect(await ask(viewer, "build", "/rust")).toMatchObject({ success: true })
    const row = withLockDatabase((book) => book.prepare("select * from locks where lock_id = 'build:/rust'").get())
    expect(row).toMatchObject({ lock_type: "build", resource_path: "/rust", agent_id: one.id, process_id: one.pid })
    for (const scope of ["/rust", "/expired"]) await releaseLock(viewer, "build", scope)
    withLockDatabase((book) => book.exec("delete from locks where agent_id = 'rusty'"))
  })

  it("46: is not a process that has reused the pid", async (test) => {
    const viewer = await one.viewer(test)
    await ask(viewer, "build", "/reused")
    withLockDatabase((book) => book.exec("update turnhouse_locks set start_time = '1' where lock_id = 'build:/reused'"))
    expect(await ask(await two.viewer(test), "build", "/reused")).toMatchObject({ success: true })
    expect(await viewer.ask("error", release("build", "/reused"))).toEqual(notHeld)
  })
})

function withLockDatabase<Value>(use: (book: DatabaseSync) => Value): Value {
  const book = new DatabaseSync(join(place.home, "locks.db"), { timeout: 5000 })
  try {
    return use(book)
  } finally {
    book.close()
  }
}

describe("47: a lock database that cannot be used", () => {
  it.for([
    ["damaged", (path: string) => writeFileSync(path, "no database, but long enough to be looked at".repeat(100))],
    ["a folder", (path: string) => mkdirSync(path)],
  ] as const)("because it is %s gives an error, and the agent survives", async ([, spoil], test) => {
    const agent = await newAgent(test, [])
    spoil(join(agent.place.home, "locks.db"))
    const viewer = await agent.viewer(test)
    const { success, error } = await ask(viewer, "build", "/p")
    expect([success, error]).toEqual([false, expect.stringContaining("Lock acquisition failed: ")])
    expect((await viewer.sync()).session_id).toBe(agent.id)
  })

  it("because another process has it locked gives an error after 5 s, and the agent answers meanwhile", async (test) => {
    const holder = new DatabaseSync(join(place.home, "locks.db"))
    holder.exec("begin immediate")
    const [viewer, onlooker] = [await one.viewer(test), await one.viewer(test)]
    const request = ask(viewer, "build", "/locked")
    expect((await onlooker.sync()).session_id).toBe(one.id)
    const { success, error } = await request
    holder.exec("rollback")
    holder.close()
    expect([success, error]).toEqual([false, expect.stringContaining("keeps")])
    expect(await ask(viewer, "build", "/locked")).toMatchObject({ success: true })
    await releaseLock(viewer, "build", "/locked")
  })

  it("is created anew when it was deleted", async (test) => {
    const [viewer, other] = [await one.viewer(test), await two.viewer(test)]
    await ask(viewer, "build", "/before")
    execFileSync("sh", ["-c", `rm -rf ${join(place.home, "locks.db")}*`, "rm"], { stdio: "ignore" })
    expect(await ask(other, "build", "/before")).toMatchObject({ success: true })
    expect(await ask(viewer, "build", "/before")).toMatchObject({ success: false, blocking_agent: two.id })
  })
})
