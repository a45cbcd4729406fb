import { mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { setFlagsFromString } from "node:v8"
import { runInNewContext } from "node:vm"
import { afterEach, describe, expect, it, onTestFinished } from "vitest"
import { cleanUp, freshMark } from "../processes/fixtures/marked.ts"
import { ProcessSupervisor } from "../processes/process-supervisor.ts"
import { everythingServer, misbehavingServer, programOf, stdioServer } from "./fixtures/servers.ts"
import type { McpServer } from "./mcp-server.ts"
import { RunningServer } from "./running-server.ts"
import type { CallOptions } from "./server-call.ts"
import { SessionServers } from "./session-servers.ts"

const env = { PATH: process.env["PATH"] ?? "" }
const open: { running: RunningServer; processes: ProcessSupervisor; mark: string }[] = []

afterEach(async () => {
  for (const { running, processes, mark } of open.splice(0)) {
    await running.stop()
    await processes.close()
    await cleanUp(mark)
  }
})

function start(server: McpServer) {
  const mark = freshMark()
  const processes = new ProcessSupervisor(mark)
  const warnings: string[] = []
  const log: string[] = []
  let now = 0
  const running = new RunningServer(server, {
    release: "1.0.0",
    spawn: ({ command = "", args = [] }) =>
      processes.spawn({ command, args, env, cwd: tmpdir(), owner: "test", stdin: "pipe" }),
    debug: (line) => log.push(line),
    warn: (sentence) => warnings.push(sentence),
    now: () => now,
  })
  open.push({ running, processes, mark })
  return { running, processes, warnings, log, pass: (ms: number) => (now += ms) }
}

const asks: CallOptions["asks"] = {
  sessionId: "1",
  elicit: () => Promise.resolve({ action: "decline" }),
  sample: () => Promise.reject(new Error("refused")),
}

function options(more: Partial<CallOptions> = {}): CallOptions {
  return { signal: new AbortController().signal, meta: {}, asks, progress: () => {}, ...more }
}

function logFile(): string {
  const folder = mkdtempSync(join(tmpdir(), "mcp-"))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  return join(folder, "log")
}

describe("a server of the npm registry", () => {
  it("lists its tools and answers calls, with progress", async () => {
    const { running } = start(everythingServer())
    await running.start()
    const process = { pid: expect.any(Number), connectMs: expect.any(Number) }
    expect(running.status).toMatchObject({ state: "ready", lastError: undefined, ...process })
    expect(running.tools.map(({ name }) => name)).toContain("echo")
    const echoed = await running.call("echo", { message: "hello" }, options())
    expect(echoed).toMatchObject({ kind: "result", result: { content: [{ type: "text", text: "Echo: hello" }] } })
    const steps: (number | undefined)[] = []
    const progress: CallOptions["progress"] = (_, fraction) => steps.push(fraction)
    const slow = { duration: 1, steps: 4 }
    await running.call("trigger-long-running-operation", slow, options({ progress }))
    expect([0.25, 0.5, 0.75]).toContain(steps[0]) // one that comes with the answer may be lost
  })

  it("has prompts and resources", async () => {
    const { running } = start(everythingServer())
    const { signal } = new AbortController()
    const prompts = await running.prompts(signal)
    expect(prompts.kind === "result" && prompts.result.map(({ name }) => name)).toContain("simple-prompt")
    const resources = await running.resources(signal)
    const first = resources.kind === "result" ? resources.result[0] : undefined
    expect(first?.uri).toBeDefined()
    expect(await running.readResource(first?.uri ?? "", signal)).toMatchObject({ kind: "result" })
  })

  it("keeps a memory", async () => {
    const file = logFile()
    const { running } = start({
      ...stdioServer("memory", [programOf("@modelcontextprotocol/server-memory")]),
      command: "/usr/bin/env",
      args: [`MEMORY_FILE_PATH=${file}`, process.execPath, programOf("@modelcontextprotocol/server-memory")],
    })
    const entities = [{ name: "Turnhouse", entityType: "program", observations: ["hosts sessions"] }]
    expect(await running.call("create_entities", { entities }, options())).toMatchObject({ kind: "result" })
    expect(readFileSync(file, "utf8")).toContain("hosts sessions")
  })
})

describe("a server that fails at its start", () => {
  it("is reported when it does not answer in time", async () => {
    const { running, warnings } = start(misbehavingServer("hang-start", { startTimeoutMs: 300 }))
    await running.start()
    expect(warnings).toEqual(["MCP server 'odd' is not available: it did not answer in 0.3 s."])
    expect(running.status.state).toBe("failed")
  })

  it("is reported with its last words when it exits", async () => {
    const { running } = start(misbehavingServer("exit-start"))
    await running.start()
    expect(running.status.lastError).toBe("it ended with exit code 3; last line on stderr: no license found")
  })

  it("is reported when its program does not exist", async () => {
    const { running } = start({ ...misbehavingServer("well"), command: "no-such-program-anywhere" })
    await running.start()
    expect(running.status.lastError).toBe("its program no-such-program-anywhere was not found")
  })

  it("is reported with its last words when it exits while it lists its tools", async () => {
    const { running } = start(misbehavingServer("exit-list"))
    await running.start()
    const lastError = "it ended with exit code 5; last line on stderr: out of stock"
    expect(running.status).toMatchObject({ state: "failed", lastError, pid: undefined })
  })

  it("is started again after pauses that grow", async () => {
    const { running, warnings, pass } = start(misbehavingServer("exit-start"))
    await running.start()
    await running.start() // the first repetition follows at once
    expect(warnings).toHaveLength(2)
    await running.start()
    expect(warnings).toHaveLength(2)
    pass(1000)
    await running.start()
    expect(warnings).toHaveLength(3)
    pass(1000)
    await running.start()
    expect(warnings).toHaveLength(3)
  })

  it("fails a call with the reason", async () => {
    const { running } = start(misbehavingServer("exit-start"))
    expect(await running.call("work", {}, options())).toEqual({
      kind: "failed",
      reason: "MCP server 'odd' cannot be used: it ended with exit code 3; last line on stderr: no license found.",
      isOfServer: true,
    })
  })
})

describe("a call", () => {
  async function failure(mode: string, more: Partial<McpServer> = {}) {
    const { running } = start(misbehavingServer(mode, more))
    return { running, answer: await running.call("work", { value: "x" }, options()) }
  }

  it("fails when the server does not answer in time, and the server gets a cancellation", async () => {
    const file = logFile()
    const { running } = start(misbehavingServer("hang-call", { callTimeoutMs: 300 }, file))
    const answer = await running.call("work", {}, options())
    expect(answer).toEqual({
      kind: "failed",
      reason: "MCP server 'odd' did not answer in 0.3 s; what it did is unknown.",
    })
    await expect.poll(() => readFileSync(file, "utf8")).toContain("notifications/cancelled")
  })

  it("waits for the answer of a person longer than for the server", async () => {
    const { running } = start(misbehavingServer("elicit", { callTimeoutMs: 300 }))
    const elicit = async () => {
      await new Promise((resolve) => setTimeout(resolve, 600)) // twice the time of the call
      return { action: "decline" as const }
    }
    const answer = await running.call("work", {}, options({ asks: { ...asks, elicit } }))
    expect(answer).toMatchObject({ kind: "result", result: { content: [{ text: 'got {"action":"decline"}' }] } })
  })

  it("waits for the answer of a person that the server may want for another call", async () => {
    const { running } = start(misbehavingServer("elicit-late", { callTimeoutMs: 1000 }))
    const cancelling = new AbortController()
    const elicit = async () => {
      await new Promise((resolve) => setTimeout(resolve, 1500)) // longer than the call
      return { action: "decline" as const }
    }
    const first = running.call("work", {}, options())
    const second = running.call("work", {}, options({ asks: { ...asks, elicit }, signal: cancelling.signal }))
    expect(await first).toMatchObject({ kind: "result", result: { content: [{ text: 'got {"action":"decline"}' }] } })
    cancelling.abort()
    await second
  })

  it("ends at once when it is cancelled", async () => {
    const file = logFile()
    const { running } = start(misbehavingServer("hang-call", {}, file))
    const stop = new AbortController()
    const answer = running.call("work", {}, options({ signal: stop.signal }))
    await expect.poll(() => readFileSync(file, "utf8")).toContain("call 1")
    stop.abort()
    expect(await answer).toEqual({ kind: "failed", reason: "The call was cancelled." })
  })

  it("is not repeated when the server dies in it; the next call starts the server again", async () => {
    const file = logFile()
    const { running, pass } = start(misbehavingServer("die-in-call", {}, file))
    const expected = {
      kind: "failed",
      reason: "MCP server 'odd' ended before it answered (it ended with exit code 7); what it did is unknown.",
      isOfServer: true,
    }
    expect(await running.call("work", {}, options())).toEqual(expected)
    expect(running.status.state).toBe("failed")
    expect(await running.call("work", {}, options())).toEqual(expected)
    const starts = () => readFileSync(file, "utf8").match(/^started/gm)
    expect(readFileSync(file, "utf8").match(/^call /gm)).toHaveLength(2)
    expect(starts()).toHaveLength(2)
    expect(await running.call("work", {}, options())).toMatchObject({ kind: "failed" })
    expect(starts()).toHaveLength(2) // a pause follows, as after a failed start
    pass(1000)
    await running.call("work", {}, options())
    expect(starts()).toHaveLength(3)
  })

  it("is not sent when the server has changed the tool since it was approved", async () => {
    const file = logFile()
    const { running } = start(misbehavingServer("changing-at-start", {}, file))
    await running.start()
    const { revision = "" } = running.tools[0] ?? {}
    expect(await running.call("work", {}, options({ revision }))).toMatchObject({ kind: "failed" }) // it ends in the call
    const answer = await running.call("work", {}, options({ revision }))
    expect(answer).toMatchObject({ kind: "failed", reason: expect.stringContaining("has changed this tool") })
    expect(readFileSync(file, "utf8").match(/^call /gm)).toHaveLength(1)
  })

  it("leaves nothing of its result in memory", async () => {
    const { running } = start(misbehavingServer("large"))
    const answers: WeakRef<object>[] = []
    for (let count = 0; count < 3; count++) answers.push(new WeakRef(await running.call("work", {}, options())))
    setFlagsFromString("--expose-gc")
    const collect: () => void = runInNewContext("gc")
    await expect
      .poll(() => {
        collect()
        return answers.slice(0, 2).every((answer) => answer.deref() === undefined)
      })
      .toBe(true)
  })

  it("passes on a few of many progress messages, shortened", async () => {
    const { running } = start(misbehavingServer("progress-flood"))
    const lengths: number[] = []
    const progress: CallOptions["progress"] = (message) => lengths.push(message.length)
    expect(await running.call("work", {}, options({ progress }))).toMatchObject({ kind: "result" })
    expect(lengths.length).toBeGreaterThan(0)
    expect(lengths.length).toBeLessThan(200)
    expect(Math.max(...lengths)).toBe(1000)
  })

  it("is ended when the server floods", async () => {
    const { answer } = await failure("flood")
    expect(answer).toMatchObject({ kind: "failed", reason: expect.stringContaining("it sends too much") })
  })

  it("is ended when the server sends a line without an end", async () => {
    const { answer } = await failure("endless-line")
    expect(answer).toMatchObject({ reason: expect.stringContaining("a message has more than 33554432 bytes") })
  })

  it("has the first of two answers", async () => {
    const { answer, running } = await failure("twice")
    expect(answer).toMatchObject({ kind: "result", result: { content: [{ text: "first" }] } })
    expect(running.status.state).toBe("ready")
  })

  it("fails when the result is not one", async () => {
    const { answer, running } = await failure("wrong-result")
    const reason = "MCP server 'odd' answered, but not as the protocol wants; what it did is unknown."
    expect(answer).toEqual({ kind: "failed", reason, isOfServer: true })
    expect(running.status.lastError).toBe("an answer did not follow the protocol")
  })

  it("fails with the words of the server when it refuses", async () => {
    const { answer } = await failure("error")
    expect(answer).toMatchObject({ kind: "failed", reason: expect.stringContaining("no such order") })
  })

  it("is understood although the server prints other things on its output", async () => {
    const { answer } = await failure("chatty")
    expect(answer).toMatchObject({ kind: "result" })
  })
})

describe("the list of tools", () => {
  it("is read again when the server says that it changed, and then has another revision", async () => {
    const { running } = start(misbehavingServer("changing"))
    await running.start()
    const [before] = running.tools
    await running.call("work", {}, options())
    await expect.poll(() => running.tools[0]?.description).toBe("Does the work 1.")
    expect(running.tools[0]?.revision).not.toBe(before?.revision)
  })

  it("leaves out tools that cannot be used, and says so", async () => {
    const { running, warnings } = start(misbehavingServer("lying-schema"))
    await running.start()
    expect(running.tools.map(({ name }) => name)).toEqual(["work", "hinted"])
    expect(warnings).toEqual([
      "MCP server 'odd': its tool \"large\" is not used: its input schema has more than 65536 bytes.",
      "MCP server 'odd': its tool \"\" is not used: its name must have 1 to 128 characters.",
      "MCP server 'odd': its tool \"later\" is not used: it can be called only as a task.",
      "MCP server 'odd': its tool \"bare\" is not used: its input schema is not a JSON object.",
      "MCP server 'odd': its tool number 6 is not used: it has no name.",
      "MCP server 'odd': its tool \"deep\" is not used: its input schema has more than 64 levels.",
      'MCP server \'odd\': its tool "list" is not used: its input schema has another type than "object".',
    ])
  })

  it("is read once a second from a server that says without end that it changed; a problem is reported once", async () => {
    const file = logFile()
    const { running, warnings } = start(misbehavingServer("storm", {}, file))
    await running.start()
    const times = () => [...readFileSync(file, "utf8").matchAll(/^list (\d+)$/gm)].map(([, at]) => Number(at))
    await expect.poll(() => times().length).toBeGreaterThanOrEqual(4)
    const [, second = 0, third = 0, fourth = 0] = times()
    expect(third - second).toBeGreaterThanOrEqual(900)
    expect(fourth - third).toBeGreaterThanOrEqual(900)
    expect(warnings).toHaveLength(7)
  })

  it("ends although the server always has another page", async () => {
    const { running } = start(misbehavingServer("endless-list"))
    await running.start()
    expect(running.tools.map(({ name }) => name)).toEqual(["work"])
  })
})

it("has one tool of a name, although the server gives two the same", async () => {
  const { running } = start(misbehavingServer("two-of-a-name"))
  const servers = new SessionServers(() => Promise.resolve([running]))
  await servers.ready()
  expect(running.tools).toHaveLength(2)
  expect(servers.tools.filter(({ name }) => name.startsWith("mcp__odd"))).toHaveLength(1)
})

it("holds up turns for a limited time altogether, however often its start fails", async () => {
  const { running, pass } = start(misbehavingServer("exit-start"))
  const servers = new SessionServers(() => Promise.resolve([running]), 300)
  for (let turn = 0; turn < 60 && running.status.state !== "starting"; turn++) {
    pass(60_000)
    await servers.ready()
  }
  expect(running.status.state).toBe("starting")
})

describe("a question of a server that several sessions share", () => {
  async function asked(isShared: boolean, others: readonly string[]): Promise<readonly string[]> {
    const { running } = start(misbehavingServer("elicit", { isShared }))
    await running.start()
    const found: string[] = []
    const asksOf = (sessionId: string): CallOptions["asks"] => ({
      ...asks,
      sessionId,
      elicit: async () => {
        found.push(sessionId)
        return { action: "decline" }
      },
    })
    const calls = ["1", ...others].map((sessionId) => running.call("work", {}, options({ asks: asksOf(sessionId) })))
    await Promise.race(calls)
    return found
  }

  it("is answered by the session that has a call", async () => {
    expect(await asked(true, [])).toEqual(["1"])
  })

  it("is answered by none while two have a call", async () => {
    expect(await asked(true, ["2"])).toEqual([])
    expect((await asked(false, ["2"]))[0]).toBe("2")
  })
})

it("stops a server that ignores the end of its input and the signal to end", async () => {
  const file = logFile()
  const { running } = start(misbehavingServer("hang-exit", {}, file))
  await running.start()
  const pid = Number(/started (\d+)/.exec(readFileSync(file, "utf8"))?.[1])
  await running.stop()
  expect(() => process.kill(pid, 0)).toThrow("ESRCH")
  expect(running.status.state).toBe("stopped")
})
