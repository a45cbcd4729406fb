// Cases H01 to H07 and further case 4: calls that wait for the visitor's confirmation.
import { describe, expect, it } from "vitest"
import type { Step } from "../../src/models/offline/index.ts"
import { reopen, testTool } from "../../src/testing/test-host.ts"
import { wsWorlds } from "../../src/testing/doors/served-ws.ts"
import { chunksOf, messagesOf, replyOf, startTurn } from "./conversation.ts"

const world = wsWorlds()

function payTool() {
  const paid: unknown[] = []
  const tool = testTool("pay", (input) => (paid.push(input), { outcome: "done", output: "paid" }))
  return { tool, paid }
}
const steps: Step[] = [[{ call: { tool: "pay", input: { sum: 7 } } }], [{ text: "All done." }]]

describe("a confirmation", () => {
  it("H01: the card comes before its call, and all actions but send_message work while it is pending", async () => {
    const { tool, paid } = payTool()
    const { served } = await world(steps, [tool], { confirm: ["pay"] })
    const client = await served.connect()
    const { sessionId, conversationId } = await startTurn(client)
    await client.next("write_confirmation_required", "r1")
    await client.settled()
    expect(client.types("r1")).toEqual(["immediate_response", "write_confirmation_required", "stream_chunk"])
    const ask = (action: string, more: object = {}) =>
      client.ask({ action, requestId: `${action}-${Math.random()}`, sessionId, ...more })
    expect(await ask("ping")).toMatchObject({ type: "pong" })
    expect(await ask("get_session")).toMatchObject({ status: 200, data: { sessionId, status: "active" } })
    expect((await messagesOf(client, sessionId)).rows).toMatchObject([{ direction: "inbound", text: "hi" }])
    expect(await ask("list_conversations")).toMatchObject({ data: { conversations: [{ conversationId }] } })
    expect(await ask("rename_conversation", { conversationId, title: "Mine" })).toMatchObject({ status: 200 })
    expect(await ask("create_conversation_session", { agentId: "b" })).toMatchObject({ status: 200 })
    expect(await ask("verify_otp", { code: "1" })).toMatchObject({ type: "otp_invalid" })
    expect(await ask("send_message", { message: "x" })).toMatchObject({ error: { code: "TURN_IN_PROGRESS" } })
    client.say({ action: "confirm_tool_action", requestId: "c", sessionId, approved: true })
    expect(replyOf(await client.end("r1"))).toBe("All done.")
    expect(paid).toHaveLength(1)
  })

  it("H02: is acknowledged once; a second answer gets NO_PENDING_CONFIRMATION, also while the turn runs", async () => {
    const { tool, paid } = payTool()
    const { served } = await world([steps[0] ?? [], [{ hang: true }]], [tool], { confirm: ["pay"] })
    const client = await served.connect()
    const { sessionId } = await startTurn(client)
    await client.next("write_confirmation_required", "r1")
    const confirm = (requestId: string) => ({ action: "confirm_tool_action", requestId, sessionId, approved: true })
    client.say(confirm("c1"), confirm("c2"))
    expect(await client.next("immediate_response", "c1")).toMatchObject({
      status: 200,
      message: "Tool action approved",
      data: { sessionId, approved: true },
    })
    expect(await client.next("error", "c2")).toMatchObject({
      error: {
        code: "NO_PENDING_CONFIRMATION",
        message: `no tool action is awaiting confirmation for session '${sessionId}'`,
      },
    })
    await client.until(() => chunksOf(client).length === 2)
    expect(paid).toHaveLength(1)
    expect(client.types("r1")).not.toContain("error")
  })

  it.each([undefined, "true", 1, null, {}])(
    "H03: a non-boolean answer is refused and leaves it pending: %j",
    async (approved) => {
      const { tool, paid } = payTool()
      const { served } = await world(steps, [tool], { confirm: ["pay"] })
      const client = await served.connect()
      const { sessionId } = await startTurn(client)
      await client.next("write_confirmation_required", "r1")
      expect(await client.ask({ action: "confirm_tool_action", requestId: "c", sessionId, approved })).toMatchObject({
        error: { code: "VALIDATION_ERROR" },
      })
      client.say({ action: "confirm_tool_action", sessionId, approved: true }) // without a request id
      expect(replyOf(await client.end("r1"))).toBe("All done.")
      expect(paid).toHaveLength(1)
    },
  )

  it("H04: a denial is an error result for the model, and the tool does not run", async () => {
    const { tool, paid } = payTool()
    const { served, source } = await world(steps, [tool], { confirm: ["pay"] })
    const client = await served.connect()
    const { sessionId } = await startTurn(client)
    await client.next("write_confirmation_required", "r1")
    client.say({ action: "confirm_tool_action", requestId: "c", sessionId, approved: false })
    expect(replyOf(await client.end("r1"))).toBe("All done.")
    expect(chunksOf(client)).toMatchObject([{ toolCall: { name: "pay" } }, { toolResult: { isError: true } }])
    expect([paid, source.model.calls.length]).toEqual([[], 2])
  })

  it("H05: of two calls the first can be denied and the second approved", async () => {
    const { tool, paid } = payTool()
    const two: Step = [{ call: { tool: "pay", input: { n: 1 } } }, { call: { tool: "pay", input: { n: 2 } } }]
    const { served } = await world([two, [{ text: "One of them." }]], [tool], { confirm: ["pay"] })
    const client = await served.connect()
    const { sessionId } = await startTurn(client)
    for (const [index, approved] of [false, true].entries()) {
      await client.until(
        () => client.types("r1").filter((type) => type === "write_confirmation_required").length > index,
      )
      client.say({ action: "confirm_tool_action", requestId: `c${index}`, sessionId, approved })
    }
    expect(replyOf(await client.end("r1"))).toBe("One of them.")
    expect(paid).toEqual([{ n: 2 }])
    const results = chunksOf(client).flatMap((raw) => ("toolResult" in raw ? [raw.toolResult.isError] : []))
    expect(results).toEqual([true, false])
  })

  it("H06: an approval of a card that another socket has just settled does not approve its replacement", async () => {
    const { tool, paid } = payTool()
    let now = 1_763_000_000_000
    const two: Step = [{ call: { tool: "pay", input: { n: 1 } } }, { call: { tool: "pay", input: { n: 2 } } }]
    const { served, host } = await world(
      [two, [{ text: "Both." }]],
      [tool],
      { confirm: ["pay"] },
      {
        now: () => now,
      },
    )
    const client = await served.connect()
    const { sessionId, conversationId } = await startTurn(client)
    await client.next("write_confirmation_required", "r1")
    const session = await reopen(host, conversationId)
    const approvalId = session.state.approvals[0]?.id ?? "apr_"
    await session.send({ type: "approve", approvalId, approved: true }, { principal: "boss", door: "house" })
    await client.until(() => client.types("r1").filter((type) => type === "write_confirmation_required").length === 2)
    const confirm = (requestId: string) =>
      client.ask({ action: "confirm_tool_action", requestId, sessionId, approved: true })
    expect(await confirm("early")).toMatchObject({ error: { code: "NO_PENDING_CONFIRMATION" } })
    now += 1000
    expect(await confirm("later")).toMatchObject({ status: 200 })
    expect(replyOf(await client.end("r1"))).toBe("Both.")
    expect(paid).toHaveLength(2)
  })

  it("H06: a replaced card counts as unread on every socket but the one that settled the previous card", async () => {
    const { tool, paid } = payTool()
    let now = 1_763_000_000_000
    const three: Step = [1, 2, 3].map((n) => ({ call: { tool: "pay", input: { n } } }))
    const { served } = await world([three, [{ text: "All." }]], [tool], { confirm: ["pay"] }, { now: () => now })
    const client = await served.connect()
    const { sessionId, conversationId } = await startTurn(client)
    await client.next("write_confirmation_required", "r1")
    const other = await served.connect()
    const visit = await other.create({ conversationId })
    await other.next("write_confirmation_required", "r1")
    const cards = (count: number) =>
      other.until(() => other.types("r1").filter((type) => type === "write_confirmation_required").length === count)
    const confirm = { action: "confirm_tool_action", approved: true }
    expect(await client.ask({ ...confirm, requestId: "one", sessionId })).toMatchObject({ status: 200 })
    await cards(2)
    const early = { ...confirm, requestId: "early", sessionId: visit.sessionId }
    expect(await other.ask(early)).toMatchObject({ error: { code: "NO_PENDING_CONFIRMATION" } })
    expect(await client.ask({ ...confirm, requestId: "two", sessionId })).toMatchObject({ status: 200 })
    await cards(3)
    now += 1000
    expect(await other.ask({ ...early, requestId: "later" })).toMatchObject({ status: 200 })
    expect(replyOf(await client.end("r1"))).toBe("All.")
    expect(paid).toHaveLength(3)
  })

  it("a card that a socket is shown when it joins can be answered at once, also if it has just replaced another", async () => {
    const { tool, paid } = payTool()
    const now = () => 1_763_000_000_000
    const two: Step = [1, 2].map((n) => ({ call: { tool: "pay", input: { n } } }))
    const { served } = await world([two, [{ text: "Both." }]], [tool], { confirm: ["pay"] }, { now })
    const client = await served.connect()
    const { sessionId, conversationId } = await startTurn(client)
    await client.next("write_confirmation_required", "r1")
    const confirm = { action: "confirm_tool_action", approved: true }
    expect(await client.ask({ ...confirm, requestId: "one", sessionId })).toMatchObject({ status: 200 })
    await client.until(() => client.types("r1").filter((type) => type === "write_confirmation_required").length === 2)
    const other = await served.connect()
    const visit = await other.create({ conversationId })
    await other.next("write_confirmation_required", "r1")
    const second = { ...confirm, requestId: "two", sessionId: visit.sessionId }
    expect(await other.ask(second)).toMatchObject({ status: 200 })
    expect(replyOf(await other.end("r1"))).toBe("Both.")
    expect(paid).toHaveLength(2)
  })

  it("case 4: expires as a denial, and a late answer gets NO_PENDING_CONFIRMATION", async () => {
    const { tool, paid } = payTool()
    const { served } = await world(steps, [tool], { confirm: ["pay"] }, {}, { approvalWaitMs: 50 })
    const client = await served.connect()
    const { sessionId } = await startTurn(client)
    await client.next("write_confirmation_required", "r1")
    expect(replyOf(await client.end("r1"))).toBe("All done.")
    expect(chunksOf(client).at(-1)).toMatchObject({ toolResult: { name: "pay", isError: true } })
    expect(
      await client.ask({ action: "confirm_tool_action", requestId: "c", sessionId, approved: true }),
    ).toMatchObject({ error: { code: "NO_PENDING_CONFIRMATION" } })
    expect(paid).toEqual([])
  })
})
