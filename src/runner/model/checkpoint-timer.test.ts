import { afterEach, beforeEach, describe, expect, it, vi } from "vitest"
import { CheckpointTimer } from "./checkpoint-timer.ts"

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

describe("a timer", () => {
  it("ticks at the same moment for all subscribers", () => {
    const timer = new CheckpointTimer(250)
    const heard: string[] = []
    timer.subscribe(() => heard.push("one"))
    vi.advanceTimersByTime(100)
    timer.subscribe(() => heard.push("other"))
    vi.advanceTimersByTime(150)
    expect(heard).toEqual(["one", "other"])
    vi.advanceTimersByTime(250)
    expect(heard).toEqual(["one", "other", "one", "other"])
  })

  it("does not call a subscriber that has left, also during a tick", () => {
    const timer = new CheckpointTimer(250)
    const heard: string[] = []
    const leaves = [timer.subscribe(() => (heard.push("first"), leaves.forEach((leave) => leave())))]
    leaves.push(timer.subscribe(() => heard.push("second")))
    vi.advanceTimersByTime(500)
    expect(heard).toEqual(["first"])
  })

  it("stops without subscribers, and restarts with the next one", () => {
    const timer = new CheckpointTimer(250)
    expect(vi.getTimerCount()).toBe(0)
    const act = vi.fn<() => void>()
    const [leave, leaveAgain] = [timer.subscribe(act), timer.subscribe(act)]
    leave()
    vi.advanceTimersByTime(250)
    expect(act).toHaveBeenCalledTimes(1)
    leaveAgain()
    expect(vi.getTimerCount()).toBe(0)
    timer.subscribe(act)
    vi.advanceTimersByTime(250)
    expect(act).toHaveBeenCalledTimes(2)
  })
})
