import { describe, expect, it } from "vitest"
import { Allowances } from "./allowances.ts"

const unlimited = { turns: Infinity, sessionsPerHour: Infinity }
const limits = { connections: 2, framesPerSecond: 10, sessionsPerHour: 3, org: unlimited }

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

describe("an organisation's limits", () => {
  it("count sessions of all its callers per hour, and take from both or none", async () => {
    const { allowances, clock } = world({ sessionsPerHour: 2, org: { ...unlimited, sessionsPerHour: 3 } })
    const takes = []
    for (const caller of ["a", "a", "a", "b", "b"]) takes.push(await allowances.takeSession(caller, "shop"))
    expect(takes).toEqual(["taken", "taken", "used-up", "taken", "used-up"])
    expect(await allowances.takeSession("b", "bank")).toBe("taken") // the refused one was not taken from b
    expect(await allowances.takeSession("c", "shop")).toBe("used-up")
    expect(await allowances.takeSession("c")).toBe("taken") // of no organisation
    clock.now += 20 * 60_000
    expect(await allowances.takeSession("c", "shop")).toBe("taken")
  })

  it("count each session with a running turn once, here and on other nodes", () => {
    const { allowances } = world({ org: { ...unlimited, turns: 3 } })
    const { turns } = allowances
    if (turns === undefined) throw new Error("no limit")
    const leave = turns.admit("shop", "s1")
    turns.setRunning("shop", "s1", true)
    if (typeof leave === "function") leave()
    turns.setRunning("shop", "s1", true)
    allowances.useElsewhere("org:shop", 1, 0)
    const second = turns.admit("shop", "s2")
    expect(second).not.toBe("full")
    expect(turns.admit("shop", "s3")).toBe("full")
    expect(turns.admit("bank", "b1")).not.toBe("full")
    expect(turns.admit("local", "l1")).not.toBe("full") // of this machine's users
    expect(turns.admit("shop", "s1")).not.toBe("full") // it has its place
    expect(turns.admit("shop", "s5", true)).not.toBe("full") // it waits for a turn
    allowances.useElsewhere("org:shop", -1, 0)
    if (typeof second === "function") second() // refused, or its turn is over
    expect(turns.admit("shop", "s3")).not.toBe("full")
    expect(turns.admit("shop", "s6")).toBe("full")
  })

  it("keep no account without a running turn", () => {
    const { allowances } = world({ org: { ...unlimited, turns: 1 } })
    for (let n = 0; n < 100; n++) {
      allowances.turns?.setRunning(`org ${n}`, `s${n}`, true)
      allowances.turns?.setRunning(`org ${n}`, `s${n}`, false)
    }
    expect(allowances.size).toBe(0)
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
