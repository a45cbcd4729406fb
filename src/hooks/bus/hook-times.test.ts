import { describe, expect, it } from "vitest"
import { HookStopwatch } from "./hook-trace.ts"

function timesOf(...calls: readonly number[]) {
  const watch = new HookStopwatch()
  for (const ms of calls) watch.add(ms)
  return watch.times
}

describe("the times of an extension", () => {
  it("are zero before the first call", () => {
    expect(timesOf()).toEqual({ calls: 0, medianMs: 0, longestMs: 0 })
  })

  it("are the median, which one slow answer does not change, and the longest", () => {
    expect(timesOf(2, 900, 1.234, 3, 2)).toEqual({ calls: 5, medianMs: 2, longestMs: 900 })
  })

  it("forget old calls, but keep their number and the longest time", () => {
    const calls = [5000, ...Array.from({ length: 600 }, () => 10), ...Array.from({ length: 400 }, () => 1)]
    expect(timesOf(...calls)).toEqual({ calls: 1001, medianMs: 1, longestMs: 5000 })
  })
})
