// The parent library against the real child: the same promises as against the scripted one, and what only a real child
// has, which is a session that outlives it.
import { describe, expect, it, type TestContext } from "vitest"
import type { Step } from "../../src/models/offline/part.ts"
import { RpcChildEnded, RpcClosed, startRpc, type RpcParent, type StartOptions } from "../../src/clients/rpc/index.ts"
import { eventually } from "../e2e/eventually.ts"
import { uniqueSleepSeconds, runningWith } from "../e2e/processes.ts"
import { newPlace, type Place } from "../e2e/turnhouse.ts"

type Test = Pick<TestContext, "onTestFinished">
const noLimit = { maxOutput: 10_000_000, contextWindow: 1_000_000_000 }
const hanging: readonly Step[] = [[{ text: "I begin" }, { hang: true }]]

async function start(test: Test, place: Place, steps: readonly Step[], options: StartOptions = {}): Promise<RpcParent> {
  const model = place.script(steps, noLimit)
  const timeouts = { closeMs: 60_000 } // a child that ends late ends in order
  const parent = await startRpc({ cwd: place.folder, env: place.env, model, timeouts, ...options })
  test.onTestFinished(async () => void (await parent.close()))
  return parent
}

describe.concurrent("the parent library", () => {
  it("has every command answered by the real child", async (test) => {
    const parent = await start(test, newPlace(test), [[{ text: "One." }], [{ text: "Two." }]])
    expect(await parent.prompt("first").text()).toBe("One.")
    expect(await parent.followUp("second").text()).toBe("Two.")
    expect(await parent.getState()).toMatchObject({ isStreaming: false, messageCount: 4, sessionId: parent.sessionId })
    expect(await parent.getSessionStats()).toMatchObject({ messageCount: 4, cost: 0 })
    expect((await parent.getMessages()).map(({ role }) => role)).toEqual(["user", "assistant", "user", "assistant"])
    expect((await parent.listTools()).map(({ name }) => name)).toContain("bash")
    expect(await parent.getAvailableModels()).toEqual(expect.any(Array))
    expect(await parent.compact()).not.toBe("")
    expect(await parent.setModel("m2")).toBe("m2")
    expect(await parent.newSession()).toBe(parent.sessionId)
    expect(await parent.close()).toMatchObject({ code: 0 })
  })

  it("attaches files, and gets the reason when one is refused", async (test) => {
    const place = newPlace(test)
    const parent = await start(test, place, [[{ text: "Seen." }]])
    const missing = parent.prompt("see", { attachments: [place.path("missing.txt")] })
    expect(await missing.done()).toMatchObject({ kind: "refused", reason: expect.stringContaining("missing.txt") })
    const attachments = [place.write("there.txt", "content")]
    expect(await parent.prompt("see", { attachments }).text()).toBe("Seen.")
    expect(JSON.stringify(await parent.getMessages())).toContain("there.txt")
  })

  it("distinguishes a failed turn from a refused and a stopped one", async (test) => {
    const parent = await start(test, newPlace(test), [
      { attempts: [[{ error: { status: 400, message: "no luck" } }], [{ text: "I begin" }, { hang: true }]] },
    ])
    expect(await parent.prompt("go").done()).toMatchObject({
      kind: "failed",
      reason: expect.stringContaining("no luck"),
    })
    await parent.newSession()
    const stop = new AbortController()
    const turn = parent.prompt("go", { signal: stop.signal })
    let said = ""
    for await (const event of turn) {
      if (event.type === "text_delta") said += event.delta
      if (said === "I begin") stop.abort()
    }
    expect(await turn.done()).toMatchObject({ kind: "cancelled" })
    expect(await parent.getState()).toMatchObject({ isStreaming: false })
  })

  it("continues the session when the child is killed", async (test) => {
    const place = newPlace(test)
    const parent = await start(test, place, hanging, { restart: {} })
    const { sessionId, pid = 0 } = parent
    const turn = parent.prompt("remember me")
    await expect(
      (async () => {
        for await (const event of turn) if (event.type === "text_delta") process.kill(pid, "SIGKILL")
      })(),
    ).rejects.toThrow(RpcChildEnded)
    expect(await parent.getState()).toMatchObject({ sessionId, isStreaming: false })
    expect(parent.pid).not.toBe(pid)
    expect(JSON.stringify(await parent.getMessages())).toContain("remember me")
    const again = [{ text: "Again." }]
    await parent.setModel(place.script([again, again], {}, "again.json"))
    expect(await parent.prompt("and now?").text()).toBe("Again.")
  })

  it("misses nothing of a flood that it reads slowly", async (test) => {
    const pieces = Array.from({ length: 20_000 }, (_, index) => `${index} a piece of text of a length as in life. `)
    const parent = await start(test, newPlace(test), [[{ chunks: pieces }]])
    let said = ""
    let asked = 0
    for await (const event of parent.prompt("go")) {
      if (event.type === "text_delta") said += event.delta
      if (said.length < (asked + 1) * 100_000) continue
      expect(await parent.getState()).toMatchObject({ sessionId: parent.sessionId })
      asked += 1
    }
    expect(said).toBe(pieces.join(""))
    expect(asked).toBeGreaterThan(5)
  })

  it("leaves neither the child nor its tools when it is closed in mid-turn", async (test) => {
    const nap = uniqueSleepSeconds()
    const command = `trap '' TERM; sleep ${nap} & setsid sleep ${nap} & wait; sleep ${nap}`
    const timeouts = { closeMs: 100, termMs: 100 } // no time for anything in order
    const steps = [[{ call: { tool: "bash", input: { command } } }]]
    const parent = await start(test, newPlace(test), steps, { timeouts })
    const turn = parent.prompt("go")
    const end = turn.done().then(
      ({ kind }) => kind,
      (fault: unknown) => (fault instanceof RpcClosed ? "closed" : fault),
    )
    await eventually("the tool is at work", () => runningWith(nap).length >= 3 || undefined)
    await parent.close()
    expect(["closed", "cancelled"]).toContain(await end) // a child that is fast enough still reports the end
    await eventually("all is gone", () => runningWith(nap).length === 0 || undefined)
  })
})
