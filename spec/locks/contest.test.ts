import { expect, it } from "vitest"
import { contest, faultsOf, type HeldLock } from "./contest.ts"

it("processes that are frozen, woken and killed never hold conflicting locks without noticing", async () => {
  const result = await contest({ seconds: 6, seed: 7 })
  expect(faultsOf(result)).toEqual([])
  expect(result.held.length).toBeGreaterThan(20)
})

it("a contest with a violation is reported", () => {
  const first: HeldLock = {
    holder: "a",
    kind: "build",
    scope: "/p",
    fence: 1,
    askedAt: 0,
    gotAt: 1,
    gaveAt: 9,
    lost: false,
  }
  const second: HeldLock = { ...first, holder: "b", fence: 2, askedAt: 2, gotAt: 3, gaveAt: 4 }
  const well = { hurt: [] }
  const frozen = { hurt: [{ holder: "a", at: 2 }] }
  expect(faultsOf({ held: [first, second], ...well })).toHaveLength(1)
  expect(faultsOf({ held: [first, second], ...frozen })).toHaveLength(1)
  expect(faultsOf({ held: [{ ...first, lost: true }, second], ...frozen })).toEqual([])
  expect(faultsOf({ held: [first, { ...second, gotAt: 9 }], ...well })).toEqual([])
  expect(faultsOf({ held: [first, { ...second, fence: 1 }], ...well })).toHaveLength(1)
  expect(faultsOf({ held: [{ ...first, askedAt: 5, gotAt: 6 }, second], ...well })).toHaveLength(1)
})
