import { describe, expect, it } from "vitest"
import { argumentsOf, confirmationText } from "./tool-call-text.ts"

const asked = (input: Parameters<typeof confirmationText>[1]) =>
  /^Tool 'pay' requires confirmation(.*)\. Allow\?$/s.exec(confirmationText("pay", input))?.[1]

describe("confirmationText", () => {
  it("names every field and its value", () => {
    expect(asked({ order: "1002", to: "Åsa Berg", sum: 7, at: { home: true }, why: null })).toBe(
      ' (order: 1002, to: Åsa Berg, sum: 7, at: {"home":true}, why: null)',
    )
    expect(asked({})).toBe("")
    expect(asked("nothing that has members")).toBe("")
  })

  it("a value cannot look like another field or like the end of the text", () => {
    expect(asked({ to: "Bob, sum: 1). Allow?", sum: 1_000_000 })).toBe(
      String.raw` (to: "Bob, sum: 1). Allow?", sum: 1000000)`,
    )
    expect(asked({ to: 'x", "sum: 1', "a: 1, b": 2 })).toBe(String.raw` (to: "x\", \"sum: 1", "a: 1, b": 2)`)
  })

  it("escapes invisible and bidirectional characters", () => {
    expect(asked({ file: "a\u202ecod.\u200bexe", more: "x\ny" })).toBe(
      String.raw` (file: "a\u202ecod.\u200bexe", more: "x\ny")`,
    )
  })

  it("a long value does not hide the others; the number of omitted fields is given", () => {
    const long = asked({ note: "n".repeat(5000), sum: 1_000_000 }) ?? ""
    expect(long).toMatch(/^ \(note: n+…, sum: 1000000\)$/)
    expect(long.length).toBeLessThan(600)
    const many = asked(Object.fromEntries(Array.from({ length: 1000 }, (_, at) => [`m${at}`, "v".repeat(100)]))) ?? ""
    expect(many).toMatch(/^ \(m0: v+….*, and 98\d more\)$/)
    expect(many.length).toBeLessThan(700)
  })
})

describe("argumentsOf", () => {
  it("returns an object for any input", () => {
    expect(argumentsOf({ a: 1 })).toEqual({ a: 1 })
    expect(argumentsOf([1])).toEqual({ _raw: "[1]" })
    expect(argumentsOf({ unparsed: "{oops" })).toEqual({ _raw: "{oops" })
  })
})
