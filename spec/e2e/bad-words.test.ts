// Command lines with unknown, missing or contradictory arguments, and names that match no session or several.
import { describe, expect, it } from "vitest"
import { complaintOf, noComplaint } from "./complaints.ts"
import { newPlace, sharedPlace } from "./turnhouse.ts"

const usage = 2

describe("the command line", () => {
  const place = sharedPlace()

  it.concurrent.for<[readonly string[], RegExp]>([
    [["rnu"], /unknown command 'rnu'\. Did you mean 'run'\?/],
    [["xyzzy"], /unknown command 'xyzzy'\. 'turnhouse --help' lists the commands/],
    [["help", "verfiy"], /Did you mean 'verify'\?/],
    [["run", "hi", "--jsno"], /unknown option '--jsno' \(did you mean --json\?\)/],
    [["run", "hi", "-x"], /unknown option '-x'\. 'turnhouse run --help' lists the options/],
    [["run", "hi", "--yes=please"], /--yes/],
    [["run", "hi", "--model"], /--model/],
    [["run", "hi", "--wait", "soon"], /--wait: 'soon' is not a time/],
    [["run", "hi", "--wait", "-5"], /--wait/],
    [["run", "hi", "--model", ""], /model/],
    [["ls", "some", "where"], /where/],
    [["log"], /name a session/],
    [["export"], /name a session/],
    [["stop"], /name a session/],
    [["run", "hi", "--continue"], /no session in this folder/],
  ])("%j is refused with a message", async ([args, words]) => {
    expect(complaintOf(await place.run(...args), words)).toEqual(noComplaint(usage))
  })

  it("has created no session", async () => {
    expect((await place.run("ls", "--all")).stdout).toContain("No sessions yet")
  })
})

describe.concurrent("a session's name", () => {
  it("that no session has is refused by every command", async (test) => {
    const place = newPlace(test)
    for (const args of [["run", "hi", "--session"], ["log"], ["export"], ["stop"]]) {
      expect(complaintOf(await place.run(...args, "01234567"), "No session has the id or name '01234567'")).toEqual(
        noComplaint(usage),
      )
    }
  })

  it("that begins more than one id is refused with the ids it fits", async (test) => {
    const place = newPlace(test)
    const model = place.script([[{ text: "Yes." }]])
    await Promise.all([place.run("run", "one", "--model", model), place.run("run", "two", "--model", model)])
    const ids = (await place.sessions()).map((session) => String(session["id"]))
    const common = ids[0]?.slice(0, 6) ?? ""
    expect(complaintOf(await place.run("log", common), `'${common}' matches more than one session`, ...ids)).toEqual(
      noComplaint(usage),
    )
    expect(complaintOf(await place.run("log", common.slice(0, 5)), "No session")).toEqual(noComplaint(usage))
    expect((await place.run("log", ids[0]?.toUpperCase() ?? "")).code).toBe(0)
  })

  it("with --after needs the number of an event", async (test) => {
    const place = newPlace(test)
    await place.run("run", "one", "--model", place.script([[{ text: "Yes." }]]))
    const id = await place.newest()
    for (const after of ["x", "1.5", "-1", ""]) {
      expect(
        complaintOf(await place.run("log", id, `--after=${after}`), "--after: use the number of an event"),
      ).toEqual(noComplaint(usage))
    }
    expect(await place.run("log", id, "--after", "999")).toMatchObject({ code: 0, stdout: "" })
  })
})
