// What the user can switch about the hooks of a session.
import { existsSync, readFileSync, statSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it, onTestFinished } from "vitest"
import type { HookEvent } from "../protocols/extension/frames.ts"
import { continues, extension, watchingAll, type Answers } from "../testing/hook-world.ts"
import { systemClock, timing } from "./process/clock.ts"
import type { Behaviour } from "./fixtures/misbehaving.ts"
import { extensionDeps, specOf, temporaryFolder } from "./fixtures/plugins.ts"
import { hostExtension, type HostedExtension } from "./hosted-extension.ts"
import { recordReplacement, type Replacement } from "./bus/intercept-log.ts"
import { SessionHooks, type SessionHooksOptions } from "./session-hooks.ts"
import { isOff, isOn } from "./discovery/extension-roots.ts"

const tool = { name: "bash", runtimeName: "bash", input: { command: "date" } }
const confirm = { action: "confirm", message: "really?" }

function hooksOf(own: readonly HostedExtension[], more: Partial<SessionHooksOptions> = {}) {
  return new SessionHooks({ own, shared: [], clock: systemClock, timing, debug: () => {}, ...more })
}

describe("auto-approve", () => {
  const asking = (isGuard = false) => extension("a", { before_tool_call: confirm }, [], isGuard)

  it("answers the confirm of an extension, and no later handler is called", async () => {
    const seen: HookEvent[] = []
    const own = [asking(), extension("b", { before_tool_call: { action: "block", reason: "no" } }, seen)]
    expect(await hooksOf(own, { autoApproves: true }).beforeToolCall(tool, "s")).toEqual({ kind: "continue" })
    expect(seen).toEqual([])
    expect(await hooksOf(own).beforeToolCall(tool, "s")).toMatchObject({ kind: "confirm" })
  })

  it("does not answer the confirm of a guard", async () => {
    const hooks = hooksOf([asking(true)], { autoApproves: true })
    expect(await hooks.beforeToolCall(tool, "s")).toMatchObject({ kind: "confirm", by: "a" })
  })
})

it("tool and message hooks can be sent without the session id", async () => {
  const seen: HookEvent[] = []
  const hooks = hooksOf([watchingAll(seen)], { hidesSession: true })
  hooks.begin("s")
  await hooks.beforeToolCall(tool, "s")
  await hooks.afterToolCall(tool, "out", "s")
  await hooks.beforeMessage("hi", "s")
  await hooks.messageComplete({ text: "hello", blocks: 1, hasToolUse: false }, "s")
  await hooks.end("s", [])
  expect(seen.map(({ kind, session_id }) => [kind, session_id])).toEqual([
    ["on_session_start", "s"],
    ["before_tool_call", null],
    ["after_tool_call", null],
    ["before_message", null],
    ["on_message_complete", null],
    ["on_session_end", "s"],
  ])
})

describe("a replaced tool output", () => {
  it("is logged with names and sizes (case 67)", async () => {
    const noted: Replacement[] = []
    const answers: Answers = { after_tool_call: { action: "replace", output: "é" } }
    const hooks = hooksOf([extension("a", answers)], { replaced: (one) => void noted.push(one) })
    const named = { ...tool, name: "x_echo", runtimeName: "x:echo" }
    expect(await hooks.afterToolCall(named, "secret", "s")).toBe("é")
    expect(noted).toEqual([{ extension: "a", tool: "x:echo", observed: 6, replaced: 2 }])
    const others = hooksOf([extension("a", { after_tool_call: continues })], {
      replaced: (one) => void noted.push(one),
    })
    expect(await others.afterToolCall(tool, "out", "s")).toBeUndefined()
    expect(noted).toHaveLength(1)
  })

  it("is one line in a file that only its owner can read and that is rotated", () => {
    const file = join(temporaryFolder(), "extensions", "intercept.jsonl")
    const replacement = { extension: "a", tool: "bash", observed: 45_000, replaced: 6080 }
    recordReplacement(file, replacement, 0)
    recordReplacement(file, replacement, 1000)
    const [first = "", second = ""] = readFileSync(file, "utf8").split("\n")
    expect(JSON.parse(first)).toEqual({
      timestamp: "1970-01-01T00:00:00.000Z",
      plugin_id: "a",
      hook: "after_tool_call",
      tool_name: "bash",
      action: "replace",
      observed_len: 45_000,
      replacement_len: 6080,
    })
    expect(second).toContain("1970-01-01T00:00:01.000Z")
    expect(statSync(file).mode & 0o777).toBe(0o600)
    writeFileSync(file, "x".repeat(5 * 1024 * 1024))
    recordReplacement(file, replacement, 0)
    expect(readFileSync(file, "utf8").split("\n")).toHaveLength(2)
    expect(existsSync(`${file}.old`)).toBe(true)
  })
})

describe("a trace", () => {
  async function traced(behaviour: Behaviour, trace: boolean, hookMs: number = timing.hookMs) {
    const deps = extensionDeps({ trace, timing: { ...timing, hookMs, restartAfterMs: [] } })
    const stopper = new AbortController()
    const hosted = hostExtension(specOf(behaviour), false, deps, stopper)
    onTestFinished(() => hosted.stop())
    await hosted.started
    await hooksOf([hosted]).beforeToolCall({ ...tool, input: { command: "hush" } }, "s")
    return deps.printed
  }

  it.each([
    [{ answer: { action: "block", reason: "hush" } }, "block"],
    [{ answer: "nonsense" }, "none"],
    [{ manner: "error" }, "error"],
    [{ manner: "exit always" }, "fault"],
  ] satisfies [Behaviour, string][])(
    "has a record for each call, without what it was about: %j",
    async (behaviour, action) => {
      const printed = await traced(behaviour, true)
      expect(printed).toHaveLength(1)
      expect(printed[0]).not.toContain("hush")
      expect(JSON.parse(printed[0]?.replace("trace ", "") ?? "")).toEqual({
        hook: "before_tool_call",
        extension: "subject",
        action,
        duration_ms: expect.any(Number),
        health: action === "fault" ? "failed" : "running",
        restart_count: 0,
      })
    },
  )

  it("records a timeout", async () => {
    expect(await traced({ manner: "hang" }, true, 1)).toEqual([expect.stringContaining('"action":"timeout"')])
  })

  it("is off by default", async () => {
    expect(await traced({}, false)).toEqual([])
  })
})

it("isOn and isOff accept several spellings", () => {
  for (const value of ["1", " TRUE ", "yes", "On"]) expect([isOn(value), isOff(value)]).toEqual([true, false])
  for (const value of ["0", "False", "off ", "no"]) expect([isOn(value), isOff(value)]).toEqual([false, true])
  for (const value of ["", "maybe", undefined]) expect([isOn(value), isOff(value)]).toEqual([false, false])
})
