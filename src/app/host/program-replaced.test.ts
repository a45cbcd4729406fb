import { afterEach, beforeEach, expect, it, vi } from "vitest"
import { programReplaced } from "./program-replaced.ts"

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

/** Whether a host notices, while the time of its build is first one, then the other. */
async function isNoticed(first: number | undefined, then: number | undefined): Promise<boolean> {
  let time = first
  let isReplaced = false
  void programReplaced(() => time).then(() => (isReplaced = true))
  time = then
  await vi.advanceTimersByTimeAsync(3000)
  return isReplaced
}

it("a host notices that another build has replaced its own", async () => {
  expect(await isNoticed(1, 2)).toBe(true)
})

it("a host stays while its build is there, after it was removed, and where it runs from no build", async () => {
  expect(await isNoticed(1, 1)).toBe(false)
  expect(await isNoticed(1, undefined)).toBe(false)
  expect(await isNoticed(undefined, 2)).toBe(false)
})
