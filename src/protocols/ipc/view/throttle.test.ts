import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { Pace } from "./throttle.ts"

const everyMs = 100
const toast = (message: string) => () => ({ type: "toast", message, duration_ms: 1 }) as const

describe("what may come only so often", () => {
  it("comes at once the first time, and at its time with its newest state", () => {
    const pace = new Pace()
    expect(pace.offer("a", everyMs, 0, toast("1"))).toHaveLength(1)
    expect(pace.dueAt).toBeUndefined()
    expect(pace.offer("a", everyMs, 10, toast("2"))).toEqual([])
    expect(pace.offer("a", everyMs, 20, toast("3"))).toEqual([])
    expect(pace.offer("b", everyMs, 30, toast("other"))).toHaveLength(1)
    expect(pace.dueAt).toBe(100)
    expect(pace.due(100)).toEqual([toast("3")()])
    expect(pace.offer("a", everyMs, 101, toast("4"))).toEqual([])
    expect(pace.dueAt).toBe(200)
  })

  it("is not held for ever when the clock is set back", () => {
    const pace = new Pace()
    pace.offer("a", everyMs, 1_000_000, toast("1"))
    expect(pace.offer("a", everyMs, 0, toast("2"))).toHaveLength(1)
  })

  it("never comes more often, and its last state always comes", () => {
    const moments = fc.array(fc.nat(60), { minLength: 1 })
    fc.assert(
      fc.property(moments, (pauses) => {
        const pace = new Pace()
        const told: { readonly at: number; readonly message: string }[] = []
        let now = 0
        for (const [index, pause] of pauses.entries()) {
          now += pause
          const frames = [...pace.due(now), ...pace.offer("a", everyMs, now, toast(`${index}`))]
          for (const frame of frames) told.push({ at: now, message: frame.type === "toast" ? frame.message : "" })
        }
        const { dueAt } = pace
        for (const frame of dueAt === undefined ? [] : pace.due(dueAt))
          told.push({ at: dueAt ?? 0, message: frame.type === "toast" ? frame.message : "" })
        expect(told.at(-1)?.message).toBe(`${pauses.length - 1}`)
        expect(told.every(({ at }, index) => index === 0 || at - (told[index - 1]?.at ?? 0) >= everyMs)).toBe(true)
        expect(pace.dueAt).toBeUndefined()
      }),
    )
  })
})
