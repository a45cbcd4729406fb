// Sessions on the background host: created, prompted, followed, hibernated and ended by commands in other processes.
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { eventually } from "../e2e/eventually.ts"
import { expectIdle, expectValid, assistantTexts } from "../e2e/history.ts"
import { eventLines, eventsOf, json, object, objects } from "../e2e/printed.ts"
import { uniqueSleepSeconds, runningWith } from "../e2e/processes.ts"
import { newPlace } from "../e2e/turnhouse.ts"
import { brokenOff, detachedTurn, untilLogged, logWith, madeSession, ownerOf } from "./live.ts"

describe.concurrent("log -f", () => {
  it("follows a session byte for byte, also across the death of its host", async (test) => {
    const place = newPlace(test)
    const id = await madeSession(place, brokenOff)
    const following = place.start(["log", "-f", id, "--json"])
    await following.event("session.created")
    await detachedTurn(place, id, "go")
    await following.event("step.started")
    await untilLogged(place, id, "text.streamed")
    process.kill(await ownerOf(place, id), "SIGKILL")
    await following.event("turn.ended")
    following.signal("SIGINT")
    const { code, stdout } = await following.ended
    expect(code).toBe(0)
    const log = await place.log(id)
    expect(eventLines(stdout)).toEqual(eventLines(log))
    expectValid(log)
    expect(assistantTexts(log)).toEqual(["I hold it no more."])
  })

  it("prints the same lines as log does", async (test) => {
    const place = newPlace(test)
    const id = await madeSession(place, [[{ text: "Hello." }]])
    const following = place.start(["log", "--follow", id, "--after", "1"])
    await detachedTurn(place, id, "go")
    await following.prints("turn.ended")
    following.signal("SIGTERM")
    const { code, stdout } = await following.ended
    expect(code).toBe(143)
    const shown = stdout.split("\n").filter((line) => !line.includes("streamed, not ended"))
    expect(shown.join("\n")).toBe((await place.run("log", id, "--after", "1")).stdout)
  })
})

describe.concurrent("run --detach", () => {
  it("prints the id of a new session, and the turn continues after it exits", async (test) => {
    const place = newPlace(test)
    const model = place.script([[{ call: { tool: "ls", input: {} } }], [{ text: "Done." }]])
    const { code, stdout } = await place.run("run", "--detach", "go", "--json", "--model", model)
    expect(code).toBe(0)
    const { id, promptId } = object(stdout)
    const log = await logWith(place, String(id), "turn.ended")
    expect(eventsOf(log, "prompt.admitted")).toMatchObject([{ promptId, by: { door: "run" } }])
    expect(assistantTexts(log)).toContain("Done.")
  })

  it("an approval request waits for an answer from another command", async (test) => {
    const place = newPlace(test)
    const steps = [[{ call: { tool: "bash", input: { command: "echo made > made.txt" } } }], [{ text: "Made." }]]
    const id = await madeSession(place, steps)
    await detachedTurn(place, id, "make it")
    const [requested] = eventsOf(await logWith(place, id, "approval.requested"), "approval.requested")
    expect((await place.run("approve", String(requested?.approvalId))).code).toBe(0)
    await logWith(place, id, "turn.ended")
    expect(place.read("made.txt")).toBe("made\n")
  })
})

describe.concurrent("send", () => {
  it("sends untrusted text to a session and prints the id of the prompt", async (test) => {
    const place = newPlace(test)
    const id = await madeSession(place, [[{ text: "Heard." }], [{ text: "Again." }]])
    const sent = await place.run("send", id, "the", "build", "failed", "--from", "ci", "--json")
    expect(sent.code).toBe(0)
    const { id: promptId, sessionId } = object(sent.stdout)
    expect(sessionId).toBe(id)
    const piped = await place.start(["send", id, "-"], { input: "from a pipe\n" }).ended
    expect(piped).toMatchObject({ code: 0 })
    expect(piped.stdout).toMatch(/^prm_\w+\n$/)
    const admitted = eventsOf(await logWith(place, id, "turn.ended", 2), "prompt.admitted")
    expect(admitted).toMatchObject([
      { promptId, text: "the build failed", untrustedSource: "ci", by: { door: "send" } },
      { text: "from a pipe", untrustedSource: "send" },
    ])
  })
})

describe.concurrent("a tree of agents", () => {
  it("is shown, and stop ends all agents and their processes", async (test) => {
    const nap = uniqueSleepSeconds()
    const place = newPlace(test)
    const sleep = { call: { tool: "bash", input: { command: `sleep ${nap}` } } }
    const child = place.script([[sleep]], {}, "child.json")
    const start = (agent: string) => ({
      call: { tool: "subagent_start", input: { task: "sleep", agent, model: child } },
    })
    place.config({ tools: { allow: ["bash", "subagent*"] } })
    const id = await madeSession(place, [
      [start("one"), start("two"), start("three")],
      [{ text: "I wait" }, { hang: true }],
    ])
    await detachedTurn(place, id, "go")
    await eventually("all are at work", () => runningWith(nap).length >= 3 || undefined)
    const tree = objects((await place.run("tree", "--json")).stdout)
    expect(tree).toMatchObject([{ id, activity: "busy", live: true }])
    const children = json(JSON.stringify(tree[0]?.["children"]))
    expect(children).toMatchObject([{ parentId: id }, { parentId: id }, { parentId: id }])
    const { stdout } = await place.run("tree", id)
    expect(stdout.split("\n")).toHaveLength(6)
    for (const shown of ["Agents:", `└── ${id}`, "    ├── ", "(one)", "(two)", "(three)"])
      expect(stdout).toContain(shown)

    const stopped = await place.run("stop", id)
    expect(stopped).toMatchObject({ code: 0, stdout: `session ${id} has ended, and 3 sub-agents\n` })
    expect(runningWith(nap)).toEqual([])
    expect((await place.sessions()).map((session) => session["life"])).toEqual(["ended", "ended", "ended", "ended"])
    expect((await place.run("tree")).stdout).toBe("No active agents\n")
    expect((await place.run("tree", id)).stdout).toContain("ended")
  })

  it("a request of a child is asked where its root is followed", async (test) => {
    const place = newPlace(test)
    place.config({ tools: { confirm: ["bash"] } })
    const make = { call: { tool: "bash", input: { command: "echo made > made.txt" } } }
    const child = place.script([[make], [{ text: "Made it." }]], {}, "child.json")
    const order = { call: { tool: "subagent", input: { task: "make it", model: child } } }
    const model = place.script([[order], [{ text: "All done." }]])
    expect(await place.run("run", "go", "--allow-tool", "bash", "--model", model)).toMatchObject({
      code: 0,
      stdout: "All done.\n",
    })
    expect(place.read("made.txt")).toBe("made\n")
  })
})

describe.concurrent("hibernate and resume", () => {
  it("suspend a session in the middle of a turn and continue it", async (test) => {
    const place = newPlace(test)
    const steps = [[{ call: { tool: "bash", input: { command: "echo made > made.txt" } } }], [{ text: "Made." }]]
    const id = await madeSession(place, steps)
    await detachedTurn(place, id, "make it")
    const [requested] = eventsOf(await logWith(place, id, "approval.requested"), "approval.requested")
    expect(await place.run("hibernate")).toMatchObject({ code: 0, stdout: `session ${id} suspended\n` })
    expect((await place.run("ls")).stdout).toMatch(/ hibernated +- /)
    expect(await place.run("hibernate")).toMatchObject({ code: 0, stdout: "", stderr: "no session is open\n" })
    expect(await place.run("resume", id)).toMatchObject({ code: 0, stdout: `session ${id} resumed\n` })
    expect((await place.run("ls")).stdout).toMatch(/ asking +host \d+ /)
    expect((await place.run("approve", String(requested?.approvalId))).code).toBe(0)
    const log = await logWith(place, id, "turn.ended")
    expectValid(log)
    expectIdle(log)
    expect(place.read("made.txt")).toBe("made\n")
    expect(await place.run("resume")).toMatchObject({ code: 0, stdout: "", stderr: "no session is suspended\n" })
    const awake = await place.run("resume", id)
    expect(awake).toMatchObject({ code: 2, stdout: "" })
    expect(awake.stderr).toContain("is not suspended")
  })
})

describe.concurrent("new", () => {
  it("creates a session on the background host with a unique name and alias", async (test) => {
    const place = newPlace(test)
    const made = await place.run("new", "--name", "invoices", "--alias", "ticket-7", "--json")
    const { id } = object(made.stdout)
    expect(object((await place.run("ls", "--all", "--json")).stdout.slice(2, -2))).toMatchObject({
      id,
      host: { role: "host" },
      activity: "idle",
    })
    for (const name of ["invoices", "ticket-7"])
      expect((await place.run("log", name, "--head")).stdout).toMatch(/^1 [0-9a-f]{64}\n$/)
    for (const option of ["--name", "--alias"]) {
      const second = await place.run("new", option, "ticket-7")
      expect(second).toMatchObject({ code: 2, stdout: "" })
      expect(second.stderr).toContain(`session ${String(id)} is already named 'ticket-7'`)
    }
  })
})

describe.concurrent("wrong arguments", () => {
  it.for([
    [["send"], "name a session"],
    [["send", "nobody-knows", "hi"], "No session has the id or name"],
    [["stop", "nobody-knows"], "No session has the id or name"],
    [["tree", "nobody-knows"], "No session has the id or name"],
    [["hibernate", "nobody-knows"], "No session has the id or name"],
    [["resume", "nobody-knows"], "No session has the id or name"],
    [["log", "-f", "nobody-knows"], "No session has the id or name"],
    [["log", "-f", "--head", "x"], "--head cannot be combined with --follow"],
    [["run", "-d", "hi", "--wait", "5"], "--wait cannot be combined with --detach"],
    [["run", "-dy", "hi"], "cannot be combined with --detach"],
    [["run", "--session", "nobody-knows", "hi"], "No session has the id or name"],
    [["new", "--alias", " "], "--alias: use one line"],
  ] as const)("%o is refused with one line and exit code 2", async ([args, why], test) => {
    const { code, stderr, stdout } = await newPlace(test).run(...args)
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" })
    expect(stderr).toMatch(/^turnhouse: [^\n]+\n$/)
    expect(stderr).toContain(why)
  })

  it("reports why the background host cannot be started", async (test) => {
    const place = newPlace(test)
    writeFileSync(join(place.home, "hosts"), "in the way")
    const { code, stderr, stdout } = await place.run("new")
    expect({ code, stdout }).toEqual({ code: 4, stdout: "" })
    expect(stderr).toMatch(/^turnhouse: the background host did not start: [^\n]+\n$/)
  })

  it("an ended session cannot be suspended, but a prompt opens it again", async (test) => {
    const place = newPlace(test)
    const id = await madeSession(place, [[{ text: "Back." }]])
    expect((await place.run("stop", id)).code).toBe(0)
    expect((await place.run("hibernate", id)).stderr).toContain("has ended")
    expect(await place.run("run", "--session", id, "again")).toMatchObject({ code: 0, stdout: "Back.\n" })
  })
})

describe("a prompt that is queued behind another client's turn", () => {
  it("prints only its own answer on stdout", async (test) => {
    const place = newPlace(test)
    const id = await madeSession(place, brokenOff)
    await detachedTurn(place, id, "theirs")
    await untilLogged(place, id, "I hold it")
    const mine = place.start(["run", "--session", id, "mine"])
    await mine.says("the prompt is queued")
    await place.start(["attach", id], { input: "/stop\n" }).ended
    expect(await mine.ended).toMatchObject({ code: 0, stdout: "Mine now.\n" })
  })
})
