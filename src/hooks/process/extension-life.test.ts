import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { isRunning, markedPids } from "../../processes/fixtures/marked.ts"
import { beforeToolCall } from "../../protocols/extension/hook-events.ts"
import { testClock } from "../../testing/test-clock.ts"
import { extensionDeps, extensionThat, recorded, specOf, temporaryFolder } from "../fixtures/plugins.ts"
import { Extension } from "./extension.ts"
import { timing } from "./clock.ts"

const event = beforeToolCall({ name: "bash", runtimeName: "bash", input: { command: "ls" } }, null)
const block = { action: "block", reason: "no" }
const soon = { timeout: 20_000, interval: 10 }

function ask(extension: Extension, ms: number = timing.hookMs, from: "asked" | "written" = "asked") {
  return extension.request("hook.handle", event, { ms, from })
}

describe("an extension that fails", () => {
  it("is restarted, and the request is sent again (case 31)", async () => {
    const folder = temporaryFolder()
    const record = join(folder, "record")
    const extension = extensionThat({ manner: "exit once", marker: join(folder, "marker"), answer: block, record })
    await extension.start()
    expect(await ask(extension)).toEqual({ kind: "result", value: block })
    expect(recorded(record).map(({ method, id }) => [method, id])).toEqual([
      ["initialize", 1],
      ["hook.handle", 2],
      ["initialize", 3],
      ["hook.handle", 4],
    ])
    expect([extension.health, extension.restarts]).toEqual(["degraded", 1])
  })

  it("gets its settings again after a restart", async () => {
    const folder = temporaryFolder()
    const record = join(folder, "record")
    const behaviour = { manner: "exit once", marker: join(folder, "marker"), record } as const
    const config = [{ key: "colour", default: "blue" }]
    const extension = new Extension(specOf(behaviour, { config }), extensionDeps())
    await extension.start()
    await ask(extension)
    await extension.stop()
    const greetings = recorded(record).filter(({ method }) => method === "initialize")
    expect(greetings).toMatchObject([
      { params: { config: { colour: "blue" } } },
      { params: { config: { colour: "blue" } } },
    ])
  })

  it("may exit after an answer and is restarted for the next request (case 32)", async () => {
    const extension = extensionThat({ manner: "exit after reply", answer: block })
    await extension.start()
    expect(await ask(extension)).toEqual({ kind: "result", value: block })
    expect(await ask(extension)).toEqual({ kind: "result", value: block })
    expect(await ask(extension)).toEqual({ kind: "result", value: block })
    expect(await ask(extension)).toEqual({ kind: "result", value: block })
    expect(await ask(extension)).toEqual({ kind: "result", value: block })
    expect(extension.health).toBe("degraded")
  })

  it("is restarted at most three times in a row, with growing delays (case 33)", async () => {
    const clock = testClock()
    const pauses: number[] = []
    const sleep = (ms: number, signal?: AbortSignal) => {
      if (ms > 2000) return clock.sleep(ms, signal)
      pauses.push(ms)
      return Promise.resolve()
    }
    const record = join(temporaryFolder(), "record")
    const deps = extensionDeps({ clock: { now: () => clock.now(), sleep }, timing })
    const extension = extensionThat({ manner: "exit always", record }, deps)
    await extension.start()
    const reason = expect.stringContaining("it ended with exit code 1")
    for (let round = 0; round < 3; round++) expect(await ask(extension)).toEqual({ kind: "fault", reason })
    expect(pauses).toEqual([250, 500, 1000])
    expect(await ask(extension)).toEqual({ kind: "fault", reason })
    expect(await ask(extension)).toEqual({ kind: "fault", reason })
    expect(recorded(record).filter(({ method }) => method === "initialize")).toHaveLength(4)
    expect([extension.health, extension.restarts]).toEqual(["failed", 3])
  })

  it.for([
    ["a body that is not JSON (case 35)", "garbage"],
    ["a body that is nested too deeply", "too deep"],
    ["the announcement of five megabytes (case 39)", "huge length"],
    ["a head that does not end (case 40)", "endless head"],
    ["the end of its output", "close stdout"],
  ] as const)("by %s is restarted, gets the request again, and is given up", async ([, manner]) => {
    const record = join(temporaryFolder(), "record")
    const extension = extensionThat({ manner, record })
    await extension.start()
    expect(await ask(extension)).toMatchObject({ kind: "fault" })
    expect(recorded(record).filter(({ method }) => method === "hook.handle")).toHaveLength(2)
    const pids = new Set(recorded(record).map(({ pid }) => pid))
    for (const pid of pids) await expect.poll(() => isRunning(pid), soon).toBe(false)
  })

  it("while idle is restarted by the next request", async () => {
    const extension = extensionThat({ answer: block })
    await extension.start()
    const first = extension.pid ?? 0
    process.kill(first, "SIGKILL")
    await expect.poll(() => extension.pid, soon).toBeUndefined()
    expect(await ask(extension)).toEqual({ kind: "result", value: block })
    expect(extension.pid).not.toBe(first)
  })
})

describe("the handshake", () => {
  it.for([
    ["with another version (case 50)", { greeting: { protocol_version: 2 } }, "protocol version 2 instead of 1"],
    ["without a version (case 50)", { greeting: { capabilities: {} } }, "protocol_version"],
    ["with an error (case 50)", { initialize: "error" }, "not today"],
    ["with capabilities of null (case 50)", { greeting: { protocol_version: 1, capabilities: null } }, "capabilities"],
    ["by leaving", { initialize: "exit" }, "exit code 3"],
    [
      "with tools that its manifest does not permit (case 52)",
      {
        greeting: { protocol_version: 1, capabilities: { tools: [{ name: "t", description: "d", input_schema: {} }] } },
      },
      "tools.register",
    ],
  ] as const)("fails on the answer %s, and the process is killed", async ([, behaviour, reason]) => {
    const record = join(temporaryFolder(), "record")
    const extension = extensionThat({ ...behaviour, record })
    expect(await extension.start()).toEqual({ kind: "failed", reason: expect.stringContaining(reason) })
    expect(extension.health).toBe("failed")
    expect(await isRunning(recorded(record)[0]?.pid ?? 0)).toBe(false)
  })

  it("fails after its timeout", async () => {
    const clock = testClock()
    const record = join(temporaryFolder(), "record")
    const extension = extensionThat({ initialize: "hang", record }, extensionDeps({ clock }))
    const started = extension.start()
    await expect.poll(() => recorded(record).length, soon).toBe(1)
    await clock.advance(timing.initializeMs)
    expect(await started).toEqual({ kind: "failed", reason: expect.stringContaining("in time") })
  })

  it("accepts an empty list of capabilities and unknown members (case 51)", async () => {
    const extension = extensionThat({ greeting: { protocol_version: 1, capabilities: [], name: "x", version: "2" } })
    expect(await extension.start()).toEqual({ kind: "started", tools: [], providers: [] })
  })

  it("accepts an answer of version 1 to a manifest of version 2", async () => {
    const spec = specOf({ greeting: { protocol_version: 1, capabilities: {} } }, { protocol_version: 2 })
    const extension = new Extension(spec, extensionDeps())
    expect(await extension.start()).toMatchObject({ kind: "started" })
    await extension.stop()
  })

  it("uses version 2 when the manifest says so", async () => {
    const spec = specOf({ greeting: { protocol_version: 2, capabilities: {} } }, { protocol_version: 2 })
    const extension = new Extension(spec, extensionDeps())
    expect(await extension.start()).toMatchObject({ kind: "started" })
    await extension.stop()
  })

  it("reports a missing program and its setup script", async () => {
    const spec = specOf({}, { command: "./bin/not-built", setup: "scripts/setup.sh" })
    const extension = new Extension(spec, extensionDeps())
    expect(await extension.start()).toEqual({
      kind: "failed",
      reason: expect.stringMatching(/bin\/not-built was not found; run its setup script scripts\/setup.sh/),
    })
  })
})

describe("an extension that is stopped", () => {
  it.for(["reply and exit", "exit only", "reply and stay", "hang"] as const)(
    "is gone, and is not started again, when it answers with: %s (case 64)",
    async (shutdown) => {
      const record = join(temporaryFolder(), "record")
      const deps = extensionDeps()
      const behaviour = shutdown === "reply and exit" ? { record } : { record, shutdown }
      const extension = extensionThat(behaviour, deps)
      await extension.start()
      await extension.stop()
      const requests = recorded(record)
      expect(requests.map(({ method, params }) => [method, params])).toMatchObject([
        ["initialize", {}],
        ["shutdown", null],
      ])
      expect(await isRunning(requests[0]?.pid ?? 0)).toBe(false)
      expect(await ask(extension)).toMatchObject({ kind: "fault" })
      expect(recorded(record)).toHaveLength(2)
    },
  )

  it("before it was started is never started", async () => {
    const deps = extensionDeps()
    const extension = extensionThat({}, deps)
    const started = extension.start()
    await extension.stop()
    expect(await started).toEqual({ kind: "failed", reason: "it was stopped" })
    expect(await markedPids(deps.mark)).toEqual([])
  })

  it("while it starts is killed", async () => {
    const record = join(temporaryFolder(), "record")
    const deps = extensionDeps()
    const extension = extensionThat({ initialize: "hang", record }, deps)
    const started = extension.start()
    await expect.poll(() => recorded(record).length, soon).toBe(1)
    await extension.stop()
    expect(await started).toMatchObject({ kind: "failed" })
    expect(await markedPids(deps.mark)).toEqual([])
  })
})
