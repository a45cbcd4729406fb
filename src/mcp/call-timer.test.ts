import { afterEach, beforeEach, expect, it, vi } from "vitest"
import { CallTimer } from "./call-timer.ts"

const HOUR_MS = 3_600_000

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  vi.useRealTimers()
})

it("expires after the timeout, which begins again with progress", () => {
  const timer = new CallTimer(1000)
  vi.advanceTimersByTime(999)
  timer.progressed()
  vi.advanceTimersByTime(999)
  expect(timer.expired.aborted).toBe(false)
  vi.advanceTimersByTime(1)
  expect(timer.expired.aborted).toBe(true)
})

it("expires after an hour, however much progress there is", () => {
  const timer = new CallTimer(HOUR_MS / 2)
  for (let quarters = 0; quarters < 3; quarters += 1) {
    vi.advanceTimersByTime(HOUR_MS / 4)
    timer.progressed()
  }
  vi.advanceTimersByTime(HOUR_MS / 4 - 1)
  expect(timer.expired.aborted).toBe(false)
  vi.advanceTimersByTime(1)
  expect(timer.expired.aborted).toBe(true)
})

it("stands still until the last of the waits at the same time has ended, whatever progress comes meanwhile", async () => {
  const timer = new CallTimer(1000)
  const [first, second] = [Promise.withResolvers<string>(), Promise.withResolvers<string>()]
  const waits = [timer.holdDuring(first.promise), timer.holdDuring(second.promise)]
  first.resolve("one")
  await waits[0]
  timer.progressed()
  vi.advanceTimersByTime(2 * HOUR_MS)
  expect(timer.expired.aborted).toBe(false)
  second.resolve("two")
  await waits[1]
  vi.advanceTimersByTime(1000)
  expect(timer.expired.aborted).toBe(true)
})

it("never expires after its end, also if a wait ends later", async () => {
  const timer = new CallTimer(1000)
  const answer = Promise.withResolvers<string>()
  const waiting = timer.holdDuring(answer.promise)
  timer.end()
  answer.resolve("late")
  await waiting
  timer.progressed()
  vi.advanceTimersByTime(HOUR_MS)
  expect(timer.expired.aborted).toBe(false)
})
