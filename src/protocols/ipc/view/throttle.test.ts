import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { Throttle } from "./throttle.ts"

const everyMs = 100
const toast = (message: string) => () => ({ type: "toast", message, duration_ms: 1 }) as const

describe("a throttled frame", () => {
  it("is sent at once the first time, then when due with its newest state", () => {
    const throttle = new Throttle()
    expect(throttle.offer("a", everyMs, 0, toast("1"))).toHaveLength(1)
    expect(throttle.dueAt).toBeUndefined()
    expect(throttle.offer("a", everyMs, 10, toast("2"))).toEqual([])
    expect(throttle.offer("a", everyMs, 20, toast("3"))).toEqual([])
    expect(throttle.offer("b", everyMs, 30, toast("other"))).toHaveLength(1)
    expect(throttle.dueAt).toBe(100)
    expect(throttle.due(100)).toEqual([toast("3")()])
    expect(throttle.offer("a", everyMs, 101, toast("4"))).toEqual([])
    expect(throttle.dueAt).toBe(200)
  })

  it("is not held forever when the clock is set back", () => {
    const throttle = new Throttle()
    throttle.offer("a", everyMs, 1_000_000, toast("1"))
    expect(throttle.offer("a", everyMs, 0, toast("2"))).toHaveLength(1)
  })

  it("is never sent more often than allowed, and its last state is always sent", () => {
    const moments = fc.array(fc.nat(60), { minLength: 1 })
    fc.assert(
      fc.property(moments, (pauses) => {
        const throttle = new Throttle()
        const sent: { readonly at: number; readonly message: string }[] = []
        let now = 0
        for (const [index, pause] of pauses.entries()) {
          now += pause
          const frames = [...throttle.due(now), ...throttle.offer("a", everyMs, now, toast(`${index}`))]
          for (const frame of frames) sent.push({ at: now, message: frame.type === "toast" ? frame.message : "" })
        }
        const { dueAt } = throttle
        for (const frame of dueAt === undefined ? [] : throttle.due(dueAt))
          sent.push({ at: dueAt ?? 0, message: frame.type === "toast" ? frame.message : "" })
        expect(sent.at(-1)?.message).toBe(`${pauses.length - 1}`)
        expect(sent.every(({ at }, index) => index === 0 || at - (sent[index - 1]?.at ?? 0) >= everyMs)).toBe(true)
        expect(throttle.dueAt).toBeUndefined()
      }),
    )
  })
})
