import { describe, expect, it } from "vitest"
import { isAlive, scripted, startScripted } from "./fixtures/start-scripted.ts"
import { RpcChildEnded, RpcNotStarted, RpcTimeout, RpcVersionMismatch, startRpc } from "./index.ts"

const pidIn = (text: string) => Number(/pid (\d+)/.exec(text)?.[1])

describe("starting a child", () => {
  it("waits until it is ready, however late", async () => {
    const parent = await startScripted("late")
    expect([parent.sessionId, parent.model]).toEqual(["session-1", "model-1"])
  })

  it("passes what it is to do, in the order that children expect", async () => {
    const parent = await startScripted("well", {
      continue: "session-7",
      system: "be brief",
      model: "model-7",
      profile: "work",
      args: ["--quiet"],
    })
    expect([parent.sessionId, parent.model]).toEqual(["session-7", "model-7"])
  })

  it("says when there is no such program", async () => {
    await expect(startRpc({ command: ["/nonexistent/child"] })).rejects.toThrow(RpcNotStarted)
    await expect(startRpc({ command: ["/nonexistent/child"] })).rejects.toThrow("'/nonexistent/child' could not be")
    await expect(startRpc(scripted("well", { cwd: "/nonexistent" }))).rejects.toThrow("started in '/nonexistent'")
  })

  it("says how it ended when it ends first", async () => {
    const start = startRpc(scripted("missing"))
    await expect(start).rejects.toThrow(RpcChildEnded)
    await expect(start).rejects.toThrow("the child ended with code 1: cannot read the configuration")
  })

  it("does not take a child of another version, and does not leave it behind", async () => {
    const start = startRpc(scripted("version"))
    await expect(start).rejects.toThrow(RpcVersionMismatch)
    await expect(start).rejects.toMatchObject({ spoken: 2 })
  })

  it("gives up on a child that says nothing, and does not leave it behind", async () => {
    const start = startRpc(scripted("silent", { timeouts: { readyMs: 400 } }))
    await expect(start).rejects.toThrow(RpcTimeout)
    await expect(start).rejects.toThrow("did not answer 'ready' within 400 ms")
  })

  it("can be called off, and the child is gone then", async () => {
    const stop = new AbortController()
    let said = ""
    const start = startRpc({
      ...scripted("", { signal: stop.signal, timeouts: { closeMs: 100 } }),
      command: ["/bin/sh", "-c", "echo pid $$ >&2; exec sleep 1000"],
      onStderr: (text) => {
        said += text
        stop.abort(new Error("never mind"))
      },
    })
    await expect(start).rejects.toThrow("never mind")
    expect(isAlive(pidIn(said))).toBe(false)
    await expect(startRpc({ signal: AbortSignal.abort(new Error("no")) })).rejects.toThrow("no")
  })
})
