import { expect, it } from "vitest"
import { backoffMs, pause } from "./pause.ts"

it("waits twice as long each time, up to a limit, and leaves half of it to chance", () => {
  expect([0, 1, 2, 3, 4, 1000].map((attempt) => backoffMs(attempt, 500, 4000, 1))).toEqual([
    500, 1000, 2000, 4000, 4000, 4000,
  ])
  expect(backoffMs(2, 500, 4000, 0)).toBe(1000)
})

it("can be called off while it waits, and before", async () => {
  const stop = new AbortController()
  const waiting = pause(1_000_000, stop.signal)
  stop.abort(new Error("enough"))
  await expect(waiting).rejects.toThrow("enough")
  await expect(pause(0, stop.signal)).rejects.toThrow("enough")
})
