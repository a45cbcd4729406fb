import { describe, expect, it } from "vitest"
import { startScripted } from "./fixtures/start-scripted.ts"
import { RpcChildEnded, type ChildEnd } from "./index.ts"

describe("a child that dies", () => {
  it("is not restarted by default", async () => {
    const parent = await startScripted()
    await expect(parent.prompt("die 3").done()).rejects.toThrow("the child ended with code 3")
    expect(await parent.ended).toMatchObject({ code: 3 })
    await expect(parent.getState()).rejects.toThrow(RpcChildEnded)
  })

  it("is restarted with its newest session and model", async () => {
    const deaths: ChildEnd[] = []
    const parent = await startScripted("well", { restart: { onRestart: (end) => deaths.push(end) } })
    const first = parent.pid
    await parent.setModel("model-2")
    await parent.newSession()
    const events = parent.events()
    await expect(parent.prompt("die 3").done()).rejects.toThrow(RpcChildEnded)
    await next(events, "ready")
    expect(await parent.getState()).toMatchObject({ sessionId: "session-2", model: "model-2" })
    expect(await parent.prompt("say hello").text()).toBe("hello ")
    expect(parent.pid).not.toBe(first)
    expect(deaths).toMatchObject([{ code: 3 }])
  })

  it("commands sent during a restart reach the next child", async () => {
    const parent = await startScripted("late", { restart: {} })
    const turn = parent.prompt("die 3")
    await expect(turn.done()).rejects.toThrow(RpcChildEnded)
    const [state, text] = await Promise.all([parent.getState(), parent.prompt("say hello").text()])
    expect([state.sessionId, text]).toEqual(["session-1", "hello "])
  })

  it("is not restarted after too many deaths in a row; a completed turn resets the count", async () => {
    const parent = await startScripted("well", { restart: { attempts: 1 } })
    await expect(parent.prompt("die 3").done()).rejects.toThrow(RpcChildEnded)
    expect(await parent.prompt("say hello").text()).toBe("hello ")
    await expect(parent.prompt("die 4").done()).rejects.toThrow(RpcChildEnded)
    await expect(parent.prompt("die 5").done()).rejects.toThrow("code 5")
    expect(await parent.ended).toMatchObject({ code: 5 })
    await expect(parent.getState()).rejects.toThrow("code 5")
  })

  it("is not restarted after exit code 0", async () => {
    const parent = await startScripted("well", { restart: {} })
    await expect(parent.prompt("die 0").done()).rejects.toThrow("the child ended with code 0")
    expect(await parent.ended).toMatchObject({ code: 0 })
  })

  it("is restarted after a signal", async () => {
    const parent = await startScripted("well", { restart: {} })
    const first = parent.pid ?? 0
    const events = parent.events()
    process.kill(first, "SIGKILL")
    await next(events, "ready")
    expect(await parent.prompt("say hello").text()).toBe("hello ")
    expect(parent.pid).not.toBe(first)
  })
})

async function next(events: AsyncIterable<{ readonly type: string }>, type: string): Promise<void> {
  for await (const event of events) if (event.type === type) return
  throw new Error(`there was no ${type}`)
}
