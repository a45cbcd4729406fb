import { describe, expect, it } from "vitest"
import type { Step } from "../../../models/offline/index.ts"
import { testTool } from "../../../testing/test-host.ts"
import { type WsClient, wsWorlds } from "../../../testing/doors/served-ws.ts"

const world = wsWorlds()

async function startTurn(client: WsClient, message = "hi", requestId = "r1") {
  const visit = await client.create()
  client.say({ action: "send_message", requestId, sessionId: visit.sessionId, message })
  return visit
}

describe("confirm_tool_action", () => {
  const pay = () => {
    const paid: unknown[] = []
    const tool = testTool("pay", (input) => {
      paid.push(input)
      return { outcome: "done", output: "paid" }
    })
    return { tool, paid }
  }
  const steps: Step[] = [[{ call: { tool: "pay", input: { sum: 7 } } }], [{ text: "All done." }]]

  it("the card comes before the call, and approval lets the call run", async () => {
    const { tool, paid } = pay()
    const { served } = await world(steps, [tool], { confirm: ["pay"] })
    const client = await served.connect()
    const { sessionId } = await startTurn(client)
    const asked = await client.next("write_confirmation_required", "r1")
    expect(asked.data.data).toEqual({
      toolId: "pay",
      actionDescription: "Tool 'pay' requires confirmation (sum: 7). Allow?",
    })
    await client.settled()
    expect([client.types("r1"), paid]).toEqual([
      ["immediate_response", "write_confirmation_required", "stream_chunk"],
      [],
    ])
    client.say({ action: "confirm_tool_action", requestId: "c", sessionId, approved: true })
    await client.end("r1")
    expect(client.of("c")).toMatchObject([
      { status: 200, message: "Tool action approved", data: { sessionId, approved: true } },
    ])
    const order = client.frames.map((frame) => ("requestId" in frame ? `${frame.requestId} ${frame.type}` : frame.type))
    expect(order.indexOf("c immediate_response")).toBeLessThan(order.lastIndexOf("r1 stream_chunk"))
    expect(paid).toEqual([{ sum: 7 }])
    const late = await client.ask({ action: "confirm_tool_action", requestId: "d", sessionId, approved: true })
    expect(late).toMatchObject({ error: { code: "NO_PENDING_CONFIRMATION" } })
  })

  it("accepts the turn's own request id", async () => {
    const { tool } = pay()
    const { served } = await world(steps, [tool], { confirm: ["pay"] })
    const client = await served.connect()
    const { sessionId } = await startTurn(client)
    await client.next("write_confirmation_required")
    client.say({ action: "confirm_tool_action", requestId: "r1", sessionId, approved: true })
    expect(await client.end("r1")).toMatchObject({ type: "eventual_response" })
  })

  it("a denied tool does not run, and the turn ends normally", async () => {
    const { tool, paid } = pay()
    const { served } = await world(steps, [tool], { confirm: ["pay"] })
    const client = await served.connect()
    const { sessionId } = await startTurn(client)
    await client.next("write_confirmation_required")
    client.say({ action: "confirm_tool_action", requestId: "c", sessionId, approved: false })
    expect(await client.end("r1")).toMatchObject({ type: "eventual_response" })
    expect(client.of("c")).toMatchObject([{ message: "Tool action rejected", data: { approved: false } }])
    const chunks = client.of("r1").flatMap((frame) => (frame.type === "stream_chunk" ? frame.data.state : []))
    expect(chunks.at(-1)).toMatchObject({ rawResponse: { toolResult: { isError: true } } })
    expect(paid).toEqual([])
  })

  it("an invalid answer leaves the confirmation pending", async () => {
    const { tool } = pay()
    const { served } = await world(steps, [tool], { confirm: ["pay"] })
    const client = await served.connect()
    const { sessionId } = await startTurn(client)
    await client.next("write_confirmation_required")
    const wrong = { action: "confirm_tool_action", requestId: "c", sessionId, approved: "yes" }
    expect(await client.ask(wrong)).toMatchObject({ error: { code: "VALIDATION_ERROR" } })
    expect(await client.ask({ action: "confirm_tool_action", requestId: "e", approved: true })).toMatchObject({
      error: { code: "VALIDATION_ERROR" },
    })
    client.say({ action: "confirm_tool_action", requestId: "d", sessionId, approved: true })
    expect(await client.end("r1")).toMatchObject({ type: "eventual_response" })
  })

  it("can be answered from another socket after the first one has closed", async () => {
    const { tool, paid } = pay()
    const { served } = await world(steps, [tool], { confirm: ["pay"] })
    const first = await served.connect()
    const { conversationId } = await startTurn(first)
    await first.next("write_confirmation_required")
    await first.close()
    const second = await served.connect()
    const { sessionId } = await second.create({ conversationId })
    await second.until(() => second.types("r1").length === 2)
    expect(second.types("r1")).toEqual(["write_confirmation_required", "stream_chunk"])
    second.say({ action: "confirm_tool_action", requestId: "c", sessionId, approved: true })
    expect(await second.end("r1")).toMatchObject({ type: "eventual_response" })
    expect(paid).toHaveLength(1)
  })

  it("a socket outside the turn can answer, and receives only its own response", async () => {
    const { tool } = pay()
    const { served } = await world(steps, [tool], { confirm: ["pay"] })
    const [first, second] = [await served.connect(), await served.connect()]
    const { sessionId } = await startTurn(first)
    await first.next("write_confirmation_required")
    expect(
      await second.ask({ action: "confirm_tool_action", requestId: "c", sessionId, approved: true }),
    ).toMatchObject({ status: 200 })
    expect(await first.end("r1")).toMatchObject({ type: "eventual_response" })
    await second.settled()
    expect(second.of("r1")).toEqual([])
  })

  it("returns NO_PENDING_CONFIRMATION after the turn was cancelled", async () => {
    const { tool, paid } = pay()
    const { served } = await world(steps, [tool], { confirm: ["pay"] })
    const client = await served.connect()
    const { sessionId } = await startTurn(client)
    await client.next("write_confirmation_required")
    client.say({ action: "cancel", requestId: "r1", sessionId })
    expect(await client.end("r1")).toMatchObject({ type: "cancelled" })
    expect(
      await client.ask({ action: "confirm_tool_action", requestId: "c", sessionId, approved: true }),
    ).toMatchObject({ error: { code: "NO_PENDING_CONFIRMATION" } })
    expect(paid).toEqual([])
  })

  it("asks for one confirmation after the other when two calls need one", async () => {
    const { tool, paid } = pay()
    const two: Step[] = [
      [{ call: { tool: "pay", input: { sum: 1 } } }, { call: { tool: "pay", input: { sum: 2 } } }],
      [{ text: "Both." }],
    ]
    const { served } = await world(two, [tool], { confirm: ["pay"] })
    const client = await served.connect()
    const { sessionId } = await startTurn(client)
    for (const count of [1, 2]) {
      const asked = () => client.types("r1").filter((type) => type === "write_confirmation_required").length
      await client.until(() => asked() === count)
      client.say({ action: "confirm_tool_action", requestId: `c${count}`, sessionId, approved: true })
      await client.next("immediate_response", `c${count}`)
    }
    expect(await client.end("r1")).toMatchObject({ type: "eventual_response" })
    expect(paid).toEqual([{ sum: 1 }, { sum: 2 }])
  })

  it("an approval by staff shows no card, sends keepalive, and cannot be answered by the visitor", async () => {
    const { tool } = pay()
    const { served, host } = await world(steps, [tool], { approve: ["pay"] }, { limits: { keepaliveMs: 5 } })
    const client = await served.connect()
    const { sessionId, conversationId } = await startTurn(client)
    await client.next("keepalive", "r1")
    expect(client.types("r1")).not.toContain("write_confirmation_required")
    expect(
      await client.ask({ action: "confirm_tool_action", requestId: "c", sessionId, approved: true }),
    ).toMatchObject({ error: { code: "NO_PENDING_CONFIRMATION" } })
    const opened = await host.open(conversationId)
    if (opened.kind === "refused") throw new Error(opened.refusal.code)
    const [open] = opened.session.state.approvals
    await opened.session.send(
      { type: "approve", approvalId: open?.id ?? "apr_", approved: true },
      { principal: "boss", door: "house" },
    )
    expect(await client.end("r1")).toMatchObject({ type: "eventual_response" })
  })
})
