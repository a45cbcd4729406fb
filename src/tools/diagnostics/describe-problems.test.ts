import { describe, expect, it } from "vitest"
import { describeProblems, type CheckedFile } from "./describe-problems.ts"
import { problemsIn, type Problem } from "./problems.ts"

const problem = (line: number, more: Partial<Problem> = {}): Problem => ({
  severity: "error",
  line,
  column: 1,
  message: `message ${line}`,
  origin: "",
  ...more,
})
const file = (added: readonly Problem[], more: Partial<CheckedFile> = {}): CheckedFile => ({
  displayPath: "a.ts",
  added,
  remaining: [],
  isCompared: true,
  ...more,
})
const same = (text: string) => text

describe("a description of problems", () => {
  it("is empty without errors and warnings", () => {
    expect(describeProblems("ts", [file([]), file([])], same)).toBe("")
  })

  it("has at most 20 errors and 5 warnings, errors first, and counts the others", () => {
    const warnings = Array.from({ length: 6 }, (_, index) => problem(index + 1, { severity: "warning" }))
    const errors = Array.from({ length: 30 }, (_, index) => problem(index + 100))
    const lines = describeProblems("ts", [file([...warnings, ...errors])], same).split("\n")
    expect(lines[0]).toBe("[ts reports 30 new errors and 6 new warnings after this change:]")
    expect(lines.filter((line) => line.includes(": error: "))).toHaveLength(20)
    expect(lines.slice(21)).toEqual([
      ...[1, 2, 3, 4, 5].map((line) => `a.ts:${line}:1: warning: message ${line}`),
      "[11 more are not shown.]",
    ])
  })

  it("has one line of bounded length per problem, without secrets and without control sequences", () => {
    const message = `\u001b[31mfirst\u001b[0m\n  second password1 \u0007${"x".repeat(9000)}`
    const text = describeProblems("ts", [file([problem(1, { message, origin: "\u001b[1mts\n2322" })])], (part) =>
      part.replace("password1", "[redacted]"),
    )
    const [, line = ""] = text.split("\n")
    expect(text.split("\n")).toHaveLength(2)
    expect(line).toMatch(/^a\.ts:1:1: error: first second \[redacted\] \ufffdx+… \(ts 2322\)$/)
    expect(line.length).toBeLessThan(400)
  })

  it("names the places of earlier errors, ten at most, and does not mention earlier warnings", () => {
    const remaining = [...Array.from({ length: 12 }, (_, at) => problem(at + 1)), problem(99, { severity: "warning" })]
    expect(describeProblems("ts", [file([], { remaining })], same)).toBe(
      "[ts: 12 earlier errors remain: a.ts:1, a.ts:2, a.ts:3, a.ts:4, a.ts:5, a.ts:6, a.ts:7, a.ts:8, a.ts:9, a.ts:10, …]",
    )
  })
})

describe("diagnostics of a server", () => {
  const at = (line: number, more: object = {}) => ({ range: { start: { line, character: 2 } }, message: "m", ...more })

  it("are errors without a severity; hints and information are left out", () => {
    const severities = [
      at(5),
      at(1, { severity: 1 }),
      at(2, { severity: 2 }),
      at(3, { severity: 3 }),
      at(4, { severity: 4 }),
    ]
    expect(problemsIn(severities).map(({ severity, line }) => [severity, line])).toEqual([
      ["error", 2],
      ["warning", 3],
      ["error", 6],
    ])
  })

  it("may have markup as message, and a number as code", () => {
    const diagnostic = at(0, { message: { kind: "markdown", value: "*bad*" }, source: "ts", code: 2322 })
    expect(problemsIn([diagnostic])).toEqual([
      { severity: "error", line: 1, column: 3, message: "*bad*", origin: "ts 2322" },
    ])
  })

  it("are bounded in number, and nothing else than a list is read", () => {
    expect(problemsIn(Array.from({ length: 5000 }, () => at(0)))).toHaveLength(1000)
    for (const value of [undefined, null, "x", { length: 3 }]) expect(problemsIn(value)).toEqual([])
  })
})
