import { describe, expect, it } from "vitest"
import { testClock } from "../../testing/test-clock.ts"
import { timedOut, withinSilence } from "./clock.ts"

/** Work that runs until `end`, with a sign of life at each `sign`. */
function working() {
  const { promise, resolve } = Promise.withResolvers<string>()
  let heard = () => {}
  const work = (onSign: () => void) => {
    heard = onSign
    return promise
  }
  return { work, sign: () => heard(), end: () => resolve("done") }
}

describe("withinSilence", () => {
  it("restarts the limit at every sign of life", async () => {
    const clock = testClock()
    const { work, sign, end } = working()
    const result = withinSilence(work, 100, clock)
    await clock.advance(99)
    sign()
    await clock.advance(99)
    sign()
    await clock.advance(99)
    end()
    expect(await result).toBe("done")
  })

  it("returns timedOut after that long a silence", async () => {
    const clock = testClock()
    const { work, sign } = working()
    let isOver = false
    const result = withinSilence(work, 100, clock).finally(() => (isOver = true))
    await clock.advance(50)
    sign()
    await clock.advance(99)
    expect(isOver).toBe(false)
    await clock.advance(1)
    expect(await result).toBe(timedOut)
  })
})
