import { spawn } from "node:child_process"
import { once } from "node:events"
import { mkdtempSync, readdirSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { describe, expect, it, onTestFinished } from "vitest"
import { ratioChart } from "../../bench/doors/chart.ts"
import { Report } from "../../bench/doors/report.ts"
import { processesWith } from "../../bench/doors/running-process.ts"
import { lineOf, tableMarkdown } from "../../bench/doors/tables.ts"
import { TurnClock } from "../../bench/doors/turn-times.ts"

const program = fileURLToPath(new URL("../../bench/main.ts", import.meta.url))

function start(...args: readonly string[]) {
  const folder = mkdtempSync(join(tmpdir(), "turnhouse-spec-bench-"))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const child = spawn(process.execPath, [program, ...args], { env: { ...process.env, TMPDIR: folder }, stdio: "pipe" })
  let [stdout, stderr] = ["", ""]
  child.stdout.setEncoding("utf8").on("data", (text: string) => (stdout += text))
  child.stderr.setEncoding("utf8").on("data", (text: string) => (stderr += text))
  const ended = once(child, "close").then(([code]: unknown[]) => ({ code, stdout, stderr }))
  const left = () => ({ files: readdirSync(folder), processes: processesWith(`TURNHOUSE_HOME=${folder}`) })
  return { child, ended, left }
}

const nothing = { files: [], processes: [] }

describe("the benchmark", () => {
  it("explains itself and names wrong arguments", async () => {
    const [help, load, option, both] = await Promise.all(
      [["--help"], ["--only", "start,nosuch"], ["--fast"], ["--json", "--markdown"]].map(
        (args) => start(...args).ended,
      ),
    )
    expect(help).toMatchObject({ code: 0, stderr: "" })
    for (const word of ["--only", "--json", "--markdown", "--long", "--charts", "--peers", "start, turn, deltas"])
      expect(help?.stdout).toContain(word)
    expect(load).toMatchObject({ code: 2, stdout: "" })
    expect(load?.stderr).toContain("there is no load nosuch. There are: start, turn,")
    expect(option).toMatchObject({ code: 2, stdout: "" })
    expect(option?.stderr).toContain("--fast")
    expect(both?.stderr).toContain("exclude each other")
  })

  it("prints rows as JSON, and leaves no process and no file", async () => {
    const { ended, left } = start("--quick", "--only", "memory", "--json")
    const { code, stdout, stderr } = await ended
    expect({ code, stderr }).toEqual({ code: 0, stderr: "memory: starts\n" })
    const printed: { rows: { load: string; door: string; ours: object }[]; machine: string } = JSON.parse(stdout)
    expect(printed.machine).toContain("Node v")
    expect(printed.rows.map(({ load, door }) => `${load} ${door}`)).toEqual([
      "memory ws",
      "memory house",
      "memory house",
    ])
    for (const { ours } of printed.rows)
      expect(ours).toEqual({ median: expect.any(Number), p10: expect.any(Number), p90: expect.any(Number), runs: 1 })
    expect(left()).toEqual(nothing)
  })

  it("leaves no process and no file after Ctrl-C", async () => {
    const { child, ended, left } = start("--quick", "--only", "memory")
    await once(child.stderr, "data")
    child.kill("SIGINT")
    expect(await ended).toMatchObject({ code: 130, stdout: "" })
    expect(left()).toEqual(nothing)
  })
})

describe("a row", () => {
  it("compares the medians, and misses a bound above it", () => {
    const report = new Report()
    report.add("ws", "time", "bare", 1, 2, 3)
    report.add("ws", "time", "ours", 5, 4, 30)
    const row = report.row("turn", "ws", "time", "ms", { of: "ratio", atMost: 2 })
    expect(row).toMatchObject({ ratio: 2.5, ours: { median: 5 }, bare: { median: 2 }, bound: { isMet: false } })
    expect(lineOf(row)).toMatch(/time, ms +WebSocket +5\.00 +2\.00 +2\.50x +MISSED: at most 2 x bare/)
    expect(tableMarkdown([row], false).split("\n")[2]).toMatch(
      /^\| time, ms \| \*\*5\.00\*\* \| 2\.00 \| .* at most 2 x bare \|$/,
    )
    expect(report.missed).toEqual([row])
  })

  it("misses a bound below it, and one that was not measured", () => {
    const report = new Report()
    report.add("ws", "speed", "bare", 10)
    report.add("ws", "speed", "ours", 6)
    expect(report.row("turn", "ws", "speed", "1/s", { of: "ratio", atLeast: 0.5 }).bound?.isMet).toBe(true)
    expect(report.row("turn", "ws", "nothing", "ms", { of: "alone", atMost: 1 }).bound?.isMet).toBe(false)
  })

  it("has a column for its door in a table of several doors", () => {
    const report = new Report()
    for (const [door, time] of [
      ["rpc", 5],
      ["ws", 7],
    ] as const)
      report.add(door, "time", "ours", time)
    report.add("ws", "time", "bare", 2)
    const rows = [
      report.row("turn", "rpc", "time", "ms"),
      report.row("turn", "ws", "time", "ms", { of: "alone", atMost: 6 }),
    ]
    const [head, , line] = tableMarkdown(rows, true).split("\n")
    expect(head).toMatch(/^\| ours \/ bare \| stdio \| WebSocket +\| target +\|$/)
    expect(line).toMatch(/^\| time, ms +\| 5\.00 +\| \*\*7\.00\*\* \/ 2\.00 \|/)
  })

  it("is not made of something that was not measured", () => {
    const report = new Report()
    report.add("ws", "time", "ours", 1, Number.NaN)
    expect(() => report.row("turn", "ws", "time", "ms")).toThrow("not a number")
  })

  it("is a bar of a chart", () => {
    const report = new Report()
    report.add("ws", "<time>", "ours", 5)
    expect(ratioChart("Turns", [report.row("turn", "ws", "<time>", "ms")])).toContain("&lt;time> (ws)")
  })
})

describe("the clock of a turn", () => {
  it("reads tokens that are cut anywhere and joined in frames", () => {
    const clock = new TurnClock()
    for (const text of [" 10.0", "00/11.500; 11", ".600; 11.700;", " 12"]) clock.text(text, text.length)
    const { requestedAt, firstWrittenAt, lastWrittenAt, tokens, frames, delays } = clock.end()
    expect({ requestedAt, firstWrittenAt, lastWrittenAt }).toEqual({
      requestedAt: 10,
      firstWrittenAt: 11.5,
      lastWrittenAt: 11.7,
    })
    expect({ tokens, frames, delays: delays.length }).toEqual({ tokens: 3, frames: 4, delays: 2 })
  })
})
