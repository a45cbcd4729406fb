import { expect, it, vi } from "vitest"
import { pause } from "./abort.ts"
import { backoffMs, Reconnector } from "./reconnector.ts"

const waits = { firstMs: 500, maxMs: 4000 }
const quick = { attempts: 3, firstMs: 1, maxMs: 1 }

it("doubles the wait up to the limit, half of it random", () => {
  expect([0, 1, 2, 3, 4, 1000].map((attempt) => backoffMs(attempt, waits, 1))).toEqual([
    500, 1000, 2000, 4000, 4000, 4000,
  ])
  expect(backoffMs(2, waits, 0)).toBe(1000)
})

it("rejects a pause when its signal is aborted during it or before", async () => {
  const stop = new AbortController()
  const waiting = pause(1_000_000, stop.signal)
  stop.abort(new Error("enough"))
  await expect(waiting).rejects.toThrow("enough")
  await expect(pause(0, stop.signal)).rejects.toThrow("enough")
})

it("connects after failed attempts, and counts them until it is reset", async () => {
  const reconnector = new Reconnector(quick, new AbortController().signal)
  const attempts: [number, unknown][] = []
  const onAttempt = (attempt: number, _: number, fault: unknown) => void attempts.push([attempt, fault])
  const connect = vi.fn<() => Promise<void>>().mockRejectedValueOnce("down").mockResolvedValue()
  expect(await reconnector.run("lost", { connect, onAttempt })).toEqual({ kind: "connected" })
  expect(await reconnector.run("lost", { connect, onAttempt })).toEqual({ kind: "connected" })
  expect(await reconnector.run("lost", { connect, onAttempt })).toEqual({ kind: "failed", fault: "lost" })
  reconnector.reset()
  expect(await reconnector.run("lost", { connect, onAttempt })).toEqual({ kind: "connected" })
  expect(attempts).toEqual([
    [1, "lost"],
    [2, "down"],
    [3, "lost"],
    [1, "lost"],
  ])
})

it("stops at a final fault and when it is aborted", async () => {
  const stop = new AbortController()
  const reconnector = new Reconnector({ ...quick, firstMs: 1_000_000, maxMs: 1_000_000 }, stop.signal)
  const connect = () => Promise.resolve()
  const isFinal = (fault: unknown) => fault === "refused"
  expect(await reconnector.run("refused", { connect, onAttempt: () => {}, isFinal })).toEqual({
    kind: "failed",
    fault: "refused",
  })
  const running = reconnector.run("lost", { connect, onAttempt: () => {} })
  stop.abort()
  expect(await running).toEqual({ kind: "aborted" })
})

it("tries at once when hurry is called", async () => {
  const reconnector = new Reconnector({ ...quick, firstMs: 1_000_000, maxMs: 1_000_000 }, new AbortController().signal)
  const running = reconnector.run("lost", { connect: () => Promise.resolve(), onAttempt: () => {} })
  reconnector.hurry()
  expect(await running).toEqual({ kind: "connected" })
})
