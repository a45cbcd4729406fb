import { afterEach, beforeEach, describe, expect, it, vi } from "vitest"
import type { SessionDelta } from "../contract/deltas.ts"
import { Presence } from "./presence.ts"

const one = { principal: "one", door: "attach" }
const two = { principal: "two", door: "run" }

describe("presence", () => {
  let told: SessionDelta[]
  let presence: Presence
  beforeEach(() => {
    vi.useFakeTimers()
    told = []
    presence = new Presence((delta) => told.push(delta))
  })
  afterEach(() => vi.useRealTimers())

  it("is published once for all clients that join at the same time", () => {
    presence.enter(one)
    presence.enter(two)
    expect(told).toEqual([])
    vi.runAllTimers()
    expect(told).toEqual([{ type: "presence.changed", watching: 2, who: [one, two] }])
  })

  it("publishes a leaving client once, even if it leaves repeatedly", () => {
    const leave = presence.enter(one)
    vi.runAllTimers()
    leave()
    leave()
    vi.runAllTimers()
    expect(told.slice(1)).toEqual([{ type: "presence.changed", watching: 0, who: [] }])
    expect(presence.who).toEqual([])
  })

  it("counts a person twice who watches twice", () => {
    presence.enter(one)
    const leave = presence.enter(one)
    leave()
    expect(presence.who).toEqual([one])
  })

  it("lists the first few and counts all", () => {
    for (let count = 0; count < 30; count++) presence.enter(one)
    vi.runAllTimers()
    expect(told).toEqual([{ type: "presence.changed", watching: 30, who: Array.from({ length: 20 }, () => one) }])
  })

  it("publishes nothing after it was closed", () => {
    presence.enter(one)
    presence.close()
    vi.runAllTimers()
    expect(told).toEqual([])
  })
})
