// Cases X01 to X07 and further case 12: cancelled turns.
import { describe, expect, it, onTestFinished } from "vitest"
import type { HostPort, SessionHandle } from "../../src/contract/host-port.ts"
import type { Step } from "../../src/models/offline/index.ts"
import { gate, type Gate } from "../../src/testing/gate.ts"
import { testTool } from "../../src/testing/test-host.ts"
import { serveWs, servicePort, wsWorlds } from "../../src/testing/doors/served-ws.ts"
import { inOrder } from "../../src/testing/service-world.ts"
import { messagesOf, replyOf, runTurn, startTurn } from "./conversation.ts"

const world = wsWorlds()

function payTool() {
  const paid: unknown[] = []
  const tool = testTool("pay", (input) => (paid.push(input), { outcome: "done", output: "paid" }))
  return { tool, paid }
}
const pay: Step = [{ call: { tool: "pay", input: { sum: 7 } } }]

describe("cancel", () => {
  it("X01: in mid-stream aborts the model call, also of a silent model", async () => {
    const { served, source } = await world([[{ chunks: ["one "] }, { hang: true }]])
    const client = await served.connect()
    const { sessionId } = await startTurn(client)
    await client.next("stream_token", "r1")
    const upstream = source.model.calls[0]?.abortSignal
    expect(upstream?.aborted).toBe(false)
    client.say({ action: "cancel", requestId: "r1", sessionId })
    expect(await client.end("r1")).toMatchObject({ type: "cancelled" })
    expect(upstream?.aborted).toBe(true)
  })

  it("X02: frees the socket at once, stores no reply, and keeps the visitor's message", async () => {
    const { models, requests } = inOrder([[{ chunks: ["one "] }, { hang: true }], [{ text: "two" }]])
    const { served } = await world([], [], {}, {}, { models })
    const client = await served.connect()
    const { sessionId } = await startTurn(client)
    await client.next("stream_token", "r1")
    client.say({ action: "cancel", requestId: "r1", sessionId })
    client.say({ action: "send_message", requestId: "r2", sessionId, message: "and now?" })
    expect(replyOf(await client.end("r2"))).toBe("two")
    expect((await messagesOf(client, sessionId)).rows.map(({ text }) => text)).toEqual(["two", "and now?", "hi"])
    expect(JSON.stringify(requests[1]?.prompt)).toContain('"hi"')
  })

  it("X02: sent together with the message cancels it once and frees the socket", async () => {
    const { models } = inOrder([])
    const { served } = await world([], [], {}, {}, { models })
    const client = await served.connect()
    const { sessionId } = await client.create()
    for (let n = 0; n < 20; n++) {
      const requestId = `r${n}`
      client.say({ action: "send_message", requestId, sessionId, message: "hi" }, { action: "cancel", requestId })
      await client.end(requestId)
      await client.settled()
      const ends = client.types(requestId).filter((type) => type === "cancelled" || type === "eventual_response")
      expect([client.types(requestId)[0], ends.length]).toEqual(["immediate_response", 1])
    }
    expect(replyOf(await runTurn(client, sessionId, "still there?"))).not.toBe("")
  })

  it("X04: from another socket that joined the turn ends it once for both", async () => {
    const { served } = await world([[{ chunks: ["one "] }, { hang: true }]])
    const [first, second] = [await served.connect(), await served.connect()]
    const { conversationId } = await startTurn(first)
    await first.next("stream_token", "r1")
    const { sessionId } = await second.create({ conversationId })
    await second.next("stream_token", "r1")
    second.say({ action: "cancel", requestId: "r1", sessionId })
    for (const client of [first, second]) {
      expect(await client.end("r1")).toMatchObject({ type: "cancelled", requestId: "r1" })
      await client.settled()
      expect(client.types("r1").at(-1)).toBe("cancelled")
    }
  })

  it("X03: sends nothing a second time, or when no turn runs", async () => {
    const { served } = await world([[{ chunks: ["one "] }, { hang: true }]])
    const client = await served.connect()
    const { sessionId } = await startTurn(client)
    await client.next("stream_token", "r1")
    const cancel = { action: "cancel", requestId: "r1", sessionId }
    client.say(cancel, cancel, cancel)
    await client.end("r1")
    client.say(cancel, { action: "cancel" }, { action: "cancel", requestId: "other" })
    const before = client.frames.length
    await client.settled()
    expect(client.frames).toHaveLength(before + 1) // the pong
    expect(client.types("r1").filter((type) => type === "cancelled")).toHaveLength(1)
  })

  it("X05: on a pending confirmation neither runs the tool nor calls the model again", async () => {
    const { tool, paid } = payTool()
    const { served, source } = await world([pay, [{ text: "All done." }]], [tool], { confirm: ["pay"] })
    const client = await served.connect()
    const { sessionId } = await startTurn(client)
    await client.next("write_confirmation_required", "r1")
    client.say({ action: "cancel", requestId: "r1", sessionId })
    expect(await client.end("r1")).toMatchObject({ type: "cancelled" })
    const confirm = { action: "confirm_tool_action", requestId: "c", sessionId, approved: true }
    expect(await client.ask(confirm)).toMatchObject({ error: { code: "NO_PENDING_CONFIRMATION" } })
    expect([paid, source.model.calls.length]).toEqual([[], 1])
  })

  it("X07: during a slow tool is sent at once, and nothing follows when the tool ends", async () => {
    const held = gate()
    const done = Promise.withResolvers<void>()
    const slow = testTool("slow", async () => {
      await held.pass() // ignores the abort
      setImmediate(done.resolve)
      return { outcome: "done", output: "at last" }
    })
    const { served } = await world([[{ call: { tool: "slow", input: {} } }], [{ text: "never said" }]], [slow])
    const client = await served.connect()
    const { sessionId } = await startTurn(client)
    await held.arrived
    client.say({ action: "cancel", requestId: "r1", sessionId })
    expect(await client.end("r1")).toMatchObject({ type: "cancelled" })
    const received = client.of("r1").length
    held.open()
    await done.promise
    await client.settled()
    expect(client.of("r1")).toHaveLength(received)
  })

  it("too late does not interrupt another visitor's turn that has started meanwhile", async () => {
    const [first, second, late] = [gate(), gate(), gate()]
    const { models } = inOrder([
      [{ gate: first }, { text: "Mine." }],
      [{ gate: second }, { text: "Theirs." }],
    ])
    const { host } = await world([], [], {}, {}, { models })
    const served = await serveWs(slowToInterrupt(servicePort(host), late))
    onTestFinished(() => served.close())
    const [mine, theirs] = [await served.connect(), await served.connect()]
    const { sessionId } = await startTurn(mine)
    theirs.say({ action: "send_message", requestId: "r2", sessionId, message: "me too" })
    await theirs.next("immediate_response", "r2")
    mine.say({ action: "cancel", requestId: "r1", sessionId })
    await late.arrived
    first.open()
    expect(replyOf(await mine.end("r1"))).toBe("Mine.")
    await second.arrived
    late.open()
    await mine.settled()
    second.open()
    expect(replyOf(await theirs.end("r2"))).toBe("Theirs.")
  })

  it("case 12: a cancelled slow tool that ends late does not affect the pending request of a newer turn", async () => {
    const held = gate()
    const done = Promise.withResolvers<void>()
    const slow = testTool("slow", async () => {
      await held.pass()
      setImmediate(done.resolve)
      return { outcome: "done", output: "at last" }
    })
    const { tool, paid } = payTool()
    const { models } = inOrder([[{ call: { tool: "slow", input: {} } }], [...pay], [{ text: "All done." }]])
    const { served } = await world([], [slow, tool], { confirm: ["pay"] }, {}, { models })
    const client = await served.connect()
    const { sessionId } = await startTurn(client)
    await held.arrived
    client.say({ action: "cancel", requestId: "r1", sessionId })
    await client.end("r1")
    client.say({ action: "send_message", requestId: "r2", sessionId, message: "pay" })
    await client.next("write_confirmation_required", "r2")
    held.open()
    await done.promise
    await client.settled()
    expect(
      await client.ask({ action: "confirm_tool_action", requestId: "c", sessionId, approved: true }),
    ).toMatchObject({ status: 200 })
    expect(replyOf(await client.end("r2"))).toBe("All done.")
    expect(paid).toHaveLength(1)
    expect(await runTurn(client, sessionId, "thanks")).toMatchObject({ type: "eventual_response" })
  })
})

/** Delays interrupts of visitors until the gate is open. */
function slowToInterrupt(port: HostPort, late: Gate): HostPort {
  const open: HostPort["open"] = async (...args) => {
    const opened = await port.open(...args)
    if (opened.kind === "refused") return opened
    const { handle } = opened
    const send: SessionHandle["send"] = async (command) => {
      if (command.type === "interrupt") await late.pass()
      return handle.send(command)
    }
    return {
      kind: "opened",
      handle: { sessionId: handle.sessionId, watch: (...given) => handle.watch(...given), send },
    }
  }
  return {
    open,
    create: (...args) => port.create(...args),
    query: (query) => port.query(query),
    perform: (command) => port.perform(command),
  }
}
