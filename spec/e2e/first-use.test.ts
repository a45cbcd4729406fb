// First use of the program: one prompt, and the commands that show the session afterwards.
import { existsSync, readdirSync, statSync } from "node:fs"
import { join } from "node:path"
import { beforeAll, describe, expect, it } from "vitest"
import { eventLines, isEventLine, json, object, objects, typesIn } from "./printed.ts"
import type { Ended } from "./running.ts"
import { newPlace, sharedPlace, type Place } from "./turnhouse.ts"

const question = "read package.json and tell me the name"
const ask = ["run", question, "--model", "offline/demo:0"]

function withPackage(place: Place): Place {
  place.write("package.json", '{ "name": "first-package", "version": "1.2.3" }')
  return place
}

describe("the first prompt", () => {
  const place = sharedPlace({ bare: true })
  let answered: Ended
  beforeAll(async () => void (answered = await withPackage(place).run("run", question)))

  it("is answered without a key, a home or a configuration", () => {
    const { code, stdout, stderr } = answered
    expect(stderr).toContain("→ read package.json")
    expect(stdout).toContain("offline demo")
    expect(stdout).toContain("first-package")
    expect(code).toBe(0)
  })

  it("leaves nothing behind in the folder", () => {
    expect(readdirSync(place.folder)).toEqual(["package.json"])
  })

  it("creates a home that only its owner can open", () => {
    const modeOf = (path: string) => statSync(path).mode & 0o777
    expect(modeOf(place.home)).toBe(0o700)
    expect(modeOf(join(place.home, "turnhouse.db"))).toBe(0o600)
    expect(modeOf(join(place.home, "secret.key"))).toBe(0o600)
    expect(existsSync(join(place.root, "user", ".turnhouse"))).toBe(false)
  })
})

describe.concurrent("without TURNHOUSE_HOME", () => {
  it("the home is below the user's", async (test) => {
    const place = withPackage(newPlace(test))
    const { code } = await place.start(ask, { env: { TURNHOUSE_HOME: "" } }).ended
    expect(code).toBe(0)
    expect(existsSync(join(place.root, "user", ".turnhouse", "turnhouse.db"))).toBe(true)
  })
})

describe("run --json", () => {
  const place = sharedPlace()
  let answered: Ended
  beforeAll(async () => void (answered = await withPackage(place).run(...ask, "--json")))

  it("prints only lines of JSON: events with a rising seq, deltas with none", () => {
    const { code, stdout, lines } = answered
    expect(code).toBe(0)
    expect(stdout.endsWith("\n")).toBe(true)
    const seqs = lines.filter(({ text }) => isEventLine(text)).map(({ text }) => Number(object(text)["seq"]))
    expect(seqs.length).toBeGreaterThan(10)
    expect(seqs).toEqual(seqs.toSorted((one, other) => one - other))
    expect(new Set(seqs).size).toBe(seqs.length)
    const deltas = lines.filter(({ text }) => !isEventLine(text)).map(({ text }) => String(object(text)["type"]))
    const said = deltas.filter((type) => type !== "presence.changed") // told when it lasts long enough
    expect(new Set(said)).toEqual(new Set(["text.delta", "reasoning.delta", "tool-input.delta"]))
    expect(typesIn(stdout).at(-1)).toBe("turn.ended")
  })

  it("prints every event of a new session, so that the reader knows which session it is", async () => {
    const { stdout } = answered
    expect(eventLines(stdout)).toEqual(eventLines(await place.log(await place.newest())))
  })

  it("keeps what people read off stdout, and colours off both", () => {
    const { stdout, stderr } = answered
    expect(stdout).not.toContain("\u001b")
    expect(stderr).toBe("")
  })
})

describe.concurrent("afterwards", () => {
  it("ls shows the session, for people and for programs", async (test) => {
    const place = withPackage(newPlace(test))
    expect((await place.run("ls")).stdout).toContain("No sessions yet")
    expect(json((await place.run("ls", "--json")).stdout)).toEqual([])
    await place.run(...ask)
    const people = await place.run("ls")
    const [head, row] = people.stdout.split("\n")
    expect(head).toMatch(/^ID +STATE +OPEN IN +ACTIVE +COST +MODEL +FOLDER +TITLE$/)
    expect(row).toMatch(/^[0-9a-f-]{13} +closed +- +just now +\$0\.00 +offline\/demo:0 +…\S+\/folder +read/)
    const [session] = objects((await place.run("ls", "--json")).stdout)
    expect(session).toMatchObject({ activity: "idle", turns: 1, title: question, cwd: place.folder, life: "open" })
    expect(people.stdout).toContain(String(session?.["id"]).slice(0, 13))
  })

  it("log shows every fact, one a line, by any beginning of the id", async (test) => {
    const place = withPackage(newPlace(test))
    await place.run(...ask)
    const id = await place.newest()
    const people = await place.run("log", id.slice(0, 13))
    const stored = await place.log(id)
    expect(people.lines).toHaveLength(eventLines(stored).length)
    expect(people.stdout).toMatch(/^ +1 {2}\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d{3} {2}session\.created/)
    expect(people.stdout).toContain("first-package")
    expect(typesIn(stored)[0]).toBe("session.created")
    const tail = await place.run("log", id, "--json", "--after", "3")
    expect(eventLines(tail.stdout)).toEqual(eventLines(stored).slice(3))
  })

  it("a second prompt continues the session", async (test) => {
    const place = withPackage(newPlace(test))
    await place.run(...ask)
    const again = await place.run("run", "--continue", "read package.json and tell me the version")
    expect(again.stdout).toContain("1.2.3")
    expect(again.code).toBe(0)
    expect(await place.sessions()).toHaveLength(1)
  })

  it("stop ends the session; a later question opens it again", async (test) => {
    const place = withPackage(newPlace(test))
    await place.run(...ask)
    const id = await place.newest()
    expect(await place.run("stop", id)).toMatchObject({ code: 0, stdout: `session ${id} has ended\n`, stderr: "" })
    expect((await place.run("ls", "--all")).stdout).toMatch(/[0-9a-f-]{13} +ended/)
    expect(object((await place.run("stop", id, "--json")).stdout)).toEqual({ id, life: "ended", descendants: 0 })
    expect((await place.run(...ask, "-s", id)).code).toBe(0)
    expect(typesIn(await place.log(id))).toContain("session.reopened")
    expect((await place.run("ls")).stdout).toMatch(/[0-9a-f-]{13} +closed/)
  })
})
