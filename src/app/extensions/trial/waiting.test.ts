import { afterEach, beforeEach, describe, expect, it, vi } from "vitest"
import { waitOn } from "./waiting.ts"

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

/** What is printed while work takes this long. */
async function read(isTTY: boolean, ms: number, fails = false): Promise<readonly string[]> {
  const written: string[] = []
  const stream = { isTTY, write: (text: string) => written.push(text) > 0 }
  const work = Promise.withResolvers<string>()
  const waited = waitOn(stream)("initialize\u001b[2J", () => work.promise)
  vi.advanceTimersByTime(ms)
  if (fails) work.reject(new Error("no"))
  else work.resolve("done")
  expect(await waited.catch(String)).toBe(fails ? "Error: no" : "done")
  vi.advanceTimersByTime(5000)
  return written
}

describe("the line that shows what the command waits for", () => {
  it("appears after a second and is removed afterwards", async () => {
    expect(await read(true, 2500)).toEqual([
      "\r\u001b[Kwaiting for initialize\u{fffd}[2J: 1 s",
      "\r\u001b[Kwaiting for initialize\u{fffd}[2J: 2 s",
      "\r\u001b[K",
    ])
    expect((await read(true, 1000, true)).at(-1)).toBe("\r\u001b[K")
  })

  it("does not appear for quick work or in a pipe", async () => {
    expect(await read(true, 900)).toEqual([])
    expect(await read(false, 9000)).toEqual([])
  })
})
