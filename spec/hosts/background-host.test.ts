// The background host: started once when it is needed, exits when it is not, reports why it cannot start, and uses the
// configuration of each session's folder.
import { mkdirSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { complaintOf, noComplaint } from "../e2e/complaints.ts"
import { eventually } from "../e2e/eventually.ts"
import { expectIdle, assistantTexts } from "../e2e/history.ts"
import { eventsOf } from "../e2e/printed.ts"
import { newHostedPlace } from "./hosted-place.ts"
import { configureNoting, noteCall, openGate } from "./noting.ts"
import { isLeaving, newSession, startNotingTurn, prompt, turnEnded } from "./turns.ts"

const timeout = 120_000 // a busy machine takes its time to start processes
const unreachable = 4

describe.concurrent("a background host", { timeout }, () => {
  it("is started by the first command that needs one, which prints the id of its session", async (test) => {
    const place = newHostedPlace(test)
    rmSync(place.home, { recursive: true })
    const { code, stdout, stderr } = await place.run("new")
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" })
    expect(stdout).toMatch(/^[0-9a-f-]{36}\n$/)
    const host = await place.host()
    expect(await place.sessions()).toMatchObject([{ id: stdout.trim(), host: { role: "host", pid: host?.pid } }])
  })

  it("is started once for any number of simultaneous commands", async (test) => {
    const place = newHostedPlace(test)
    const model = place.script([[{ text: "Yes." }]])
    const all = await Promise.all(Array.from({ length: 10 }, () => newSession(place, "--model", model)))
    expect(new Set(all).size).toBe(10)
    const host = await place.host()
    const owners = (await place.sessions()).map((session) => session["host"])
    expect(owners).toEqual(all.map(() => expect.objectContaining({ role: "host", pid: host?.pid })))
    expect(await place.directory.hosts()).toMatchObject({ kind: "ok", value: [{ role: "host" }] })
    await eventually(
      "only it, its standby and the log writer are left",
      () => place.processes().length === 3 || undefined,
    )
  })

  it("exits when it is not needed and leaves no files behind", async (test) => {
    const { place, id, host } = await startNotingTurn(test)
    const stopping = place.start(["host", "--stop"])
    await isLeaving(place, host)
    openGate(place)
    await stopping.ended
    const next = place.start(["host", "--close-after", "1", "--leave-after", "1"]) // the open turn keeps it for a while
    expect(await next.ended).toMatchObject({ code: 0, stderr: "" })
    await place.nothingRuns()
    expect(place.sockets()).toEqual([])
    expectIdle(await place.stored(id))
    expect((await place.sessions())[0]).toMatchObject({ id, activity: "idle" })
    expect(await place.host()).toBeUndefined()
  })

  it("exits on command, and the command says so if there is none", async (test) => {
    const place = newHostedPlace(test)
    await newSession(place)
    expect(await place.run("host", "--stop")).toMatchObject({ code: 0, stderr: "" })
    await place.nothingRuns()
    expect(place.sockets()).toEqual([])
    expect(await place.run("host", "--stop")).toMatchObject({ code: 0, stderr: "no background host is running\n" })
  })

  it("uses the configuration of each session's folder", async (test) => {
    const place = newHostedPlace(test)
    configureNoting(place)
    const folders = ["one", "two"].map((name) => {
      const folder = join(place.root, name)
      mkdirSync(folder)
      const model = place.script([[noteCall], [{ text: `I am ${name}.` }]], {}, `${name}.json`)
      const tools = name === "one" ? { deny: ["note"] } : {}
      writeFileSync(join(folder, "turnhouse.json"), JSON.stringify({ model, tools }))
      return folder
    })
    const logs = []
    for (const folder of folders) {
      expect((await place.run("trust", folder)).code).toBe(0)
      const id = await newSession(place, "--cwd", folder)
      await prompt(place, id)
      logs.push(await turnEnded(place, id))
    }
    expect(logs.map((log) => assistantTexts(log).at(-1))).toEqual(["I am one.", "I am two."])
    expect(logs.map((log) => eventsOf(log, "tool.refused").length)).toEqual([1, 0])
    expect(logs.map((log) => eventsOf(log, "tool.ended").length)).toEqual([0, 1])
    expect(await place.directory.hosts()).toMatchObject({ kind: "ok", value: [{ role: "host" }] })
  })
})

describe.concurrent("a background host that cannot start", { timeout }, () => {
  const broken = { description: "?", input: { type: "nonsense" }, class: "read", run: ["true"] }

  it("because of the configuration is reported once with the reason and not retried", async (test) => {
    const place = newHostedPlace(test)
    place.config({ tools: { define: { broken } } })
    const refused = await place.run("new")
    expect(complaintOf(refused, "the background host did not start", "tools.define.broken")).toEqual(
      noComplaint(unreachable),
    )
    await place.nothingRuns()
    expect(place.said().trimEnd().split("\n")).toHaveLength(1)
  })

  it("because its key is damaged is reported with the fix", async (test) => {
    const place = newHostedPlace(test)
    writeFileSync(join(place.home, "secret.key"), "short")
    const refused = await place.run("new")
    expect(complaintOf(refused, "the background host did not start", "secret.key")).toEqual(noComplaint(unreachable))
    await place.nothingRuns()
  })

  it("because its folder cannot be created is reported with that folder", async (test) => {
    const place = newHostedPlace(test)
    writeFileSync(join(place.home, "hosts"), "")
    const refused = await place.run("new")
    expect(complaintOf(refused, "the background host did not start", "hosts")).toEqual(noComplaint(unreachable))
  })

  it("is started by the next command after the cause is fixed", async (test) => {
    const place = newHostedPlace(test)
    place.config({ tools: { define: { broken } } })
    expect((await place.run("new")).code).toBe(unreachable)
    place.config({})
    expect((await place.run("new")).code).toBe(0)
  })
})
