import { describe, expect, it } from "vitest"
import { answerOf, gate, scriptedSource, testClock, testIds, user } from "./index.ts"

describe("a gate", () => {
  it("lets everybody pass once it is open", async () => {
    const reached = gate()
    const passes = [reached.pass(), reached.pass()]
    await reached.arrived
    reached.open()
    expect(await Promise.all([...passes, reached.passed, reached.pass()])).toHaveLength(4)
  })

  it("is left with the reason of an abort", async () => {
    const abort = new AbortController()
    const waiting = gate().pass(abort.signal)
    abort.abort(new Error("enough"))
    await expect(waiting).rejects.toThrow("enough")
    await expect(gate().pass(AbortSignal.abort())).rejects.toMatchObject({ name: "AbortError" })
  })
})

describe("the test clock", () => {
  it("wakes sleepers in the order of their time, each at its time", async () => {
    const clock = testClock(1000)
    const woken: [string, number][] = []
    const sleeper = async (name: string, ms: number) => {
      await clock.sleep(ms)
      woken.push([name, clock.now()])
    }
    const all = [sleeper("late", 30), sleeper("early", 10).then(() => sleeper("after early", 5))]
    await clock.advance(20)
    expect(woken).toEqual([
      ["early", 1010],
      ["after early", 1015],
    ])
    expect(clock.now()).toBe(1020)
    await clock.advance(10)
    await Promise.all(all)
    expect(woken.at(-1)).toEqual(["late", 1030])
  })

  it("ends a sleep that is aborted", async () => {
    const clock = testClock()
    const abort = new AbortController()
    const sleeping = clock.sleep(10, abort.signal)
    abort.abort()
    await expect(sleeping).rejects.toMatchObject({ name: "AbortError" })
    await expect(clock.sleep(10, AbortSignal.abort(new Error("late")))).rejects.toThrow("late")
  })
})

describe("test ids", () => {
  it("are the same in every run, each kind by itself", () => {
    const ids = testIds()
    expect([ids.next("trn_"), ids.next("stp_"), ids.next("trn_")]).toEqual(["trn_1", "stp_1", "trn_2"])
    expect(ids.session()).toBe("00000000-0000-7000-8000-000000000001")
    expect(ids.session()).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
  })
})

describe("a scripted source", () => {
  it("has one model behind every name", async () => {
    const source = scriptedSource([[{ text: "One." }]], { contextWindow: 100 })
    const choice = await source.resolve("any/thing")
    expect(choice).toMatchObject({ name: "any/thing", contextWindow: 100, takesPrefill: true })
    expect((await answerOf(choice.model, { prompt: [user("hi")] })).text).toBe("One.")
    expect(source.model.calls).toHaveLength(1)
  })
})
