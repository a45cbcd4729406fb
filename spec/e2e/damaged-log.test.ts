// A log that was altered or damaged: the damage is named exactly, and other sessions are not affected.
import { copyFileSync, truncateSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { beforeAll, describe, expect, it, type TestContext } from "vitest"
import { complaintOf, expectNoStack, hasStack, noComplaint } from "./complaints.ts"
import { appendEvent, overwritePage, harmEvent, inLog, logFile, pagesOf } from "./damage.ts"
import { inTurn } from "./eventually.ts"
import { endWriter } from "./log-writer.ts"
import { isObject } from "../../src/contract/json-object.ts"
import { object } from "./printed.ts"
import type { Ended } from "./running.ts"
import { idOf, newPlace, sharedPlace, type Place } from "./turnhouse.ts"

const failed = 1

interface Sessions {
  readonly place: Place
  readonly model: string
  /** The one that will be harmed. */
  readonly id: string
  readonly other: string
}

const made = sharedPlace()
let sessions: Omit<Sessions, "place">
beforeAll(async () => {
  const model = made.script([[{ text: "Yes." }], [{ text: "Again." }], [{ text: "Still here." }]])
  await made.run("run", "other", "--model", model)
  await made.run("run", "one", "--model", model)
  await endWriter(made.home)
  const [newest, oldest] = await made.sessions()
  sessions = { model, id: idOf(newest), other: idOf(oldest) }
})

/** A home of its own for each test, with the same two sessions. */
function twoSessions(test: TestContext): Sessions {
  const place = newPlace(test)
  for (const name of ["turnhouse.db", "turnhouse.db-heads", "secret.key"])
    copyFileSync(join(made.home, name), join(place.home, name))
  return { place, ...sessions }
}

/** The seqs that `verify` names for a session. */
async function namedDamage(place: Place, id: string): Promise<readonly unknown[]> {
  const verified = await place.run("verify", "--json")
  expect(verified.code).toBe(failed)
  const { damage } = object(verified.stdout)
  const all = Array.isArray(damage) ? damage.filter(isObject) : []
  expect(new Set(all.map((one) => one["sessionId"]))).toEqual(new Set([id]))
  return all.map((one) => one["seq"])
}

describe.concurrent("an event that was", () => {
  it.for([
    ["altered", 6, "update events set text = replace(text, 'Yes.', 'No!!') where place = ?"],
    ["altered in its first byte", 3, "update events set text = '[' || substr(text, 2) where place = ?"],
    ["given another hash", 4, "update events set hash = substr(hash, 2) || substr(hash, 1, 1) where place = ?"],
    ["removed", 5, "delete from events where place = ?"],
    ["removed at the end", 9, "delete from events where place = ?"],
  ] as const)("%s is named by its number", async ([, seq, sql], test) => {
    const { place, id, other } = twoSessions(test)
    inLog(place, (database) => database.exec("delete from snapshots"))
    harmEvent(place, id, seq, sql)
    const refused = await place.run("run", "go on", "--session", id, "--json")
    const sentence = `Session ${id} is damaged at event ${seq}`
    expect(complaintOf(refused, sentence, "turnhouse verify")).toEqual(noComplaint(failed))
    expect(await namedDamage(place, id)).toContain(seq)
    expect(await place.run("run", "go on", "--session", other)).toMatchObject({ code: 0, stdout: "Again.\n" })
  })

  it("altered is named by every command that reads it, and the other session is shown as ever", async (test) => {
    const { place, id, other } = twoSessions(test)
    harmEvent(place, id, 6, "update events set text = replace(text, 'Yes.', 'No!!') where place = ?")
    const sentence = `Session ${id} is damaged at event 6`
    expect(complaintOf(await place.run("export", id, place.path("out")), sentence)).toEqual(noComplaint(failed))
    const shown = await place.run("log", id)
    expect(shown.code).toBe(failed)
    expect(shown.stderr).toContain(sentence)
    expect((await place.run("verify")).stdout).toContain(`session ${id}, event 6: `)
    expect((await place.run("ls")).stdout).toContain(other.slice(0, 13))
    expect((await place.run("log", other)).code).toBe(0)
  })
})

describe.concurrent("a session", () => {
  it("whose newest events were cut off behind its directory's back is refused", async (test) => {
    const { place, id } = twoSessions(test)
    for (const seq of [6, 7, 8, 9]) harmEvent(place, id, seq, "delete from events where place = ?")
    const cut = await place.run("run", "go on", "--session", id, "--json")
    expect(complaintOf(cut, `Session ${id} is damaged`)).toEqual(noComplaint(failed))
    expect((await namedDamage(place, id)).length).toBeGreaterThan(0)
  })

  it("with an event behind its newest one is refused when it would be written over", async (test) => {
    const { place, id } = twoSessions(test)
    appendEvent(place, id, { v: 1, type: "turn.started", turnId: "trn_stray" })
    inLog(place, (database) => {
      const back =
        "update sessions set seq = seq - 1, head = (select hash from events where text like ?) where session_id = ?"
      database.prepare(back).run('{"seq":9,%"reason":"done"%', id)
    })
    const refused = await place.run("run", "go on", "--session", id, "--json")
    expect(complaintOf(refused, `Session ${id} is damaged`)).toEqual(noComplaint(failed))
  })

  it("whose entry in the directory is missing is named by verify", async (test) => {
    const { place, id } = twoSessions(test)
    inLog(place, (database) => database.prepare("delete from sessions where session_id = ?").run(id))
    expect((await namedDamage(place, id)).length).toBeGreaterThan(0)
    expectNoStack(await place.run("run", "go on", "--session", id))
  })

  it("whose summary is garbage can still be read and continued", async (test) => {
    const { place, id } = twoSessions(test)
    inLog(place, (database) => database.exec("update sessions set summary = '{'"))
    expect((await place.run("ls")).code).toBe(0)
    expect(await place.run("run", "go on", "--session", id)).toMatchObject({ code: 0, stdout: "Again.\n" })
  })

  it("whose snapshot is garbage is read from its events", async (test) => {
    const { place, id } = twoSessions(test)
    inLog(place, (database) => database.exec("update snapshots set value = replace(value, 'a', 'b')"))
    expect(await place.run("run", "go on", "--session", id)).toMatchObject({ code: 0, stdout: "Again.\n" })
  })
})

describe.concurrent("an event of a newer version", () => {
  it.for([
    ["of a known kind", { v: 99, type: "turn.started", turnId: "trn_future" }],
    ["of an unknown kind", { v: 1, type: "moon.landed", by: "somebody" }],
  ] as const)("%s is not guessed at, and not damage", async ([, body], test) => {
    const { place, id, other } = twoSessions(test)
    inLog(place, (database) => database.exec("delete from snapshots"))
    const seq = appendEvent(place, id, body)
    const words = `event ${seq} (${body.type}, version ${body.v}) was written by a newer Turnhouse`
    expect(complaintOf(await place.run("run", "go on", "--session", id, "--json"), words)).toEqual(noComplaint(failed))
    expect(object((await place.run("verify", "--json")).stdout)).toMatchObject({ damage: [], findings: [] })
    expect((await place.run("log", id)).stdout).toContain(`${body.type} (written by a newer Turnhouse)`)
    expect((await place.run("export", id, place.path("newer.ndjson"))).code).toBe(0)
    expect((await place.run("verify", place.path("newer.ndjson"))).code).toBe(0)
    expect((await place.run("run", "go on", "--session", other)).code).toBe(0)
  })

  it("does not keep log from showing everything before it", async (test) => {
    const { place, id } = twoSessions(test)
    appendEvent(place, id, { v: 99, type: "turn.started", turnId: "trn_future" })
    expect(await place.run("log", id)).toMatchObject({ code: 0, stderr: "" })
  })
})

describe.concurrent("a file", () => {
  it("of a newer schema is not touched", async (test) => {
    const { place, id } = twoSessions(test)
    inLog(place, (database) => database.exec("pragma user_version = 99"))
    for (const args of [["ls"], ["log", id], ["verify"], ["run", "hi"], ["stop", id]]) {
      expect(complaintOf(await place.run(...args), "written by a newer Turnhouse (schema 99;")).toEqual(
        noComplaint(failed),
      )
    }
  })

  it("of something else is not touched", async (test) => {
    const place = newPlace(test)
    inLog(place, (database) => database.exec("create table recipes (name text)"))
    expect(complaintOf(await place.run("run", "hi"), "is a database of another program")).toEqual(noComplaint(failed))
  })

  it.for([
    ["is no database", (path: string) => writeFileSync(path, "Dear diary,\n".repeat(1000))],
    ["was cut in the middle of a page", (path: string) => truncateSync(path, 10_000)],
    ["has lost all but its first page", (path: string) => truncateSync(path, 4096)],
  ] as const)("that %s is reported in one line by every command", async ([, harm], test) => {
    const { place, id } = twoSessions(test)
    harm(logFile(place))
    for (const args of [["log", id], ["verify"], ["run", "hi", "--json"], ["stop", id]]) {
      const ended = await place.run(...args)
      expectNoStack(ended)
      expect(ended.code).toBeGreaterThan(0)
    }
  })
})

describe.concurrent("a page of the file that is garbage", () => {
  it.for(Array.from({ length: 14 }, (_, index) => index + 1))("(%i) is never met with a stack", async (page, test) => {
    const { place, model } = twoSessions(test)
    overwritePage(place, page)
    const commands = [["verify"], ["run", "hi", "--model", model]]
    const ended = await inTurn(commands, 2, (args) => place.run(...args))
    const bad = ended.filter((one) => hasStack(one) || one.code > 1 || (one.code === 1 && hasNoOutput(one)))
    expect(bad.map(({ code, stderr }) => ({ code, stderr }))).toEqual([])
  })

  it("may be any of them", (test) => {
    expect(pagesOf(twoSessions(test).place)).toBeGreaterThanOrEqual(14)
  })
})

function hasNoOutput({ stdout, stderr }: Ended): boolean {
  return stdout === "" && !/^turnhouse: [^\n]+$/m.test(stderr)
}
