import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { reliability, expectedVotes, requiredLead } from "./odds.ts"

describe("the odds of a vote", () => {
  it("need a lead of three for an answer that is right in 98 of 100 cases", () => {
    expect(requiredLead(0.98)).toBe(3)
    expect(reliability(3)).toBeCloseTo(64 / 65)
    expect(expectedVotes(3)).toBe(5)
  })

  it("the smallest lead for a target reaches it, and one less does not", () => {
    const target = fc.double({ min: 0.501, max: 0.9999, noNaN: true })
    const odds = fc.double({ min: 0.55, max: 0.99, noNaN: true })
    fc.assert(
      fc.property(target, odds, (wanted, one) => {
        const lead = requiredLead(wanted, one)
        expect(reliability(lead, one)).toBeGreaterThanOrEqual(wanted - 1e-9)
        expect(lead === 1 ? 0 : reliability(lead - 1, one)).toBeLessThan(wanted + 1e-9)
      }),
    )
  })
})
