import { describe, expect, it } from "vitest"
import { planSummary } from "./plan-summary.ts"
import type { ContextItem } from "../../contract/views/context.ts"

const steps = "1. Read the door.\n2. Mend the door.\n"

describe("the summary of a plan", () => {
  it("is the newest answer that is long enough, if it has a heading, a list or numbered steps", () => {
    const plan = `${steps}${"x".repeat(100)}`
    expect(planSummary([said(plan), said("Shall I begin?")])).toBe(plan)
    for (const form of ["# Plan", "- first", "1."]) expect(planSummary([said(form.padEnd(101, "."))])).toBeDefined()
  })

  it("is not made from a short answer, from prose, or without an answer", () => {
    expect(planSummary([])).toBeUndefined()
    expect(planSummary([said(steps)])).toBeUndefined()
    expect(planSummary([said(steps.padEnd(200, "x")), said("No, that would not work at all. ".repeat(5))])).toBe(
      undefined,
    )
    const user = { kind: "user", seq: 1, lastSeq: 1, attachments: [], untrustedSource: undefined } as const
    expect(planSummary([{ ...user, text: steps.repeat(9) }])).toBeUndefined()
  })

  it("ignores answers of up to 100 bytes", () => {
    expect(planSummary([said(`# ${"é".repeat(49)}`)])).toBeUndefined()
    expect(planSummary([said(`# ${"é".repeat(49)}.`)])).toBe(`# ${"é".repeat(49)}.`)
  })

  it("is cut after 500 bytes, never inside a character", () => {
    for (const shift of [0, 1, 2, 3]) {
      const text = `# ${"-".repeat(shift)}${"😀".repeat(200)}`
      const cut = planSummary([said(text)]) ?? ""
      expect(cut.endsWith("😀...")).toBe(true)
      expect(text.startsWith(cut.slice(0, -3))).toBe(true)
      expect(Buffer.byteLength(cut.slice(0, -3))).toBeGreaterThan(496)
      expect(Buffer.byteLength(cut.slice(0, -3))).toBeLessThanOrEqual(500)
    }
    expect(planSummary([said("# ".padEnd(500, "x"))])).toHaveLength(500)
  })

  it("is well-formed also where the model wrote half a character", () => {
    expect(planSummary([said(`# ${"x".repeat(200)}\ud83d`)])?.isWellFormed()).toBe(true)
  })
})

function said(text: string): ContextItem {
  const parts = [{ kind: "text", text, cutOff: false } as const]
  return { kind: "assistant", seq: 1, lastSeq: 1, stepId: "stp_1", parts, results: {} }
}
