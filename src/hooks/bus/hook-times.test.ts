import { describe, expect, it } from "vitest"
import { HookStopwatch } from "./hook-trace.ts"

function timesOf(...calls: readonly number[]) {
  const watch = new HookStopwatch()
  for (const ms of calls) watch.add(ms)
  return watch.times
}

describe("the times of an extension", () => {
  it("are nothing before it was asked", () => {
    expect(timesOf()).toEqual({ calls: 0, medianMs: 0, longestMs: 0 })
  })

  it("have the usual one, which a single slow answer does not move, and the worst", () => {
    expect(timesOf(2, 900, 1.234, 3, 2)).toEqual({ calls: 5, medianMs: 2, longestMs: 900 })
  })

  it("forget old calls, but neither their number nor the worst", () => {
    const calls = [5000, ...Array.from({ length: 600 }, () => 10), ...Array.from({ length: 400 }, () => 1)]
    expect(timesOf(...calls)).toEqual({ calls: 1001, medianMs: 1, longestMs: 5000 })
  })
})
