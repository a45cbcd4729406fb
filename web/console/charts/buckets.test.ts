import { expect, it } from "vitest"
import { bucketsOf, median, sum } from "./buckets.ts"

it("has no columns without values", () => {
  expect(bucketsOf([], sum)).toEqual({ starts: [], series: [] })
})

it("adds the values of a column, for each series", () => {
  const at = 1_000_000_000_000
  const values = [
    { at, name: "a", value: 1 },
    { at: at + 100, name: "a", value: 2 },
    { at: at + 100, name: "b", value: 5 },
    { at: at + 2000, name: "a", value: 4 },
  ]
  expect(bucketsOf(values, sum)).toEqual({
    starts: [at, at + 1000, at + 2000],
    series: [
      { name: "a", values: [3, 0, 4] },
      { name: "b", values: [5, 0, 0] },
    ],
  })
})

it.each([0, 1, 59, 3600, 86_400, 40 * 86_400, 3000 * 86_400])("has at most 48 columns for %d seconds", (seconds) => {
  const values = [0, seconds * 1000].map((at) => ({ at, name: "a", value: 1 }))
  const { starts, series } = bucketsOf(values, sum)
  expect(starts.length).toBeLessThanOrEqual(48)
  expect(sum(series[0]?.values ?? [])).toBe(2)
})

it("takes the lower middle value as the median, and 0 without values", () => {
  expect([median([]), median([3]), median([4, 1]), median([9, 1, 5])]).toEqual([0, 3, 1, 5])
})
