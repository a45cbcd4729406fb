import { setTimeout as sleep } from "node:timers/promises"
import { describe, expect, it } from "vitest"
import { startScripted } from "./fixtures/start-scripted.ts"
import type { TurnEvent } from "./index.ts"

const numberIn = (event: TurnEvent | undefined) =>
  event?.type === "text_delta" ? Number.parseInt(event.delta, 10) : undefined
/** The value when it does not change any more. */
async function settled(look: () => number): Promise<number> {
  for (let before = Number.NaN; ; await sleep(200)) {
    if (before === look()) return before
    before = look()
  }
}

const kilobyte = 1000
const flood = 40_000

describe("a slow reader", () => {
  it("holds the child back, and gets all events in order", async () => {
    const parent = await startScripted()
    const turn = parent.prompt(`flood ${flood} ${kilobyte}`)
    const events = turn[Symbol.asyncIterator]()
    const first = await events.next()
    const out = await settled(() => Number.parseInt(parent.stderr.trimEnd().split("\n").at(-1) ?? "", 10))
    expect(out).toBeLessThan(flood / 10) // the child waits for us
    const numbers = [numberIn(first.value)]
    for (let next = await events.next(); next.done !== true; next = await events.next()) {
      numbers.push(numberIn(next.value))
    }
    expect(numbers).toEqual(Array.from({ length: flood }, (_, index) => index))
    expect(await turn.done()).toMatchObject({ kind: "completed" })
  })

  it("can send a request between two events", async () => {
    const parent = await startScripted()
    const turn = parent.prompt(`flood 3000 ${kilobyte}`)
    let requests = 0
    for await (const event of turn) {
      if (event.type !== "text_delta" || !event.delta.startsWith("1")) continue
      expect(await parent.getState()).toMatchObject({ sessionId: "session-1" })
      requests += 1
      if (requests === 20) break
    }
    expect(requests).toBe(20)
  })

  it("of all events holds the child back, and the child can still be closed", async () => {
    const parent = await startScripted()
    const events = parent.events()
    const turn = parent.prompt(`flood ${flood} ${kilobyte}`)
    expect(await events.next()).toMatchObject({ value: { type: "message_update" } })
    const end = await parent.close()
    expect(end).toMatchObject({ code: 0 })
    await expect(turn.done()).rejects.toThrow("the child was closed")
    let held = 0
    for await (const event of events) if (event.type === "message_update") held += 1
    expect(held).toBeLessThan(flood)
  })
})
