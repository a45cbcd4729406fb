import { afterEach, beforeEach, describe, expect, it, vi } from "vitest"
import { FakeTerminal, screenOf } from "./fixtures/fake-terminal.ts"
import { LiveRegion } from "./live-region.ts"
import { TerminalOutput } from "./terminal-output.ts"

let terminal: FakeTerminal
let output: TerminalOutput
let region: LiveRegion

beforeEach(() => {
  vi.useFakeTimers()
  terminal = FakeTerminal.open(60)
  vi.spyOn(process, "stdout", "get").mockReturnValue(Object.assign(terminal, { fd: 1 as const }))
  region = new LiveRegion(terminal)
  output = new TerminalOutput(terminal, region)
})
afterEach(() => {
  output.close()
  vi.useRealTimers()
  vi.restoreAllMocks()
})

const screen = () => screenOf(terminal.written).join("\n").trimEnd()
const bash = { tool: "bash", input: { command: "npm test" } }

describe("text", () => {
  it("is shown while it is written, and looks the same when it is complete", () => {
    for (const piece of ["## He", "ading\n\nA para", "graph\n\n- one\n- tw"]) {
      output.text(piece)
      vi.advanceTimersByTime(50)
    }
    const streamed = screen()
    expect(streamed).toBe("\n## Heading\n\nA paragraph\n\n• one\n• tw")
    output.endText()
    expect(screen()).toBe(streamed)
  })

  it("is the same however it is cut into pieces", () => {
    const text =
      "# A\ntext **bold\nstill** end\n\n```\ncode\n\nmore\n```\n\n1. x\n\n2. y\n\n| a | b |\n|--|--|\n| 1 | 2 |\n\nend"
    output.text(text)
    output.endText()
    const whole = screen()
    terminal.written = ""
    const other = new TerminalOutput(terminal, region)
    for (const letter of text) {
      other.text(letter)
      vi.advanceTimersByTime(50)
    }
    other.endText()
    expect(screen()).toBe(whole)
  })
})

describe("a call", () => {
  it("shows its last lines while it runs, and its folded output afterwards", () => {
    output.callStarted("cal_1", bash, Date.now())
    output.progress("cal_1", "two", { from: 0, text: "one\ntwo\n" })
    expect(screen()).toBe("○ bash npm test\n  │ one\n  │ two")
    vi.advanceTimersByTime(4000)
    expect(screen()).toContain("○ bash npm test")
    expect(screen()).toContain("4.0 s")
    const lines = Array.from({ length: 50 }, (_, at) => `line ${at}`).join("\n")
    output.callEnded("cal_1", bash, { outcome: "failed", output: lines, details: { exitCode: 1 } }, Date.now())
    expect(screen().split("\n")).toEqual([
      `● bash npm test${" ".repeat(34)}✗ 1  4.0 s`,
      "  │ line 0",
      "  │ line 1",
      "  │ +44 lines",
      "  │ line 46",
      "  │ line 47",
      "  │ line 48",
      "  │ line 49",
    ])
  })

  it("shows the change of a file with line numbers", () => {
    const diff = {
      added: 1,
      removed: 1,
      lines: [
        { sign: "-", at: 41, text: "old\u001b[31m" },
        { sign: "+", at: 41, text: "new" },
        { sign: "…", omitted: 12 },
      ],
    }
    const edit = { tool: "edit", input: { path: "a.ts" } }
    output.callEnded("cal_1", edit, { outcome: "done", output: "Changed", details: { path: "a.ts", diff } }, 0)
    expect(screen()).toMatch(
      /^● edit a\.ts +\+1 −1\n {2}│ 41 - old\u{fffd}\[31m\n {2}│ 41 \+ new\n {2}│ {4}\+12 lines$/u,
    )
  })

  it("shows the changes of several files, each under its path", () => {
    const diff = { added: 1, removed: 0, lines: [{ sign: "+", at: 1, text: "new" }] }
    const diffs = ["a.ts", "b.ts"].map((path) => ({ path, ...diff }))
    const call = { tool: "apply_patch", input: { input: "*** Update File: a.ts\n*** Update File: b.ts" } }
    output.callEnded("cal_1", call, { outcome: "done", output: "Changed", details: { diffs } }, 0)
    expect(screen()).toMatch(
      /\+2 −0\n {2}│ a\.ts {2}\+1 −0\n {2}│ {2}1 \+ new\n {2}│ b\.ts {2}\+1 −0\n {2}│ {2}1 \+ new$/,
    )
  })

  it.each([
    ["read", { path: "a" }, { from: 1, to: 42 }, "42 lines"],
    ["grep", { pattern: "a" }, { matches: 1 }, "1 match"],
    ["ls", {}, { entries: 3 }, "3 entries"],
    ["find", { pattern: "a" }, { found: 2 }, "2 entries"],
  ])("of %s says only how much it found", (tool, input, details, fact) => {
    output.callEnded("cal_1", { tool, input }, { outcome: "done", output: "a\nb", details }, 0)
    expect(screen().split("\n")).toHaveLength(1)
    expect(screen()).toContain(fact)
  })

  it("shows the beginning of a new file", () => {
    const content = Array.from({ length: 20 }, (_, at) => `l${at}\n`).join("")
    const write = { tool: "write", input: { path: "a", content } }
    output.callEnded("cal_1", write, { outcome: "done", output: "Created", details: { created: true } }, 0)
    expect(screen()).toMatch(/^● write a +\+20\n {2}│ {2}1 \+ l0\n/)
    expect(screen()).toMatch(/ 8 \+ l7\n {2}│ {4}\+12 lines$/)
  })

  it("shows what language servers report below the change", () => {
    const write = { tool: "write", input: { path: "a.ts", content: "x\n" } }
    const details = {
      created: true,
      diagnostics: "[ts reports 1 error after this change:]\na.ts:1:1: error: \u001b[2Jno x",
    }
    output.callEnded("cal_1", write, { outcome: "done", output: "Created", details }, 0)
    expect(screen()).toMatch(/ 1 \+ x\n {2}│ \[ts reports 1 error .*\]\n {2}│ a\.ts:1:1: error: �\[2Jno x$/)
  })

  it("that is refused says why, without control characters", () => {
    output.callStopped("cal_1", bash, { sign: "⊘", tone: "yellow", reason: "Denied by me: \u001b[2Jno" })
    expect(screen()).toBe("⊘ bash npm test\n  │ Denied by me: �[2Jno")
  })
})

describe("the live region", () => {
  it("keeps a question below everything that is printed", () => {
    region.set("question", ["approve?"])
    output.callStarted("cal_1", bash, 0)
    output.notice("dim", "a notice")
    output.text("Some text")
    vi.advanceTimersByTime(50)
    expect(screen().split("\n").at(-1)).toBe("approve?")
    region.pause()
    expect(screen()).not.toContain("approve?")
    region.resume()
    expect(screen().split("\n").at(-1)).toBe("approve?")
  })

  it("shows no more lines than the terminal has, and none that wraps", () => {
    region.set(
      "text",
      Array.from({ length: 100 }, (_, at) => `${at} ${"x".repeat(100)}`),
    )
    const lines = screen().split("\n")
    expect(lines).toHaveLength(23)
    expect(lines.every((line) => line.length < 60)).toBe(true)
  })
})
