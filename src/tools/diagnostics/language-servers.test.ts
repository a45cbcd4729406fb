import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { describe, expect, it, onTestFinished } from "vitest"
import type { SessionId } from "../../contract/ids.ts"
import { Workbench, type WorkbenchOptions } from "../fixtures/workbench.ts"
import type { ToolContext } from "../tool.ts"
import type { Behaviour } from "./fixtures/scripted-server.ts"

const program = fileURLToPath(new URL("fixtures/scripted-server.ts", import.meta.url))
const bad = "one\nBAD two\n"
const found = "a.x:2:1: error: bad line: BAD two (scripted S1)"
const one: SessionId = "0190b6a0-0000-7000-8000-000000000001"
const other: SessionId = "0190b6a0-0000-7000-8000-000000000002"

/** A folder whose files *.x are checked by a scripted server. */
function benchWith(behaviour: Behaviour, more: Partial<Settings> = {}, serverTiming: Timing = {}) {
  const folder = mkdtempSync(join(tmpdir(), "server-"))
  const [record, marker] = [join(folder, "record"), join(folder, "marker")]
  const argument = JSON.stringify({ record, marker, ...behaviour })
  const scripted = { command: [process.execPath, program, argument], files: ["*.x"], timeout: 60, ...more }
  const timing = { settleMs: 50, shutdownMs: 10_000, restartAfterMs: [0, 0, 0], ...serverTiming }
  const bench = new Workbench({ languageServers: { scripted }, serverTiming: timing })
  onTestFinished(async () => {
    await bench.close()
    rmSync(folder, { recursive: true })
  })
  let count = 0
  /** Replaces a.x and returns what the server reports. */
  const report = async (content: string, context: Partial<ToolContext> = {}) => {
    await bench.call("read", { path: "a.x" }, context)
    const { outcome, output } = await bench.call("write", { path: "a.x", content }, context)
    expect(outcome).toBe("done")
    expect(bench.text("a.x")).toBe(content)
    return output.slice(Math.max(output.indexOf("\n["), 0)).trim()
  }
  const reportUntil = async (pattern: RegExp) => {
    for (let tries = 0; tries < 300; tries++) {
      const text = await report(`${bad}${count++}\n`)
      if (pattern.test(text)) return text
    }
    throw new Error(`it never reported ${pattern}`)
  }
  const recorded = () => (existsSync(record) ? readFileSync(record, "utf8").trim().split("\n") : [])
  const pids = () => recorded().flatMap((line) => (line.startsWith("process ") ? [Number(line.slice(8))] : []))
  return { bench, marker, report, reportUntil, recorded, pids }
}

type Settings = NonNullable<WorkbenchOptions["languageServers"]>[string]
type Timing = NonNullable<WorkbenchOptions["serverTiming"]>

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

describe("diagnostics", () => {
  it.each<[string, Behaviour]>([
    ["published", {}],
    ["requested", { model: "pull" }],
    ["published without a version", { manner: "without version" }],
    ["published after those of an older text", { manner: "old version first" }],
    ["published after an empty list", { manner: "empty first" }],
    ["published after those of other files, with another spelling of the path", { manner: "other files first" }],
    ["requested again after a cancellation", { model: "pull", manner: "cancelled once" }],
    ["among members of the wrong form", { manner: "wrong forms" }],
    ["after calls of the server", { manner: "calls first" }],
  ])("are reported when they are %s", async (_, behaviour) => {
    const { report } = benchWith(behaviour)
    expect(await report(bad)).toBe(`[scripted reports 1 error after this change:]\n${found}`)
  })

  it.each<[string, Behaviour]>([
    ["published", {}],
    ["requested", { model: "pull" }],
  ])("that are %s are compared with those before the change", async (_, behaviour) => {
    const { report, pids } = benchWith(behaviour)
    await report(bad)
    expect(await report(`zero\n${bad}BAD three\n`)).toBe(
      "[scripted reports 1 new error after this change:]\na.x:4:1: error: bad line: BAD three (scripted S1)\n[scripted: 1 earlier error remains: a.x:3]",
    )
    expect(await report("good\n")).not.toContain("scripted")
    expect(pids()).toHaveLength(1)
  })

  it("of the text before the change are requested for a file that the server has not seen", async () => {
    const { bench, report } = benchWith({ model: "pull" })
    bench.put("a.x", bad)
    expect(await report(`${bad}good\n`)).toBe("[scripted: 1 earlier error remains: a.x:2]")
  })

  it("come from a server that got its options and its settings", async () => {
    const settings = { scripted: { part: { level: 3 } } }
    const { report } = benchWith({}, { initializationOptions: { strict: true }, settings })
    expect(await report("OPTIONS\nSETTINGS\n")).toContain(
      'a.x:1:1: error: {"strict":true} (scripted S1)\na.x:2:1: error: [{"level":3}] (scripted S1)',
    )
  })
})

describe("a language server that misbehaves", () => {
  const fails = "No diagnostics of scripted for this change: it failed: "

  it.each<[string, Behaviour, string]>([
    ["exits", { manner: "exit" }, `${fails}it ended with exit code 7.`],
    ["sends garbage", { manner: "garbage" }, `${fails}a message is not JSON.`],
    ["announces a huge message", { manner: "huge length" }, `${fails}a body of 5000000000 bytes is more than 4194304.`],
    ["prints other text", { manner: "stray output" }, `${fails}a head line has more than 1024 bytes.`],
    ["floods", { manner: "flood" }, `${fails}it sent more than 32 MiB between two checks.`],
    ["answers with an error", { model: "pull", manner: "error" }, "it answered with an error: internal trouble."],
    ["refuses to start", { initialize: "error" }, "it did not start: it answered initialize with an error: no"],
    ["exits when it starts", { initialize: "exit" }, "exit code 3; last line on stderr: cannot find the compiler."],
  ])("and %s does not fail the edit", async (_, behaviour, text) => {
    const { report, pids } = benchWith(behaviour)
    expect(await report(bad)).toContain(text)
    const staysAlive = behaviour.manner === "error"
    await expect.poll(() => pids().some(isAlive), { timeout: 30_000 }).toBe(staysAlive)
  })

  it("and does not exist is reported", async () => {
    const { report } = benchWith({}, { command: ["no-such-server"] })
    expect(await report(bad)).toBe(
      "[No diagnostics of scripted for this change: it did not start: its program was not found.]",
    )
  })

  it("is restarted, and works again", async () => {
    const { report, pids } = benchWith({ manner: "exit once" })
    expect(await report(bad)).toContain("failed: it ended with exit code 7")
    expect(await report(`${bad}2\n`)).toContain(found)
    expect(pids()).toHaveLength(2)
  })

  it("is restarted only after a pause", async () => {
    const { report, pids } = benchWith({ manner: "exit" }, {}, { restartAfterMs: [600_000] })
    await report(bad)
    expect(await report(`${bad}2\n`)).toBe(
      "[No diagnostics of scripted for this change: it is not running (it ended with exit code 7).]",
    )
    expect(pids()).toHaveLength(1)
  })

  it("is given up after three restarts, which each session hears once", async () => {
    const { report, pids } = benchWith({ manner: "exit" })
    for (const text of ["1", "2", "3"]) expect(await report(text)).toContain("it failed: ")
    const off =
      "[No diagnostics of scripted for this change: it is off: it ended with exit code 7, and 3 restarts did not help.]"
    expect(await report("4")).toBe(off)
    expect(await report("5")).not.toContain("scripted")
    expect(await report("6", { sessionId: other })).toBe(off)
    expect(pids()).toHaveLength(4)
  })

  it("and starts slowly does not hold the edit, and is used once it has started", async () => {
    const { report, reportUntil, marker } = benchWith({ initialize: "when marked" }, { timeout: 0.5 })
    expect(await report(bad)).toBe("[No diagnostics of scripted for this change: it is still starting after 0.5 s.]")
    writeFileSync(marker, "")
    expect(await reportUntil(/reports/)).toContain(found)
  })

  it("and hangs does not hold the edit, and is replaced after three requests without an answer", async () => {
    const { reportUntil, pids } = benchWith({ model: "pull", manner: "hang" }, { timeout: 0.3 })
    expect(await reportUntil(/sent none/)).toBe(
      "[No diagnostics of scripted for this change: it sent none within 0.3 s.]",
    )
    expect(await reportUntil(/failed/)).toContain("failed: it did not answer 3 times in a row")
    const [first = 0] = pids()
    await expect.poll(() => isAlive(first), { timeout: 30_000 }).toBe(false)
  })

  it("and publishes nothing is not killed, but gets less time", async () => {
    const { reportUntil, pids } = benchWith({ manner: "hang" }, { timeout: 0.5 }, { shortWaitMs: 10 })
    await reportUntil(/within 0\.01 s/)
    expect(pids().map(isAlive)).toEqual([true])
  })

  it("and publishes only some files of a patch is reported with how many it left out", async () => {
    const { bench, reportUntil } = benchWith({ manner: "first file only" }, { timeout: 2 })
    await reportUntil(/reports/)
    const added = ["b.x", "c.x"].map((path) => `*** Add File: ${path}\n+BAD\n`).join("")
    const input = `*** Begin Patch\n${added}*** Delete File: a.x\n*** End Patch`
    const { output, details } = await bench.call("apply_patch", { input })
    const text = "[scripted reports 1 error after this change:]\nb.x:1:1: error: bad line: BAD (scripted S1)"
    expect(output).toContain(`${text}\n[scripted did not check 1 of the changed files.]`)
    expect(details).toMatchObject({ diagnostics: `${text}\n[scripted did not check 1 of the changed files.]` })
  })

  it("and hangs does not hold an interrupted call", async () => {
    const { report, recorded } = benchWith({ model: "pull", manner: "hang" })
    const stop = new AbortController()
    const pending = report(bad, { signal: stop.signal })
    await expect.poll(recorded, { timeout: 30_000 }).toContain("textDocument/diagnostic")
    stop.abort()
    expect(await pending).toContain("was interrupted")
  })
})

describe("the process of a language server", () => {
  it("is shared by sessions of a folder and ends with the last of them", async () => {
    const { bench, report, pids, recorded } = benchWith({})
    await report(bad, { sessionId: one })
    await report(`${bad}2\n`, { sessionId: other })
    const [pid = 0, ...more] = pids()
    expect(more).toEqual([])
    await bench.languageServers.leave(one)
    expect(isAlive(pid)).toBe(true)
    await bench.languageServers.leave(other)
    expect(isAlive(pid)).toBe(false)
    expect(recorded().slice(-2)).toEqual(["shutdown", "exit"])
  })

  it("is not shared with a session that has another environment", async () => {
    const { report, pids } = benchWith({})
    await report(bad)
    await report(`${bad}2\n`, { sessionId: other, env: { PATH: process.env["PATH"] ?? "", MINE: "1" } })
    expect(pids()).toHaveLength(2)
  })

  it("is killed if it ignores that it should end, also while it starts", async () => {
    for (const behaviour of [{ shutdown: "hang" }, { shutdown: "hang", initialize: "hang" }] as const) {
      const { bench, report, pids } = benchWith(behaviour, {}, { shutdownMs: 50 })
      const first = report(bad)
      await expect.poll(pids, { timeout: 30_000 }).toHaveLength(1)
      await bench.languageServers.close()
      await first
      expect(pids().map(isAlive)).toEqual([false])
      expect(await report(`${bad}2\n`)).not.toContain("scripted")
    }
  })
})
