import { describe, expect, it } from "vitest"
import { isAlive, scripted, startScripted } from "./fixtures/start-scripted.ts"
import { RpcChildEnded, RpcNotStarted, RpcTimeout, RpcVersionMismatch, startRpc } from "./index.ts"

const pidIn = (text: string) => Number(/pid (\d+)/.exec(text)?.[1])

describe("starting a child", () => {
  it("waits until the child is ready", async () => {
    const parent = await startScripted("late")
    expect([parent.sessionId, parent.model]).toEqual(["session-1", "model-1"])
  })

  it("passes the options as flags in the expected order", async () => {
    const parent = await startScripted("well", {
      continue: "session-7",
      system: "be brief",
      model: "model-7",
      profile: "work",
      args: ["--quiet"],
    })
    expect([parent.sessionId, parent.model]).toEqual(["session-7", "model-7"])
  })

  it("rejects with RpcNotStarted when the program does not exist", async () => {
    await expect(startRpc({ command: ["/nonexistent/child"] })).rejects.toThrow(RpcNotStarted)
    await expect(startRpc({ command: ["/nonexistent/child"] })).rejects.toThrow("'/nonexistent/child' could not be")
    await expect(startRpc(scripted("well", { cwd: "/nonexistent" }))).rejects.toThrow("started in '/nonexistent'")
  })

  it("rejects with the exit code when the child exits first", async () => {
    const start = startRpc(scripted("missing"))
    await expect(start).rejects.toThrow(RpcChildEnded)
    await expect(start).rejects.toThrow("the child ended with code 1: cannot read the configuration")
  })

  it("rejects another protocol version and stops the child", async () => {
    const start = startRpc(scripted("version"))
    await expect(start).rejects.toThrow(RpcVersionMismatch)
    await expect(start).rejects.toMatchObject({ spoken: 2 })
  })

  it("rejects at the timeout and stops a silent child", async () => {
    const start = startRpc(scripted("silent", { timeouts: { readyMs: 400 } }))
    await expect(start).rejects.toThrow(RpcTimeout)
    await expect(start).rejects.toThrow("did not answer 'ready' within 400 ms")
  })

  it("can be aborted, which stops the child", async () => {
    const stop = new AbortController()
    let stderr = ""
    const start = startRpc({
      ...scripted("", { signal: stop.signal, timeouts: { closeMs: 100 } }),
      command: ["/bin/sh", "-c", "echo pid $$ >&2; exec sleep 1000"],
      onStderr: (text) => {
        stderr += text
        stop.abort(new Error("never mind"))
      },
    })
    await expect(start).rejects.toThrow("never mind")
    expect(isAlive(pidIn(stderr))).toBe(false)
    await expect(startRpc({ signal: AbortSignal.abort(new Error("no")) })).rejects.toThrow("no")
  })
})
