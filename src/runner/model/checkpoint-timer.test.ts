import { afterEach, beforeEach, describe, expect, it, vi } from "vitest"
import { Beat } from "./checkpoint-timer.ts"

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

describe("a beat", () => {
  it("is the same moment for all who follow it", () => {
    const beat = new Beat(250)
    const heard: string[] = []
    beat.follow(() => heard.push("one"))
    vi.advanceTimersByTime(100)
    beat.follow(() => heard.push("other"))
    vi.advanceTimersByTime(150)
    expect(heard).toEqual(["one", "other"])
    vi.advanceTimersByTime(250)
    expect(heard).toEqual(["one", "other", "one", "other"])
  })

  it("is not heard by who has left, also by one who leaves while it strikes", () => {
    const beat = new Beat(250)
    const heard: string[] = []
    const leaves = [beat.follow(() => (heard.push("first"), leaves.forEach((leave) => leave())))]
    leaves.push(beat.follow(() => heard.push("second")))
    vi.advanceTimersByTime(500)
    expect(heard).toEqual(["first"])
  })

  it("rests while nobody follows it, and goes on for the next", () => {
    const beat = new Beat(250)
    expect(vi.getTimerCount()).toBe(0)
    const act = vi.fn<() => void>()
    const [leave, leaveAgain] = [beat.follow(act), beat.follow(act)]
    leave()
    vi.advanceTimersByTime(250)
    expect(act).toHaveBeenCalledTimes(1)
    leaveAgain()
    expect(vi.getTimerCount()).toBe(0)
    beat.follow(act)
    vi.advanceTimersByTime(250)
    expect(act).toHaveBeenCalledTimes(2)
  })
})
