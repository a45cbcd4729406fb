// Homes, folders and configurations that cannot be used.
import { mkdirSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { startProviderServer } from "../provider-server/server.ts"
import { complaintOf, expectNoStack, noComplaint } from "./complaints.ts"
import { inTurn } from "./eventually.ts"
import { newPlace } from "./turnhouse.ts"

const [failed, usage] = [1, 2]
const commands = [["run", "hi"], ["ls"], ["log", "0123456789"], ["verify"], ["stop", "0123456789"]]

describe.concurrent("a home that cannot be used", () => {
  it.for([
    ["is below a regular file", (root: string) => join(root, "file", "home")],
    ["is a regular file", (root: string) => join(root, "file")],
    ["is where nothing can be made", () => "/proc/turnhouse"],
    ["has a name that is too long", (root: string) => join(root, "x".repeat(300))],
  ] as const)("because it %s is named", async ([, homeIn], test) => {
    const place = newPlace(test)
    writeFileSync(join(place.root, "file"), "")
    const home = homeIn(place.root)
    const env = { TURNHOUSE_HOME: home }
    const refused = await inTurn(commands, 3, (args) => place.start(args, { env }).ended)
    for (const one of refused) expect(complaintOf(one, home, "TURNHOUSE_HOME")).toEqual(noComplaint(usage))
  })

  it("because its key is invalid is reported with what to do", async (test) => {
    const place = newPlace(test)
    writeFileSync(join(place.home, "secret.key"), "short")
    expect(complaintOf(await place.run("run", "hi", "--json"), "secret.key has 5 bytes, not 32")).toEqual(
      noComplaint(failed),
    )
  })

  it("because its log is a folder is named", async (test) => {
    const place = newPlace(test)
    mkdirSync(join(place.home, "turnhouse.db"))
    for (const args of commands)
      expect(complaintOf(await place.run(...args), "turnhouse.db")).toEqual(noComplaint(failed))
  })
})

describe.concurrent("a folder", () => {
  it("that was removed meanwhile is reported in one line", async (test) => {
    const place = newPlace(test)
    const line = `mkdir gone && cd gone && rmdir ../gone && exec ${place.program} run hi --json`
    const refused = await place.startOther("/bin/sh", ["-c", line]).ended
    expectNoStack(refused)
    // The shell that starts us has its own word about such a folder.
    expect(refused.stderr.replaceAll(/^sh: .*\n/gm, "")).toMatch(/^turnhouse: [^\n]+\n$/)
    expect(refused.code).not.toBe(0)
  })

  it("that is missing when its session continues makes its tools fail, not the session", async (test) => {
    const place = newPlace(test)
    const call = { call: { tool: "bash", input: { command: "pwd" } } }
    const model = place.script([[{ text: "Yes." }], [call], [{ text: "I see." }]])
    mkdirSync(place.path("sub"))
    expect((await place.start(["run", "hi", "--yes", "--model", model], { cwd: place.path("sub") }).ended).code).toBe(0)
    const id = await place.newest()
    rmSync(place.path("sub"), { recursive: true })
    const again = await place.run("run", "and now", "--yes", "-s", id)
    expectNoStack(again)
    expect(again).toMatchObject({ code: 0, stdout: "I see.\n" })
    expect(await place.log(id)).toContain("is not there or cannot be entered")
  })
})

describe.concurrent("a configuration", () => {
  it.for([
    ["is no JSON", "{ nonsense", "config.json"],
    ["has an unknown key", '{ "modle": "x" }', '"model"'],
    ["has a value of the wrong kind", '{ "budget": { "usdPerTree": "much" } }', "budget.usdPerTree"],
  ] as const)("that %s is refused with the place", async ([, text, words], test) => {
    const place = newPlace(test)
    writeFileSync(join(place.home, "config.json"), text)
    expect(complaintOf(await place.run("run", "hi", "--json"), words)).toEqual(noComplaint(usage))
  })

  it("that is named and not there is refused", async (test) => {
    const place = newPlace(test)
    expect(complaintOf(await place.run("run", "hi", "--config", "missing.json"), "missing.json")).toEqual(
      noComplaint(usage),
    )
    expect(complaintOf(await place.run("run", "hi", "--profile", "nobody"), "nobody")).toEqual(noComplaint(usage))
  })
})

describe.concurrent("a model", () => {
  it.for([
    ["whose script is missing", "offline/script:missing.json", "missing.json"],
    ["that is no offline model", "offline/nonsense", "There is no offline model"],
  ] as const)("%s fails the turn with a sentence", async ([, model, words], test) => {
    const place = newPlace(test)
    const ended = await place.run("run", "hi", "--model", model)
    expectNoStack(ended)
    expect(ended.stderr).toContain(words)
    expect(ended.code).toBe(failed)
  })

  it.for([["run", "help"], ["new"]])(
    "whose provider is unknown is refused before a session exists: %j",
    async (command, test) => {
      const place = newPlace(test)
      const ended = await place.run(...command, "--model", "acme/llama-3.3")
      expectNoStack(ended)
      expect(ended).toMatchObject({ code: usage, stdout: "" })
      expect(ended.stderr).toContain('no provider named "acme". Add it under "providers" in config.json')
      expect(await place.sessions()).toEqual([])
      place.config({ model: "nobody-serves-this" })
      const configured = await place.run(...command)
      expect(configured).toMatchObject({ code: usage, stdout: "" })
      expect(configured.stderr).toContain("no provider is known for it")
      expect((await place.run("doctor")).stdout).toContain('model "nobody-serves-this": no provider is known for it')
      place.config({ fallback: ["offline/demo", "acme/llama-3.3"] })
      const fallback = await place.run(...command)
      expect(fallback).toMatchObject({ code: usage, stdout: "" })
      expect(fallback.stderr).toContain(
        '"fallback" of the configuration: model "acme/llama-3.3": no provider named "acme".',
      )
      expect(await place.sessions()).toEqual([])
    },
  )

  it("of a session whose provider this home lacks is refused, and not played by the offline model", async (test) => {
    const place = newPlace(test)
    const server = await startProviderServer({ replies: [{ blocks: [{ text: "Hello." }] }] })
    test.onTestFinished(() => server.close())
    place.config({ providers: { gateway: { type: "openai-compatible", baseURL: `${server.url}/v1` } } })
    expect(await place.run("run", "hi", "--model", "gateway/large")).toMatchObject({ code: 0, stdout: "Hello.\n" })
    place.config({})
    const id = await place.newest()
    for (const prompt of [["again"], []]) {
      const ended = await place.run("run", "--session", id, ...prompt)
      expectNoStack(ended)
      expect(ended.code).toBe(usage)
      expect(ended.stdout).toBe("")
      expect(ended.stderr).toContain('model "gateway/large": no provider named "gateway"')
    }
  })
})

describe("a configuration that is wrong", () => {
  it("is reported, and does not prevent listing and stopping sessions", async (test) => {
    const place = newPlace(test)
    await place.run("run", "look around")
    const [session] = await place.sessions()
    place.config({ modle: "x" })
    for (const args of [["ls"], ["log", String(session?.["id"])], ["tree"], ["approvals"], ["host", "--stop"]]) {
      const { code, stderr } = await place.run(...args)
      expect({ args, code }).toEqual({ args, code: 0 })
      expect(stderr).toContain("modle")
    }
    expect((await place.run("run", "look around")).code).toBe(2)
  })
})
