import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { Ballot } from "./ballot.ts"

function ballotOf(ahead: number, ...keys: readonly string[]): Ballot<string> {
  const ballot = new Ballot<string>(ahead)
  for (const key of keys) ballot.cast(key, key)
  return ballot
}

describe("a ballot", () => {
  it("has no leader and needs all votes before the first", () => {
    const ballot = ballotOf(3)
    expect([ballot.leader, ballot.lead, ballot.missing, ballot.tally]).toEqual([undefined, 0, 3, "0-0"])
  })

  it("is decided by the lead over the next, not by the number of votes", () => {
    expect(ballotOf(2, "a", "b", "a").missing).toBe(1)
    const decided = ballotOf(2, "a", "b", "a", "a")
    expect([decided.leader, decided.missing, decided.tally]).toEqual(["a", 0, "3-1"])
  })

  it("is led by the first of two answers in a tie", () => {
    expect(ballotOf(1, "b", "a", "a", "b").leader).toBe("b")
  })

  it("no answer has more votes than the leader", () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom("a", "b", "c", "d")), (keys) => {
        const ballot = ballotOf(3, ...keys)
        const counts = [...Map.groupBy(keys, (key) => key)].map(([, same]) => same.length).toSorted((x, y) => y - x)
        expect(keys.filter((key) => key === ballot.leader)).toHaveLength(counts[0] ?? 0)
        expect(ballot.lead).toBe((counts[0] ?? 0) - (counts[1] ?? 0))
        expect(ballot.counted).toBe(keys.length)
      }),
    )
  })
})
