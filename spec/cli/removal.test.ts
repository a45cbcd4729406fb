// `rm` and `prune` delete sessions completely, and no other session.
import { describe, expect, it } from "vitest"
import { object } from "../e2e/printed.ts"
import { idOf, newPlace, program, type Place } from "../e2e/turnhouse.ts"
import { runUntilApproval } from "./asking.ts"

const words = "words that stand nowhere else"

async function createConversation(place: Place, prompt = words): Promise<string> {
  await place.run("run", prompt, "--model", place.script([[{ text: "Hello." }]]))
  return place.newest()
}

async function idsIn(place: Place): Promise<readonly string[]> {
  return (await place.sessions()).map(idOf)
}

describe.concurrent("rm", () => {
  it("deletes the named sessions only", async (test) => {
    const place = newPlace(test)
    const first = await createConversation(place)
    const second = await createConversation(place, "other")
    expect(await place.run("rm", first, "--yes")).toMatchObject({ code: 0, stdout: `deleted ${first}\n`, stderr: "" })
    expect(await idsIn(place)).toEqual([second])
    expect((await place.run("verify")).code).toBe(0)
    expect(await place.run("log", first)).toMatchObject({ code: 2 })
  })

  it("without a terminal needs --yes, and finds every name before it deletes any", async (test) => {
    const place = newPlace(test)
    const id = await createConversation(place)
    const silent = await place.run("rm", id)
    expect(silent).toMatchObject({ code: 2, stdout: "" })
    expect(silent.stderr).toContain("Use --yes.")
    expect(await place.run("rm", id, "nowhere-to-be-found", "--yes")).toMatchObject({ code: 2, stdout: "" })
    expect(await place.run("rm", "--yes")).toMatchObject({ code: 2, stdout: "" })
    expect(await idsIn(place)).toEqual([id])
  })

  it("asks at a terminal, and deletes only after a yes", async (test) => {
    const place = newPlace(test)
    const id = await createConversation(place)
    const declined = place.onTerminal(`${program} rm ${id}`)
    await declined.prints("Delete 1 session permanently? [y/N]")
    declined.write("\r")
    expect((await declined.ended).code).toBe(3)
    expect(await idsIn(place)).toEqual([id])
    const agreed = place.onTerminal(`${program} rm ${id}`)
    await agreed.prints("[y/N]")
    agreed.write("yes\r")
    expect((await agreed.ended).code).toBe(0)
    expect(await idsIn(place)).toEqual([])
  })

  it("deletes nothing if one of the sessions is open", async (test) => {
    const place = newPlace(test)
    const other = await createConversation(place, "other")
    const { sessionId, running } = await runUntilApproval(place)
    const { code, stderr, stdout } = await place.run("rm", other, sessionId, "--yes")
    expect({ code, stdout }).toEqual({ code: 4, stdout: "" })
    expect(stderr).toContain(`is open in another process (run, pid ${running.pid})`)
    expect(await idsIn(place)).toContain(other)
  })
})

describe.concurrent("prune", () => {
  it("deletes idle sessions, lists them with --dry-run, and skips open ones", async (test) => {
    const place = newPlace(test)
    const id = await createConversation(place)
    const { sessionId } = await runUntilApproval(place)
    expect((await place.run("prune", "--older", "1h", "--yes")).stdout).toBe("no session has been idle for 1h\n")
    const preview = await place.run("prune", "--older", "0s", "--dry-run")
    expect(preview.code).toBe(0)
    expect(preview.stdout).toContain(`${id}  just now  ${words}\n1 session would be deleted\n`)
    expect(object((await place.run("prune", "--older", "0s", "--yes", "--json")).stdout)).toEqual({ deleted: [id] })
    expect(await idsIn(place)).toEqual([sessionId])
  })

  it.for([
    [["prune"], "--older is missing"],
    [["prune", "--older", "90"], "--older needs a unit"],
    [["prune", "--older", "soon"], "--older: 'soon' is not a time"],
  ] as const)("%o is refused with one line and exit code 2", async ([args, why], test) => {
    const { code, stderr } = await newPlace(test).run(...args, "--yes")
    expect(code).toBe(2)
    expect(stderr).toMatch(/^turnhouse: [^\n]+\n$/)
    expect(stderr).toContain(why)
  })
})
