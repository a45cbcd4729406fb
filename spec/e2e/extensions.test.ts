// Plugins in the home or in a project, used by the real program; also one that exits during a call, and a guard that
// cannot be started.
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { eventually } from "./eventually.ts"
import { eventsOf } from "./printed.ts"
import { newPlace, openInput, type Place } from "./turnhouse.ts"

/** An extension in the language that every machine here has. It writes its pid and what it is asked to a file. */
const program = `
import { appendFileSync } from "node:fs"
const [record, answer, manner] = process.argv.slice(2)
let waiting = Buffer.alloc(0)
process.stdin.on("data", (chunk) => {
  waiting = Buffer.concat([waiting, chunk])
  for (;;) {
    const head = waiting.indexOf("\\r\\n\\r\\n")
    if (head === -1) return
    const end = head + 4 + Number(/\\d+/.exec(waiting.toString("latin1", 0, head))[0])
    if (waiting.length < end) return
    const { id, method, params } = JSON.parse(waiting.toString("utf8", head + 4, end))
    waiting = waiting.subarray(end)
    appendFileSync(record, JSON.stringify({ asked: params?.kind ?? method, env: Object.keys(process.env) }) + "\\n")
    if (params?.kind === "before_tool_call" && manner === "hang") return
    if (method === "initialize" && manner === "silent") return
    const greeting = { protocol_version: 1, capabilities: [] }
    const result = method === "initialize" ? greeting : params?.kind === "before_tool_call" ? JSON.parse(answer) : { action: "continue" }
    const body = JSON.stringify({ jsonrpc: "2.0", id, result })
    process.stdout.write("Content-Length: " + body.length + "\\r\\n\\r\\n" + body)
    if (method === "shutdown") process.exit()
  }
})
`
const hooks = [
  { hook: "before_tool_call", tool: "bash", match: { input_contains: "rm -rf" } },
  { hook: "on_session_start" },
  { hook: "on_session_end" },
]
const permissions = ["tools.intercept", "session.lifecycle"]
const block = { action: "block", reason: "that is too much" }

function install(place: Place, root: string, manner = "well", answer: object = block): void {
  const folder = join(root, "policy")
  mkdirSync(join(folder, ".synaps-plugin"), { recursive: true })
  const args = ["main.mjs", place.path("record"), JSON.stringify(answer), manner]
  const extension = { runtime: "process", command: process.execPath, args, permissions, hooks }
  writeFileSync(join(folder, ".synaps-plugin", "plugin.json"), JSON.stringify({ name: "policy", extension }))
  writeFileSync(join(folder, "main.mjs"), program)
}

interface HookCall {
  readonly asked: string
  readonly env: readonly string[]
}

function hookCalls(place: Place): readonly HookCall[] {
  if (!place.has("record")) return []
  const lines = readFileSync(place.path("record"), "utf8").split("\n").slice(0, -1) // the last may be half written
  return lines.map((line) => JSON.parse(line) satisfies HookCall)
}

function removing(place: Place, toolResult: string): string {
  const call = { call: { tool: "bash", input: { command: "rm -rf victim" } } }
  return place.script([[call], [{ expect: { toolResult } }, { text: "I was told." }]])
}

describe.concurrent("an extension in the home", () => {
  it("blocks a call that its manifest selects, and is called at the start and end of the session", async (test) => {
    const place = newPlace(test)
    install(place, join(place.home, "plugins"))
    mkdirSync(place.path("victim"))
    const model = removing(place, "Tool call blocked by extension: that is too much")
    const { code, stdout, stderr } = await place.run("run", "go", "--yes", "--model", model)
    expect({ code, stdout }).toEqual({ code: 3, stdout: "I was told.\n" })
    expect(stderr).toContain("that is too much")
    expect(existsSync(place.path("victim"))).toBe(true)
    const [refused] = eventsOf(await place.log(await place.newest()), "tool.refused")
    expect(refused).toMatchObject({ by: "policy" })
    const asked = ["initialize", "on_session_start", "before_tool_call", "on_session_end", "shutdown"]
    expect(hookCalls(place).map((one) => one.asked)).toEqual(asked)
    const secret = hookCalls(place)[0]?.env.filter((name) => name.startsWith("TURNHOUSE_"))
    expect(secret).toEqual(["TURNHOUSE_MARK"])
  })

  it("does nothing about calls that its manifest does not look at", async (test) => {
    const place = newPlace(test)
    install(place, join(place.home, "plugins"))
    const model = place.script([[{ call: { tool: "bash", input: { command: "echo fine" } } }], [{ text: "Done." }]])
    expect(await place.run("run", "go", "--yes", "--model", model)).toMatchObject({ code: 0, stdout: "Done.\n" })
    expect(hookCalls(place).map((one) => one.asked)).not.toContain("before_tool_call")
  })

  it("that asks for confirmation is answered by --allow-tool, once", async (test) => {
    const place = newPlace(test)
    install(place, join(place.home, "plugins"), "well", { action: "confirm", message: "remove it?" })
    mkdirSync(place.path("victim"))
    expect((await place.run("run", "go", "--allow-tool", "bash", "--model", removing(place, "no output"))).code).toBe(0)
    expect(existsSync(place.path("victim"))).toBe(false)
    const requests = eventsOf(await place.log(await place.newest()), "approval.requested")
    expect(requests).toMatchObject([{ reason: expect.stringContaining("policy: remove it?") }])
  })

  it("that is killed in the middle of a call is asked again, and passed over when it is killed again", async (test) => {
    const place = newPlace(test)
    install(place, join(place.home, "plugins"), "hang")
    mkdirSync(place.path("victim"))
    const running = place.start(["run", "go", "--yes", "--model", removing(place, "no output")])
    for (const times of [1, 2]) await killAtHookCall(place, times)
    expect(await running.ended).toMatchObject({ code: 0 })
    expect(existsSync(place.path("victim"))).toBe(false)
  })

  it("that is killed in the middle of a call blocks it, if it is a guard, and the user reads why", async (test) => {
    const place = newPlace(test)
    place.config({ extensions: { failClosed: ["policy"] } })
    install(place, join(place.home, "plugins"), "hang")
    mkdirSync(place.path("victim"))
    const running = place.start([
      "run",
      "go",
      "--yes",
      "--model",
      removing(place, "the guard 'policy' gave no decision"),
    ])
    for (const times of [1, 2]) await killAtHookCall(place, times)
    const { code, stderr } = await running.ended
    expect(code).toBe(3)
    expect(stderr).toContain("the guard 'policy' gave no decision: it was terminated by SIGKILL")
    expect(existsSync(place.path("victim"))).toBe(true)
  })
})

describe.concurrent("a program that is killed with -9", () => {
  it("leaves no extension behind, also one in the middle of an answer", async (test) => {
    const place = newPlace(test)
    install(place, join(place.home, "plugins"), "hang")
    const running = place.start(["run", "go", "--yes", "--model", removing(place, "never told")])
    await eventually("it is asked", () => hookCalls(place).find((one) => one.asked === "before_tool_call"))
    expect(programsOf(place)).not.toEqual([])
    running.signal("SIGKILL")
    await running.ended
    await eventually("it is gone", () => (programsOf(place).length > 0 ? undefined : true))
    expect(hookCalls(place).map((one) => one.asked)).not.toContain("on_session_end")
  })
})

describe.concurrent("an extension of a project", () => {
  it("is not even started before its folder is trusted", async (test) => {
    const place = newPlace(test)
    install(place, place.path(".turnhouse/plugins"))
    mkdirSync(place.path("victim"))
    const model = removing(place, "no output")
    expect((await place.run("run", "go", "--yes", "--model", model)).code).toBe(0)
    expect(hookCalls(place)).toEqual([])
    mkdirSync(place.path("victim"))
    expect((await place.run("trust", place.folder)).code).toBe(0)
    const blocked = removing(place, "that is too much")
    expect((await place.run("run", "go", "--yes", "--model", blocked)).code).toBe(3)
    expect(existsSync(place.path("victim"))).toBe(true)
  })
})

describe.concurrent("a guard that does not work", () => {
  const canary = { tool: "bash", input: { command: "rm -rf /canary" } }

  it("blocks what it guards when it lets its canary through, and only that", async (test) => {
    const place = newPlace(test)
    place.config({ extensions: { failClosed: ["policy"] }, guards: { policy: { canary } } })
    install(place, join(place.home, "plugins"), "well", { action: "continue" })
    mkdirSync(place.path("victim"))
    const remove = { call: { tool: "bash", input: { command: "rm -rf victim" } } }
    const greet = { call: { tool: "bash", input: { command: "echo fine" } } }
    const steps = [
      [remove],
      [{ expect: { toolResult: "it failed its drill" } }, greet],
      [{ expect: { toolResult: "fine" } }, { text: "I see." }],
    ]
    const { code, stdout, stderr } = await place.run("run", "go", "--yes", "--model", place.script(steps))
    expect({ code, stdout }).toEqual({ code: 3, stdout: "I see.\n" })
    expect(stderr).toContain("THE GUARD 'policy' FAILED ITS DRILL")
    expect(existsSync(place.path("victim"))).toBe(true)
  })

  it("that does not answer initialize is reported on stderr and to those who attach, and its calls wait", async (test) => {
    const place = newPlace(test)
    place.config({ extensions: { failClosed: ["policy"] } })
    install(place, join(place.home, "plugins"), "silent")
    mkdirSync(place.path("victim"))
    const running = place.start(["run", "go", "--json", "--yes", "--model", removing(place, "never")])
    await running.event("tool.called")
    await running.says("the guard policy has not answered initialize in 5 s: the calls that it guards wait for it.")
    const watching = place.start(["attach", await place.newest(), "--watch"], { input: openInput })
    await watching.prints("the guard policy has not answered initialize in 5 s")
    expect(existsSync(place.path("victim"))).toBe(true)
  })

  it("cannot be disabled: that is a mistake in the configuration", async (test) => {
    const place = newPlace(test)
    place.config({ extensions: { failClosed: ["policy"], disabled: ["policy"] } })
    const { code, stderr } = await place.run("run", "go", "--model", "offline/demo")
    expect(code).toBe(2)
    expect(stderr).toContain('extensions.disabled and extensions.failClosed both list "policy"')
    expect(stderr.trim().split("\n")).toHaveLength(1)
  })
})

describe.concurrent("a guard that is not there", () => {
  it("blocks every call", async (test) => {
    const place = newPlace(test)
    place.config({ extensions: { failClosed: ["policy"] } })
    const call = { call: { tool: "ls", input: { path: "." } } }
    const model = place.script([[call], [{ expect: { toolResult: "no extension of that name" } }, { text: "I see." }]])
    expect(await place.run("run", "go", "--yes", "--model", model)).toMatchObject({ code: 3, stdout: "I see.\n" })
  })
})

/** The nth time that it is asked about a call, by a process of its own each time. */
async function killAtHookCall(place: Place, times: number): Promise<void> {
  await eventually(`it is asked for the ${times}. time`, () => {
    const asked = hookCalls(place).filter((one) => one.asked === "before_tool_call")
    return asked[times - 1]
  })
  for (const pid of programsOf(place)) process.kill(pid, "SIGKILL")
}

/** The processes of the extension itself, without those that confine them. In its sandbox it knows another number. */
function programsOf(place: Place): readonly number[] {
  const pids = readdirSync("/proc").filter((name) => /^\d+$/.test(name))
  return pids.filter((pid) => isProgramOf(place, pid)).map(Number)
}

function isProgramOf(place: Place, pid: string): boolean {
  try {
    const [command = "", ...args] = readFileSync(`/proc/${pid}/cmdline`, "utf8").split("\0")
    return command === process.execPath && args.includes(place.path("record"))
  } catch {
    return false // it has ended in the meantime
  }
}
