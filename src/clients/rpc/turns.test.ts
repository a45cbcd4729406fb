import { describe, expect, it } from "vitest"
import { startScripted } from "./fixtures/start-scripted.ts"
import { RpcChildEnded, RpcNoText, RpcTimeout, type TurnEvent } from "./index.ts"

const usage = { input_tokens: 3, output_tokens: 2 }

async function eventsOf(turn: AsyncIterable<TurnEvent>): Promise<readonly TurnEvent[]> {
  const events: TurnEvent[] = []
  for await (const event of turn) events.push(event)
  return events
}

describe("a turn", () => {
  it("yields its events in order, then its end", async () => {
    const parent = await startScripted()
    const turn = parent.prompt("use a tool")
    const types = (await eventsOf(turn)).map(({ type }) => type)
    expect(types).toEqual([
      "toolcall_start",
      "toolcall_input_delta",
      "toolcall_input",
      "subagent_start",
      "subagent_update",
      "subagent_done",
      "toolcall_result",
    ])
    expect(await turn.done()).toMatchObject({ kind: "completed", usage })
  })

  it("returns its text", async () => {
    const parent = await startScripted()
    expect(await parent.prompt("say one two").text()).toBe("one two ")
    expect(await parent.followUp("say three").text()).toBe("three ")
  })

  it("can be awaited without reading it", async () => {
    const parent = await startScripted()
    expect(await parent.prompt("flood 2000 1000").done()).toMatchObject({ kind: "completed" })
  })

  it("continues when its reader stops reading", async () => {
    const parent = await startScripted()
    const turn = parent.prompt("flood 2000 1000")
    for await (const event of turn) if (event.type === "text_delta") break
    expect(await turn.done()).toMatchObject({ kind: "completed" })
    expect(await parent.prompt("say more").text()).toBe("more ")
  })

  it("can be read once", async () => {
    const parent = await startScripted()
    const turn = parent.prompt("say it")
    await turn.text()
    await expect(turn.text()).rejects.toThrow("can be read once")
  })

  it("sends absolute attachment paths and well-formed text", async () => {
    const parent = await startScripted()
    const attachments = ["a.txt", { path: "/b/../c.txt", name: "see" }]
    const frame = JSON.parse(await parent.prompt("echo \ud800", { attachments }).text())
    expect(frame).toMatchObject({ type: "prompt", message: "echo \ufffd" })
    expect(frame.attachments).toEqual([{ path: `${process.cwd()}/a.txt` }, { path: "/c.txt", name: "see" }])
    expect(JSON.parse(await parent.prompt("echo").text())).not.toHaveProperty("attachments")
  })
})

describe("a turn without success", () => {
  it.for([
    ["fail out of luck", "before its first word"],
    ["fail-slowly out of luck", "after some words, and closes late"],
    ["fail-late out of luck", "without an error frame"],
  ])("ends as failed: %s (%s)", async ([message = ""]) => {
    const parent = await startScripted()
    const turn = parent.prompt(message)
    await eventsOf(turn)
    expect(await turn.done()).toMatchObject({ kind: "failed", reason: "out of luck", usage })
    expect(await parent.prompt("say again").text()).toBe("again ")
  })

  it("ends as refused when nothing follows the error", async () => {
    const parent = await startScripted()
    const end = await parent.prompt("refuse no such file").done()
    expect(end).toEqual({ kind: "refused", reason: "no such file", isBusy: false })
    await expect(parent.prompt("refuse it").text()).rejects.toThrow(RpcNoText)
  })

  it("is refused as busy while another turn runs, which continues", async () => {
    const parent = await startScripted()
    const first = parent.prompt("hang")
    const second = parent.prompt("say hello")
    expect(await second.done()).toMatchObject({ kind: "refused", isBusy: true })
    await first.abort()
    expect(await eventsOf(first)).toEqual([{ type: "text_delta", delta: "I begin" }])
    expect(await first.done()).toMatchObject({ kind: "cancelled", usage })
  })

  it("rejects with the end of the child and its last line on stderr", async () => {
    const parent = await startScripted()
    const turn = parent.prompt("complain the disk is full")
    await expect(eventsOf(turn)).rejects.toThrow("the child ended with code 1: the disk is full")
    await expect(turn.done()).rejects.toThrow(RpcChildEnded)
    await expect(parent.prompt("say hello").done()).rejects.toThrow(RpcChildEnded)
    await expect(parent.getState()).rejects.toThrow(RpcChildEnded)
  })
})

describe("stopping a turn", () => {
  it("by a signal cancels it, and the next prompt is accepted", async () => {
    const parent = await startScripted()
    const stop = new AbortController()
    const turn = parent.prompt("hang", { signal: stop.signal })
    for await (const event of turn) if (event.type === "text_delta") stop.abort()
    expect(await turn.done()).toMatchObject({ kind: "cancelled" })
    expect(await parent.prompt("say hello").text()).toBe("hello ")
  })

  it("by a signal that is already aborted sends nothing", async () => {
    const parent = await startScripted()
    const turn = parent.prompt("hang", { signal: AbortSignal.abort(new Error("changed my mind")) })
    await expect(turn.done()).rejects.toThrow("changed my mind")
    expect(await parent.getState()).toMatchObject({ isStreaming: false })
  })

  it("by its time limit cancels it and rejects", async () => {
    const parent = await startScripted()
    const turn = parent.prompt("hang", { timeoutMs: 50 })
    await expect(eventsOf(turn)).rejects.toThrow(RpcTimeout)
    await expect(turn.done()).rejects.toThrow("did not answer 'prompt' within 50 ms")
    expect(await parent.prompt("say hello").text()).toBe("hello ")
  })

  it("does not wait for a child that ignores it", async () => {
    const parent = await startScripted("deaf", { timeouts: { abortMs: 50 } })
    const turn = parent.prompt("hang", { signal: AbortSignal.timeout(1) })
    await expect(turn.done()).rejects.toThrow("did not answer 'abort' within 50 ms")
  })
})
