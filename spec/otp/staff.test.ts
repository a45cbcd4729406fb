// Approvals that the visitor may not answer: only staff with the role can, and a visitor gains no rights through another
// door or another host.
import { afterEach, describe, expect, it } from "vitest"
import type { HostPort } from "../../src/contract/host-port.ts"
import type { Who } from "../../src/contract/values.ts"
import { HouseClient } from "../../src/clients/house/house-client.ts"
import type { HouseDoorOptions } from "../../src/doors/house/connection.ts"
import { GuardedPort } from "../../src/doors/house/guarded-port.ts"
import { portOf, serve } from "../../src/testing/doors/served-host.ts"
import { history, next, reopen, testTool } from "../../src/testing/test-host.ts"
import { serveWs, wsWorlds } from "../../src/testing/doors/served-ws.ts"
import { replyOf, startTurn } from "../ws/conversation.ts"

const world = wsWorlds()
const cleanups: (() => Promise<void> | void)[] = []
afterEach(async () => {
  for (const clean of cleanups.splice(0).toReversed()) await clean()
})

const clerk: Who = { principal: "clerk", door: "console", roles: ["watch", "approve"] }

async function refunding() {
  const refunded: unknown[] = []
  const tool = testTool("refund", (input) => (refunded.push(input), { outcome: "done", output: "refunded" }))
  const steps = [[{ call: { tool: "refund", input: { sum: 7 } } }], [{ text: "All done." }]]
  const made = await world(steps, [tool], { approve: ["refund"] }, { limits: { keepaliveMs: 5 } })
  return { ...made, refunded, port: portOf(made.host) }
}

type Refunding = Awaited<ReturnType<typeof refunding>>

/** A visitor whose turn waits for the approval of staff. */
async function waiting({ served, host }: Pick<Refunding, "served" | "host">) {
  const client = await served.connect()
  const visit = await startTurn(client, "refund me")
  await client.next("keepalive", "r1")
  const { state } = await reopen(host, visit.conversationId)
  const approvalId = state.approvals[0]?.id
  if (approvalId === undefined) throw new Error("nothing is asked")
  return { client, ...visit, approvalId }
}

async function answer(port: HostPort, sessionId: string, approvalId: `apr_${string}`, who: Who, approved = true) {
  const opened = await port.open(sessionId, who)
  if (opened.kind === "refused") throw new Error(opened.refusal.code)
  return opened.handle.send({ type: "approve", approvalId, approved })
}

describe("an approval for staff", () => {
  it("is hidden from the visitor, who gets keep-alives and cannot answer it", async () => {
    const made = await refunding()
    const { client, sessionId, conversationId, approvalId } = await waiting(made)
    expect(client.types("r1")).not.toContain("write_confirmation_required")
    const { timestamp: _, ...keepalive } = await client.next("keepalive", "r1")
    expect(keepalive).toEqual({ type: "keepalive", requestId: "r1", data: { requestId: "r1" } })
    const confirm = { action: "confirm_tool_action", requestId: "c", sessionId, approved: true }
    expect(await client.ask(confirm)).toMatchObject({ error: { code: "NO_PENDING_CONFIRMATION" } })
    expect(made.refunded).toEqual([])
    expect(await answer(made.port, conversationId, approvalId, clerk)).toMatchObject({ kind: "accepted" })
    expect(replyOf(await client.end("r1"))).toBe("All done.")
    expect(made.refunded).toHaveLength(1)
  })

  it("cannot be answered without the role, nor by a visitor who has it", async () => {
    const made = await refunding()
    const { conversationId, approvalId } = await waiting(made)
    const as = (who: Who) => answer(made.port, conversationId, approvalId, who)
    expect(await as({ ...clerk, roles: ["watch", "drive"] })).toMatchObject({
      refusal: { code: "role.missing", role: "approve" },
    })
    expect(await as({ ...clerk, roles: [] })).toMatchObject({ refusal: { code: "role.missing" } })
    expect(await as({ ...clerk, principal: "visitor" })).toMatchObject({ refusal: { code: "approval.own" } })
    expect(await as({ principal: "visitor", door: "house" })).toMatchObject({ refusal: { code: "approval.own" } })
    expect(made.refunded).toEqual([])
    expect(await as({ principal: "owner", door: "cli" })).toMatchObject({ kind: "accepted" })
  })

  it("stores the name of its approver, not the roles", async () => {
    const made = await refunding()
    const { client, conversationId, approvalId } = await waiting(made)
    await answer(made.port, conversationId, approvalId, clerk, false)
    await client.end("r1")
    const stored = await history(made.log, conversationId)
    expect(stored.find(({ type }) => type === "approval.decided")).toMatchObject({
      by: { principal: "clerk", door: "console" },
    })
    expect(JSON.stringify(stored)).not.toContain('"roles"')
  })
})

describe("between two hosts", () => {
  async function linked(made: Refunding, options: Partial<HouseDoorOptions> = {}) {
    const door = await serve(made.port, options)
    const client = await HouseClient.connect(door.path, { door: "serve" })
    cleanups.push(
      () => door.close(),
      () => client.close(),
    )
    return client
  }

  it("a principal keeps its name and roles", async () => {
    const made = await refunding()
    const { conversationId, approvalId } = await waiting(made)
    const far = await linked(made)
    expect(await answer(far, conversationId, approvalId, { ...clerk, roles: ["drive"] })).toMatchObject({
      refusal: { code: "role.missing" },
    })
    const session = await reopen(made.host, conversationId)
    const decided = next(session, "approval.decided")
    expect(await answer(far, conversationId, approvalId, clerk)).toMatchObject({ kind: "accepted" })
    expect(await decided).toMatchObject({ by: { principal: "clerk", door: "console" } })
  })

  it("a principal cannot act for one with more roles", async () => {
    const made = await refunding()
    const { conversationId, approvalId } = await waiting(made)
    const far = await linked(made, { by: { principal: "guest", door: "house", roles: ["watch", "drive"] } })
    const owner = { principal: "owner", door: "cli" }
    for (const who of [clerk, owner])
      expect(await answer(far, conversationId, approvalId, who)).toMatchObject({ refusal: { code: "role.missing" } })
    expect(made.refunded).toEqual([])
  })

  it("a key holder cannot prompt in a visitor's visit and use its verification", async () => {
    const made = await refunding()
    const { sessionId: visitId, conversationId } = await waiting(made)
    const keyed = new GuardedPort(made.port, { roles: ["watch", "drive"], sees: "everything" })
    const opened = await keyed.open(conversationId, { principal: "guest", door: "house" })
    if (opened.kind === "refused") throw new Error(opened.refusal.code)
    const prompt = { type: "prompt", promptId: "prm_1", text: "pay", ifBusy: "wait" } as const
    expect(await opened.handle.send({ ...prompt, visitId })).toMatchObject({ refusal: { code: "key.narrow" } })
    expect(await opened.handle.send(prompt)).toMatchObject({ kind: "accepted" })
  })

  it("a visitor of a conversation on another host has the rights of a visitor", async () => {
    const made = await refunding()
    const far = await linked(made)
    const here = await waiting(made)
    const served = await serveWs(far)
    cleanups.push(() => served.close())
    const client = await served.connect()
    const { sessionId } = await client.create({ conversationId: here.conversationId })
    const confirm = { action: "confirm_tool_action", requestId: "c", sessionId, approved: true }
    expect(await client.ask(confirm)).toMatchObject({ error: { code: "NO_PENDING_CONFIRMATION" } })
    const visits = (await history(made.log, here.conversationId)).filter(({ type }) => type === "visit.opened")
    expect(visits).toMatchObject([{ principal: "visitor" }, { principal: "visitor" }])
    expect(made.refunded).toEqual([])
  })
})
