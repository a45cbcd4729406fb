import { describe, expect, it } from "vitest"
import { Allowances } from "./allowances.ts"

const limits = { connections: 2, framesPerSecond: 10, sessionsPerHour: 3 }

function world(change: Partial<typeof limits> = {}) {
  const clock = { now: 0 }
  return { clock, allowances: new Allowances({ ...limits, ...change }, () => clock.now) }
}

function taken(take: () => boolean, tries = 1000): number {
  return Array.from({ length: tries }, take).filter((was) => was).length
}

async function sessionsTaken(allowances: Allowances): Promise<number> {
  const takes = await Promise.all(Array.from({ length: 10 }, () => allowances.takeSession("a")))
  return takes.filter((take) => take === "taken").length
}

describe("an account's limits", () => {
  it("are separate from those of other accounts", () => {
    const { allowances } = world()
    expect([allowances.enter("a"), allowances.enter("a"), allowances.enter("a")]).toEqual([true, true, false])
    expect(allowances.enter("b")).toBe(true)
    allowances.leave("a")
    expect(allowances.enter("a")).toBe(true)
  })

  it("allow a burst of four seconds' worth of frames, and refill over time", () => {
    const { allowances, clock } = world()
    const take = () => allowances.takeFrame("a")
    expect(taken(take)).toBe(40)
    clock.now += 100
    expect(taken(take)).toBe(1)
    clock.now += 1000
    expect(taken(take)).toBe(10)
    clock.now += 3_600_000
    expect(taken(take)).toBe(40)
    clock.now -= 5000 // setting the clock back changes nothing
    expect(taken(take)).toBe(0)
  })

  it("allow one frame even below one per second", () => {
    const { allowances, clock } = world({ framesPerSecond: 0.1 })
    expect(taken(() => allowances.takeFrame("a"))).toBe(1)
    clock.now += 10_000
    expect(taken(() => allowances.takeFrame("a"))).toBe(1)
  })

  it("count sessions per hour", async () => {
    const { allowances, clock } = world()
    expect(await sessionsTaken(allowances)).toBe(3)
    clock.now += 20 * 60_000
    expect(await sessionsTaken(allowances)).toBe(1)
  })

  it("may be infinite", async () => {
    const { allowances } = world({ connections: Infinity, framesPerSecond: Infinity, sessionsPerHour: Infinity })
    expect(taken(() => allowances.enter("a") && allowances.takeFrame("a"))).toBe(1000)
    expect(await sessionsTaken(allowances)).toBe(10)
  })

  it("count connections and frames on other nodes", () => {
    const { allowances, clock } = world()
    allowances.useElsewhere("a", 1, 35)
    expect([allowances.enter("a"), allowances.enter("a")]).toEqual([true, false])
    expect(taken(() => allowances.takeFrame("a"))).toBe(5)
    allowances.useElsewhere("a", -1, 20)
    expect(allowances.enter("a")).toBe(true)
    clock.now += 2000 // the bucket was overdrawn by twenty
    expect(taken(() => allowances.takeFrame("a"))).toBe(0)
    clock.now += 100
    expect(taken(() => allowances.takeFrame("a"))).toBe(1)
  })
})

describe("accounts", () => {
  it("are removed once they are unused", () => {
    const { allowances, clock } = world()
    allowances.enter("a")
    allowances.leave("a")
    expect(allowances.size).toBe(0)
    allowances.useElsewhere("b", 1, 0)
    expect(allowances.size).toBe(1)
    allowances.useElsewhere("b", -1, 0)
    expect(allowances.size).toBe(0)
    for (let n = 0; n < 5000; n++) {
      allowances.takeFrame(`visitor ${n}`)
      clock.now += 1000
    }
    expect(allowances.size).toBeLessThan(1100)
  })

  it("are bounded in number, and those with a connection are kept", () => {
    const { allowances } = world({ connections: 1 })
    allowances.enter("inside")
    for (let n = 0; n < 120_000; n++) allowances.takeFrame(`visitor ${n}`)
    expect(allowances.size).toBeLessThanOrEqual(50_000)
    expect(allowances.enter("inside")).toBe(false)
  })
})
