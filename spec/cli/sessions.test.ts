// Sessions that are created, forked and shown without a turn.
import { mkdirSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { eventLines, eventsIn, eventsOf, object } from "../e2e/printed.ts"
import { idOf, newPlace, type Place } from "../e2e/turnhouse.ts"
import { leavePendingApproval } from "./asking.ts"

async function createConversation(place: Place): Promise<string> {
  const { code } = await place.run("run", "hi", "--model", place.script([[{ text: "Hello." }], [{ text: "Again." }]]))
  expect(code).toBe(0)
  return place.newest()
}

describe.concurrent("new", () => {
  it("prints the id of a session that can be used by id and by name", async (test) => {
    const place = newPlace(test)
    const { code, stdout } = await place.run("new", "--json", "--name", "my work", "--model", "offline/demo:0")
    expect(code).toBe(0)
    const { id } = object(stdout)
    expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f-]+$/)
    expect(Object.keys(object(stdout))).toEqual(["id"])
    expect((await place.run("run", "--session", "my work", "help")).code).toBe(0)
    expect(idOf((await place.sessions())[0])).toBe(id)
    const again = await place.run("new", "--name", "my work")
    expect(again.code).toBe(2)
    expect(again.stderr).toBe(`turnhouse: session ${String(id)} is already named 'my work'. Choose another name.\n`)
  })

  it("--cwd sets the folder, whose trusted configuration applies", async (test) => {
    const place = newPlace(test)
    const other = join(place.root, "other")
    mkdirSync(other)
    writeFileSync(join(other, "turnhouse.json"), '{ "system": "Be brief." }')
    await place.run("trust", other)
    const { stdout } = await place.run("new", "--cwd", other)
    const [created] = eventsOf(await place.log(stdout.trim()), "session.created")
    expect(created).toMatchObject({ cwd: other, system: "Be brief.", origin: "new", preset: "careful" })
    const wrong = await place.run("new", "--cwd", join(other, "nowhere"))
    expect(wrong).toMatchObject({ code: 2, stdout: "" })
  })
})

describe.concurrent("fork", () => {
  it("has the whole history under a new id, and both sessions continue independently", async (test) => {
    const place = newPlace(test)
    const source = await createConversation(place)
    const before = await place.log(source)
    const { code, stdout } = await place.run("fork", source, "--json")
    expect(code).toBe(0)
    const id = String(object(stdout)["id"])
    const [created, ...rest] = eventsIn(await place.log(id))
    expect(created?.event).toMatchObject({ type: "session.created", sessionId: id, origin: "fork" })
    expect(rest.map(({ event }) => event)).toEqual(
      eventsIn(before)
        .slice(1)
        .map(({ event }) => event),
    )
    expect(await place.run("run", "--session", id, "and now?")).toMatchObject({ code: 0, stdout: "Again.\n" })
    expect(await place.log(source)).toBe(before)
    expect((await place.run("verify")).code).toBe(0)
    expect(idOf((await place.sessions())[0])).toBe(id)
  })

  it("--at forks at an earlier event, and names the nearest one if a turn was open there", async (test) => {
    const place = newPlace(test)
    const source = await createConversation(place)
    const middle = await place.run("fork", source, "--at", "4")
    expect(middle.code).toBe(2)
    expect(middle.stderr).toContain("in the middle of a turn at event 4. The nearest earlier point is --at 1")
    const early = await place.run("fork", source, "--at", "1")
    expect(eventLines(await place.log(early.stdout.trim()))).toHaveLength(1)
    expect((await place.run("fork", source, "--at", "999")).stderr).toContain("--at: use the number of an event")
  })

  it("of a session with a pending request is possible only before its turn", async (test) => {
    const place = newPlace(test)
    const { sessionId } = await leavePendingApproval(place)
    const { code, stderr } = await place.run("fork", sessionId)
    expect(code).toBe(2)
    expect(stderr).toContain("The nearest earlier point is --at 1")
  })
})

describe.concurrent("replay", () => {
  it("shows an exported conversation without a home", async (test) => {
    const place = newPlace(test)
    const source = await createConversation(place)
    await place.run("export", source, place.path("session.ndjson"))
    rmSync(place.home, { recursive: true })
    const { code, stdout, stderr } = await place.run("replay", "session.ndjson")
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" })
    expect(stdout).toContain(`session ${source}, `)
    expect(stdout).toContain("chain intact")
    expect(stdout).toMatch(/:\nhi\n\nassistant:\nHello\.\n$/)
    const { items, intact } = object((await place.run("replay", "session.ndjson", "--json")).stdout)
    expect(intact).toBe(true)
    expect(items).toMatchObject([
      { kind: "user", text: "hi" },
      { kind: "assistant", text: "Hello." },
    ])
    const piped = place.start(["replay", "-"], { input: place.read("session.ndjson") })
    expect((await piped.ended).stdout).toBe(stdout)
  })

  it("shows a changed file with a warning", async (test) => {
    const place = newPlace(test)
    const source = await createConversation(place)
    await place.run("export", source, place.path("session.ndjson"))
    place.write("changed.ndjson", place.read("session.ndjson").replace("Hello.", "Goodbye."))
    const { code, stdout, stderr } = await place.run("replay", "changed.ndjson")
    expect(code).toBe(1)
    expect(stderr).toContain("changed.ndjson cannot be trusted: line")
    expect(stdout).toContain("Goodbye.")
    place.write("other.txt", "hello")
    const other = await place.run("replay", "other.txt")
    expect(other).toMatchObject({ code: 1, stdout: "" })
    expect(other.stderr).toMatch(/^turnhouse: other\.txt is not a readable export: [^\n]+\n$/)
  })
})
