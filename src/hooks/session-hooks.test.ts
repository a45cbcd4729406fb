import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { describe, expect, it, onTestFinished } from "vitest"
import type { JsonValue } from "../contract/values.ts"
import { freshMark, markedPids } from "../processes/fixtures/marked.ts"
import { ProcessSupervisor } from "../processes/process-supervisor.ts"
import { testClock } from "../testing/test-clock.ts"
import { type Clock, timing } from "./process/clock.ts"
import { discover } from "./discovery/discover.ts"
import { ExtensionHost, type ExtensionPlan } from "./extension-host.ts"
import type { Behaviour } from "./fixtures/misbehaving.ts"
import { discoveryIn, manifestOf, recorded, temporaryFolder, writePlugin } from "./fixtures/plugins.ts"
import { ExtensionMemory } from "./memory.ts"
import { unconfined } from "./process/plugin-sandbox.ts"

const rootId = "01890000-0000-7000-8000-000000000001"
const tool = { name: "bash", runtimeName: "bash", input: { command: "rm -rf /" } }
const block = { action: "block", reason: "not here" }
const soon = { timeout: 20_000, interval: 10 }

interface Wish extends Behaviour {
  readonly hooks?: JsonValue
  readonly permissions?: JsonValue
}

/** A host with the given extensions, and its warnings to the user. */
function hostWith(wishes: Readonly<Record<string, Wish>>, more: Partial<ExtensionPlan> = {}, clock?: Clock) {
  const root = temporaryFolder()
  for (const [id, { hooks, permissions, ...behaviour }] of Object.entries(wishes)) {
    const extra = { ...(hooks === undefined ? {} : { hooks }), ...(permissions === undefined ? {} : { permissions }) }
    writePlugin(root, id, manifestOf(behaviour, extra))
  }
  const mark = freshMark()
  const processes = new ProcessSupervisor(mark)
  const alarms: string[] = []
  const host = new ExtensionHost({
    processes,
    release: "0.0.0",
    alarm: (sentence) => void alarms.push(sentence),
    debug: () => {},
    services: { memory: new ExtensionMemory(root), configFolder: root, now: Date.now, scrub: (text) => text },
    timing: { ...timing, restartAfterMs: [1, 1, 1] },
    ...(clock === undefined ? {} : { clock }),
  })
  onTestFinished(async () => {
    await host.close()
    await processes.close()
  })
  const found = discover(discoveryIn([root]))
  const plan = { found, failClosed: [], disabled: [], shared: [], canaries: {}, starter: unconfined, ...more }
  return { host, alarms, mark, enter: (id = rootId) => host.enter(id, () => plan) }
}

describe("the hooks of a session", () => {
  it("start with on_session_start and end with on_session_end, which has the whole conversation (case 65)", async () => {
    const record = join(temporaryFolder(), "record")
    const hooks = [{ hook: "on_session_start" }, { hook: "on_session_end" }]
    const { host, enter, mark } = hostWith({ journal: { hooks, record } })
    const session = enter()
    session.begin(rootId)
    await session.ready()
    const prompt = {
      kind: "user",
      seq: 1,
      lastSeq: 1,
      text: "hi",
      attachments: [],
      untrustedSource: undefined,
    } as const
    await session.end(rootId, [prompt])
    await host.leave(rootId)
    expect(recorded(record).map(({ method, params }) => [method, params])).toMatchObject([
      ["initialize", {}],
      ["hook.handle", { kind: "on_session_start", session_id: rootId, transcript: null }],
      ["hook.handle", { kind: "on_session_end", session_id: rootId, transcript: [{ role: "user", content: "hi" }] }],
      ["shutdown", null],
    ])
    expect(await markedPids(mark)).toEqual([])
  })

  it("may add to the system prompt at the start, fixed for the whole session (case 68)", async () => {
    const hooks = [{ hook: "on_session_start" }]
    const { enter } = hostWith({ memory: { hooks, answer: { action: "inject", content: "S" } } })
    const session = enter()
    session.begin(rootId)
    await session.ready()
    expect(session.systemText).toBe("S")
  })

  it("call extensions in the order of their ids, whichever starts first (case 26)", async () => {
    const { enter } = hostWith({
      b: { answer: { ...block, reason: "of b" } },
      a: { answer: { ...block, reason: "of a" } },
    })
    const session = enter()
    expect(await session.beforeToolCall(tool, rootId)).toEqual({ kind: "block", by: "a", reason: "of a" })
  })

  it("are shared by all sessions of a tree and end with the last one", async () => {
    const record = join(temporaryFolder(), "record")
    const { host, enter, mark } = hostWith({ a: { record } })
    const [root, child] = [enter(), enter()]
    expect(child).toBe(root)
    await root.ready()
    await host.leave(rootId)
    expect(await child.beforeToolCall(tool, null)).toEqual({ kind: "continue" })
    await host.leave(rootId)
    expect(recorded(record).filter(({ method }) => method === "initialize")).toHaveLength(1)
    expect(await markedPids(mark)).toEqual([])
  })

  it("use one process for all trees for a shared extension", async () => {
    const record = join(temporaryFolder(), "record")
    const other = "01890000-0000-7000-8000-000000000002"
    const { host, enter, mark } = hostWith({ a: { record } }, { shared: ["a"] })
    await enter().beforeToolCall(tool, rootId)
    await enter(other).beforeToolCall(tool, other)
    await host.leave(rootId)
    await host.leave(other)
    expect(new Set(recorded(record).map(({ pid }) => pid)).size).toBe(1)
    expect(recorded(record).map(({ params }) => params)).toMatchObject([
      {},
      { session_id: rootId },
      { session_id: other },
    ])
    await host.close()
    expect(await markedPids(mark)).toEqual([])
  })

  it("wait for a slow extension only up to a limit, and notify it once it has started", async () => {
    const clock = testClock()
    const record = join(temporaryFolder(), "record")
    const hooks = [{ hook: "on_session_start" }, { hook: "before_tool_call" }]
    const { enter } = hostWith({ slow: { initialize: "at a signal", answer: block, hooks, record } }, {}, clock)
    const session = enter()
    session.begin(rootId)
    await expect.poll(() => recorded(record).length, soon).toBe(1)
    await clock.advance(timing.loadMs)
    await session.ready()
    expect(await session.beforeToolCall(tool, rootId)).toEqual({ kind: "continue" })
    process.kill(recorded(record)[0]?.pid ?? 0, "SIGUSR2")
    await expect.poll(() => recorded(record).at(1)?.params, soon).toMatchObject({ kind: "on_session_start" })
    expect(await session.beforeToolCall(tool, rootId)).toMatchObject({ kind: "block", by: "slow" })
  })

  it("continue without an extension that never starts, and warn the user", async () => {
    const clock = testClock()
    const record = join(temporaryFolder(), "record")
    const { enter, alarms } = hostWith({ slow: { initialize: "hang", record } }, {}, clock)
    enter()
    await expect.poll(() => recorded(record).length, soon).toBe(1)
    await clock.advance(timing.initializeMs)
    await expect.poll(() => alarms, soon).toEqual([expect.stringContaining("slow was not loaded")])
  })

  it("work with a shell script that counts characters, also for multibyte text (case 66)", async () => {
    const root = temporaryFolder()
    const script = fileURLToPath(new URL("./fixtures/shell-template.sh", import.meta.url))
    writePlugin(root, "shell", { ...manifestOf(), command: "bash", args: [script] })
    const env = { PATH: process.env["PATH"], LANG: "C.UTF-8" }
    const { host } = hostWith({})
    const found = discover(discoveryIn([root], { env }))
    const session = host.enter(rootId, () => ({
      found,
      failClosed: ["shell"],
      disabled: [],
      shared: [],
      canaries: {},
      starter: unconfined,
    }))
    const input = { command: "echo é 😀" }
    expect(await session.beforeToolCall({ ...tool, input }, rootId)).toEqual({ kind: "continue" })
    expect(session.statuses).toMatchObject([{ health: "running", restarts: 0, times: { calls: 1 } }])
  })
})

describe("a guard", () => {
  const guards = { failClosed: ["policy"] }

  it.for([
    ["crashes at each call", { manner: "exit always" }, "exit code 1"],
    ["talks nonsense", { answer: { action: "deny" } }, "'deny'"],
    ["breaks the framing", { manner: "garbage" }, "not JSON"],
    ["answers with an error", { manner: "error" }, "no idea"],
    ["cannot be started", { initialize: "exit" }, "exit code 3"],
    ["floods its output", { manner: "endless head" }, "more than 1024 bytes"],
  ] as const)("that %s blocks the call, with the reason", async ([, behaviour, why]) => {
    const { enter } = hostWith({ policy: behaviour }, guards)
    expect(await enter().beforeToolCall(tool, rootId)).toEqual({
      kind: "block",
      by: "policy",
      reason: expect.stringContaining(why),
    })
  })

  it("that confirms does not hide another guard that blocks", async () => {
    const asking = { answer: { action: "confirm", message: "sure?" } }
    const both = { failClosed: ["a", "policy"] }
    const { enter } = hostWith({ a: asking, policy: { answer: block } }, both)
    expect(await enter().beforeToolCall(tool, rootId)).toMatchObject({ kind: "block", by: "policy" })
  })

  it("that hangs blocks the call", async () => {
    const clock = testClock()
    const record = join(temporaryFolder(), "record")
    const { enter } = hostWith({ policy: { manner: "hang", record } }, guards, clock)
    const session = enter()
    const ruling = session.beforeToolCall(tool, rootId)
    await expect.poll(() => recorded(record).length, soon).toBe(2)
    await clock.advance(timing.hookMs)
    expect(await ruling).toMatchObject({ kind: "block", reason: expect.stringContaining("did not answer within 5 s") })
  })

  it("that is missing or disabled blocks every call", async () => {
    const ruling = await hostWith({}, guards).enter().beforeToolCall(tool, rootId)
    expect(ruling).toMatchObject({ kind: "block", reason: expect.stringContaining("no extension of that name") })
    const disabled = hostWith({}, { ...guards, disabled: ["policy"] })
    expect(await disabled.enter().beforeToolCall(tool, rootId)).toMatchObject({
      kind: "block",
      reason: expect.stringContaining("it is disabled"),
    })
  })

  it("with an invalid manifest blocks every call and names the fault", async () => {
    const { enter, alarms } = hostWith({ policy: { hooks: [{ hook: "nope" }] } }, guards)
    expect(await enter().beforeToolCall(tool, rootId)).toMatchObject({
      kind: "block",
      reason: expect.stringContaining("no hook 'nope'"),
    })
    expect(alarms).toEqual([expect.stringContaining("policy was not loaded: there is no hook 'nope'")])
  })

  it("is called before other handlers, and only for the hooks in its manifest", async () => {
    const hooks = [{ hook: "before_tool_call", tool: "write" }]
    const wishes = { early: { answer: { action: "modify", input: {} } }, policy: { answer: block } }
    expect(await hostWith(wishes, guards).enter().beforeToolCall(tool, rootId)).toMatchObject({ by: "policy" })
    const elsewhere = hostWith({ policy: { hooks, initialize: "exit" } }, guards)
    expect(await elsewhere.enter().beforeToolCall(tool, rootId)).toEqual({ kind: "continue" })
  })

  it("is called again, alone, for a modified input, and may not modify it again", async () => {
    const record = join(temporaryFolder(), "record")
    const change = { action: "modify", input: { command: "ls" } }
    const { enter } = hostWith({ other: { record }, policy: { answer: change } }, guards)
    const session = enter()
    expect(await session.beforeToolCall(tool, rootId)).toMatchObject({ kind: "modify", by: "policy" })
    expect(await session.beforeToolCall(tool, rootId, true)).toMatchObject({ kind: "block", by: "policy" })
    expect(recorded(record).filter(({ method }) => method === "hook.handle")).toEqual([])
  })
})

describe("a drill", () => {
  const canary = { tool: "bash", input: { command: "rm -rf /canary" } }
  const drilled = { failClosed: ["policy"], canaries: { policy: canary } }

  it("sends the guard its canary when it has started, and again after a while", async () => {
    const clock = testClock()
    const record = join(temporaryFolder(), "record")
    const { enter, alarms } = hostWith({ policy: { answer: block, record } }, drilled, clock)
    const session = enter()
    await expect.poll(() => recorded(record).length, soon).toBe(2)
    expect(recorded(record)[1]).toMatchObject({ params: { tool_name: "bash", tool_input: canary.input } })
    await session.beforeToolCall(tool, rootId) // one at a time: the drill is over when this is
    await clock.advance(timing.drillMs)
    await expect.poll(() => recorded(record).length, soon).toBe(4)
    expect(recorded(record)[3]).toMatchObject({ params: { tool_input: canary.input } })
    expect(alarms).toEqual([])
  })

  it.for([
    ["lets it through", {}],
    ["only asks", { answer: { action: "confirm", message: "sure?" } }],
    ["does not look at it", { answer: block, hooks: [{ hook: "before_tool_call", tool: "write" }] }],
    ["talks nonsense", { answer: "block" }],
  ] as const)("raises an alarm when the guard %s, and blocks what it guards", async ([, wish]) => {
    const { enter, alarms } = hostWith({ policy: wish }, drilled)
    const session = enter()
    const guarded = "hooks" in wish ? { ...tool, name: "write", runtimeName: "write" } : tool
    expect(await session.beforeToolCall(guarded, rootId)).toMatchObject({
      kind: "block",
      reason: expect.stringContaining("it failed its drill: it must block the canary (bash)"),
    })
    await expect.poll(() => alarms, soon).toEqual([expect.stringContaining("'policy' FAILED ITS DRILL")])
    const shown: string[] = []
    session.warnings.follow((sentence) => void shown.push(sentence))
    expect(shown).toEqual(alarms)
  })

  it("that passes again ends the blocking", async () => {
    const clock = testClock()
    const marker = join(temporaryFolder(), "marker")
    const policy = { manner: "continue until marked", answer: block, marker } as const
    const { enter, alarms } = hostWith({ policy }, drilled, clock)
    const session = enter()
    expect(await session.beforeToolCall(tool, rootId)).toMatchObject({ reason: expect.stringContaining("drill") })
    writeFileSync(marker, "")
    await clock.advance(timing.drillMs)
    await expect.poll(() => alarms, soon).toHaveLength(2)
    expect(alarms[1]).toBe("The guard 'policy' passes its drill again.")
    expect(await session.beforeToolCall(tool, rootId)).toMatchObject({ kind: "block", reason: block.reason })
  })
})

describe("a guard that does not answer initialize", () => {
  it("is reported after 5 s, also to later subscribers", async () => {
    const clock = testClock()
    const record = join(temporaryFolder(), "record")
    const { enter, alarms } = hostWith({ policy: { initialize: "hang", record } }, { failClosed: ["policy"] }, clock)
    const session = enter()
    await expect.poll(() => recorded(record).length, soon).toBe(1)
    await clock.advance(timing.guardReportMs)
    const sentence = "the guard policy has not answered initialize in 5 s: the calls that it guards wait for it."
    await expect.poll(() => alarms, soon).toEqual([sentence])
    const shown: string[] = []
    session.warnings.follow((warning) => void shown.push(warning))
    expect(shown).toEqual([sentence])
  })
})
