// Prompts that are too long, not text, empty, or never arrive.
import { describe, expect, it } from "vitest"
import { limits } from "../../src/contract/limits.ts"
import { complaintOf, noComplaint } from "./complaints.ts"
import { eventLines, eventsOf } from "./printed.ts"
import { newPlace, openInput, type Place } from "./turnhouse.ts"

const usage = 2

function answering(place: Place): string {
  return place.script([[{ text: "Yes." }], [{ text: "Again." }]])
}

describe.concurrent("a prompt on standard input", () => {
  it("is taken whole, also when it is as long as it may be", async (test) => {
    const place = newPlace(test)
    const input = `${"ä".repeat(limits.promptBytes / 2 - 1)}\n\n`
    const { code, stdout } = await place.start(["run", "--model", answering(place)], { input }).ended
    expect({ code, stdout }).toEqual({ code: 0, stdout: "Yes.\n" })
    const [admitted] = eventsOf(await place.log(await place.newest()), "prompt.admitted")
    expect(admitted?.text).toBe(input.trimEnd())
  })

  it("of 10 MB is refused with both numbers, and shows no session", async (test) => {
    const place = newPlace(test)
    const input = Buffer.alloc(10_000_000, "x")
    const refused = await place.start(["run", "--json", "--model", answering(place)], { input }).ended
    expect(complaintOf(refused, "10000000 bytes", String(limits.promptBytes), "into a file")).toEqual(
      noComplaint(usage),
    )
    expect((await place.run("ls")).stdout).toContain("No sessions yet")
    expect((await place.run("verify")).code).toBe(0)
  })

  it("of 10 MB does no harm to the session it was meant for", async (test) => {
    const place = newPlace(test)
    await place.run("run", "hello", "--model", answering(place))
    const id = await place.newest()
    const before = eventLines(await place.log(id))
    const refused = await place.start(["run", "--json", "-s", id], { input: Buffer.alloc(10_000_000, "x") }).ended
    expect(complaintOf(refused, "10000000 bytes")).toEqual(noComplaint(usage))
    expect(eventLines(await place.log(id))).toEqual(before)
    expect(await place.run("run", "hello", "-s", id)).toMatchObject({ code: 0, stdout: "Again.\n" })
  })

  it("that never ends is refused with a message", async (test) => {
    const place = newPlace(test)
    const line = `yes | "$0" run --model ${answering(place)}`
    const endless = await place.startOther("/bin/sh", ["-c", line.replace("$0", place.program)]).ended
    expect(complaintOf(endless, "standard input")).toEqual(noComplaint(usage))
  })

  it("that is not UTF-8 is refused, and no session is created", async (test) => {
    const place = newPlace(test)
    const input = Buffer.from([0x68, 0x69, 0xff, 0xfe, 0x0a])
    const refused = await place.start(["run", "--json", "--model", answering(place)], { input }).ended
    expect(complaintOf(refused, "not valid UTF-8")).toEqual(noComplaint(usage))
    expect(await place.sessions()).toEqual([])
  })

  it("is added to the one in the arguments", async (test) => {
    const place = newPlace(test)
    for (const last of [[], ["-"]]) {
      const args = ["run", "look", "at this", ...last, "--model", answering(place)]
      expect((await place.start(args, { input: "one\ntwo\n" }).ended).code).toBe(0)
      const [admitted] = eventsOf(await place.log(await place.newest()), "prompt.admitted")
      expect(admitted?.text).toBe("look at this\n\none\ntwo")
    }
  })

  it("is ignored if it is open and silent and there are arguments", async (test) => {
    const place = newPlace(test)
    const running = place.start(["run", "hello", "--model", answering(place)], { input: openInput })
    const { code, stdout, stderr } = await running.ended
    expect({ code, stdout }).toEqual({ code: 0, stdout: "Yes.\n" })
    expect(stderr).toContain("open but silent")
  })

  it("is read to its end without arguments", async (test) => {
    const place = newPlace(test)
    const running = place.start(["run", "hello", "-", "--model", answering(place)], { input: openInput })
    running.write("wor")
    running.endInput("ld")
    expect((await running.ended).code).toBe(0)
    const [admitted] = eventsOf(await place.log(await place.newest()), "prompt.admitted")
    expect(admitted?.text).toBe("hello\n\nworld")
  })
})

describe.concurrent("a prompt that is empty", () => {
  it.for([[["run"]], [["run", ""]], [["run", "  \n\t "]], [["run", "-"]]])("is refused: %j", async ([args], test) => {
    const place = newPlace(test)
    expect(complaintOf(await place.run(...(args ?? []), "--json"), /prompt/)).toEqual(noComplaint(usage))
    expect((await place.run("ls")).stdout).toContain("No sessions yet")
  })

  it("prints the last answer again in a session that has no open turn", async (test) => {
    const place = newPlace(test)
    const first = await place.run("run", "hello", "--model", answering(place))
    expect(await place.run("run", "--continue")).toMatchObject({ code: 0, stdout: first.stdout })
  })

  it("is refused in a session that has had no turn", async (test) => {
    const place = newPlace(test)
    const { stdout } = await place.run("new")
    const refused = await place.run("run", "--session", stdout.trim(), "--json")
    expect(complaintOf(refused, "has no turn yet")).toEqual(noComplaint(usage))
  })
})
