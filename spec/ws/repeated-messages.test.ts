// A message that is sent again under its id is stored once while its turn runs, or as a retry by a client that cannot
// know whether it arrived. Otherwise it is a new message.
import { describe, expect, it } from "vitest"
import type { Part } from "../../src/models/offline/index.ts"
import { gate } from "../../src/testing/gate.ts"
import { testHost } from "../../src/testing/test-host.ts"
import { scriptedSource } from "../../src/testing/scripted-source.ts"
import { inOrder } from "../../src/testing/service-world.ts"
import { serveWs, servicePort, type WsClient, wsWorlds } from "../../src/testing/doors/served-ws.ts"
import { messagesOf, missing, replyOf, runTurn, startTurn, tokensOf } from "./conversation.ts"

const world = wsWorlds()
const say = (text: string): Part => ({ text })

async function reconnectAndSend(served: { connect(): Promise<WsClient> }, conversationId: string, message = "hi") {
  const client = await served.connect()
  const { sessionId } = await client.create({ conversationId })
  client.say({ action: "send_message", requestId: "r1", sessionId, message })
  return { client, sessionId }
}

const textsOf = async (client: WsClient, sessionId: string) =>
  (await messagesOf(client, sessionId)).rows.map(({ text }) => text)

describe("a message that is sent again", () => {
  it("after its turn has ended is acknowledged and gets the same last frame; nothing is run or stored", async () => {
    const { served, source } = await world([[say("Once."), { usage: { input: 5, output: 2 } }], [say("Twice.")]])
    const first = await served.connect()
    const { conversationId } = await startTurn(first)
    const end = await first.end("r1")
    await first.close()
    const { client, sessionId } = await reconnectAndSend(served, conversationId)
    const again = await client.end("r1")
    expect({ ...again, timestamp: 0 }).toEqual({ ...end, timestamp: 0 })
    expect(client.types("r1")).toEqual(["immediate_response", "eventual_response"])
    expect(client.of("r1")[0]).toMatchObject({ status: 202 })
    expect(await textsOf(client, sessionId)).toEqual(["Once.", "hi"])
    expect(source.model.calls).toHaveLength(1)
    expect(replyOf(await runTurn(client, sessionId, "more"))).toBe("Twice.") // the socket is free
  })

  it("while its turn runs is acknowledged on the socket that joined it, and delivered once", async () => {
    const held = gate()
    const { served, source } = await world([[{ chunks: ["One ", "two "] }, { gate: held }, say("three.")]])
    const first = await served.connect()
    const { conversationId } = await startTurn(first)
    await held.arrived
    await first.close()
    const { client, sessionId } = await reconnectAndSend(served, conversationId)
    await client.next("immediate_response", "r1")
    held.open()
    expect(replyOf(await client.end("r1"))).toBe("One two three.")
    expect(tokensOf(client)).toBe("One two three.")
    expect(client.types("r1").filter((type) => type === "eventual_response")).toHaveLength(1)
    expect(await textsOf(client, sessionId)).toEqual(["One two three.", "hi"])
    expect(source.model.calls).toHaveLength(1)
  })

  it("twice on the same socket is acknowledged twice; another text under its id is refused", async () => {
    const held = gate()
    const { served } = await world([[{ gate: held }, say("Done.")]])
    const client = await served.connect()
    const { sessionId } = await startTurn(client)
    await held.arrived
    client.say({ action: "send_message", requestId: "r1", sessionId, message: "hi" })
    await client.until(() => client.of("r1").length === 2)
    expect(client.of("r1")).toMatchObject([{ status: 202 }, { status: 202 }])
    client.say({ action: "send_message", requestId: "r1", sessionId, message: "something else" })
    await client.until(() => client.of("r1").length === 3)
    expect(client.of("r1")[2]).toMatchObject({ error: { code: "TURN_IN_PROGRESS" } })
    held.open()
    await client.next("eventual_response", "r1")
    expect(await textsOf(client, sessionId)).toEqual(["Done.", "hi"])
  })

  it("while it waits for another visitor's turn is delivered when its own turn runs", async () => {
    const held = gate()
    const { served } = await world([[{ gate: held }, say("First.")], [say("Second.")]])
    const other = await served.connect()
    const { conversationId } = await startTurn(other, "long", {}, "other")
    await held.arrived
    const sender = await served.connect()
    const { sessionId } = await other.create({ conversationId }) // does not join the running turn
    sender.say({ action: "send_message", requestId: "r1", sessionId, message: "hi" })
    await sender.next("immediate_response", "r1")
    await sender.close()
    const again = await served.connect()
    again.say({ action: "send_message", requestId: "r1", sessionId, message: "hi" })
    expect(await again.next("immediate_response", "r1")).toMatchObject({ status: 202 })
    held.open()
    expect(replyOf(await again.end("r1"))).toBe("Second.")
    expect(await textsOf(again, sessionId)).toEqual(["Second.", "hi", "First.", "long"])
  })

  it("is a new message after its turn failed or was cancelled", async () => {
    const held = gate()
    const { models } = inOrder([
      [{ error: { message: "no", status: 400 } }],
      [{ gate: held }],
      [say("Now.")],
      [say("And now.")],
    ])
    const { served } = await world([], [], {}, {}, { models })
    const first = await served.connect()
    const { conversationId, sessionId } = await startTurn(first)
    expect(await first.end("r1")).toMatchObject({ type: "error" })
    first.say({ action: "send_message", requestId: "r2", sessionId, message: "again" })
    await held.arrived
    first.say({ action: "cancel" })
    expect(await first.end("r2")).toMatchObject({ type: "cancelled" })
    await first.close()
    const { client } = await reconnectAndSend(served, conversationId)
    expect(replyOf(await client.end("r1"))).toBe("Now.")
    client.say({ action: "send_message", requestId: "r2", sessionId, message: "again" })
    expect(replyOf(await client.end("r2"))).toBe("And now.")
    expect(await textsOf(client, sessionId)).toEqual(["And now.", "again", "Now.", "hi", "again", "hi"])
  })

  it("on the same socket after its turn has ended is a new message", async () => {
    const { served, source } = await world([[say("One.")], [say("Two.")], [say("Three.")]])
    const client = await served.connect()
    const { sessionId } = await startTurn(client)
    await client.end("r1")
    for (const turns of [2, 3]) {
      client.say({ action: "send_message", requestId: "r1", sessionId, message: "hi" })
      await client.until(() => client.types("r1").filter((type) => type === "eventual_response").length === turns)
    }
    expect(await textsOf(client, sessionId)).toEqual(["Three.", "hi", "Two.", "hi", "One.", "hi"])
    expect(source.model.calls).toHaveLength(3)
  })

  it("on another socket while the first is open, or after a later frame on it, is a new message", async () => {
    const { served } = await world([[say("One.")], [say("Two.")], [say("Three.")]])
    const first = await served.connect()
    const { conversationId } = await startTurn(first)
    await first.end("r1")
    const second = await reconnectAndSend(served, conversationId)
    expect(replyOf(await second.client.end("r1"))).toBe("Two.")
    await second.client.settled()
    await second.client.close()
    const third = await reconnectAndSend(served, conversationId)
    expect(replyOf(await third.client.end("r1"))).toBe("Three.")
    expect(await textsOf(third.client, third.sessionId)).toEqual(["Three.", "hi", "Two.", "hi", "One.", "hi"])
  })

  it("as a retry counts as sent on the new socket, where the same message is then a new one", async () => {
    const { served } = await world([[say("One.")], [say("Two.")]])
    const first = await served.connect()
    const { conversationId } = await startTurn(first)
    await first.end("r1")
    await first.close()
    const { client, sessionId } = await reconnectAndSend(served, conversationId)
    expect(replyOf(await client.end("r1"))).toBe("One.")
    client.say({ action: "send_message", requestId: "r1", sessionId, message: "hi" })
    await client.until(() => client.types("r1").filter((type) => type === "eventual_response").length === 2)
    expect(await textsOf(client, sessionId)).toEqual(["Two.", "hi", "One.", "hi"])
  })

  it("with another text is another message: reusing an id loses nothing", async () => {
    const { served } = await world([[say("One.")], [say("Two.")]])
    const first = await served.connect()
    const { conversationId } = await startTurn(first)
    await first.end("r1")
    const { client, sessionId } = await reconnectAndSend(served, conversationId, "and then?")
    expect(replyOf(await client.end("r1"))).toBe("Two.")
    expect(await textsOf(client, sessionId)).toEqual(["Two.", "and then?", "One.", "hi"])
  })

  it("is recognised by the next server process", async () => {
    const lost = await world([[say("Once.")]])
    const { served, log } = lost
    const first = await served.connect()
    const { conversationId } = await startTurn(first)
    await first.end("r1")
    await first.close()
    await lost.crash()
    const source = scriptedSource([[say("Once.")], [say("Twice.")], [say("Thrice.")]])
    const next = await testHost(source, [], {}, log, 2)
    const second = await serveWs(servicePort(next.host))
    const { client, sessionId } = await reconnectAndSend(second, conversationId)
    expect(replyOf(await client.end("r1"))).toBe("Once.")
    expect(await textsOf(client, sessionId)).toEqual(["Once.", "hi"])
    expect(source.model.calls).toEqual([])
    expect(replyOf(await runTurn(client, sessionId, "more"))).toBe("Twice.")
    await client.close()
    const later = await reconnectAndSend(second, conversationId)
    expect(replyOf(await later.client.end("r1"))).toBe("Thrice.")
    await second.close()
  })

  it("is refused while the socket has another turn, before its session is looked up", async () => {
    const held = gate()
    const { served } = await world([[{ gate: held }, say("Done.")]])
    const client = await served.connect()
    await startTurn(client)
    await held.arrived
    const probe = { action: "send_message", requestId: "probe", sessionId: missing, message: "?" }
    expect(await client.ask(probe)).toMatchObject({ error: { code: "TURN_IN_PROGRESS" } })
    held.open()
    await client.end("r1")
  })

  it("and waits behind a later turn can be cancelled by the client that returned", async () => {
    const [one, two] = [gate(), gate()]
    const { models } = inOrder([[{ gate: one }, say("One.")], [{ gate: two }, say("Two.")], [say("Three.")]])
    const { host } = await testHost(models)
    const served = await serveWs(servicePort(host))
    const first = await served.connect()
    const sockets = [first, await served.connect(), await served.connect()]
    const { sessionId } = await first.create()
    for (const [at, client] of sockets.entries()) {
      client.say({ action: "send_message", requestId: `r${at}`, sessionId, message: `words ${at}` })
      await client.next("immediate_response", `r${at}`)
    }
    one.open()
    await two.arrived
    for (const client of sockets) await client.close()
    const back = await served.connect()
    back.say({ action: "send_message", requestId: "r2", sessionId, message: "words 2" })
    await back.next("immediate_response", "r2")
    back.say({ action: "cancel", requestId: "r2" })
    await back.next("cancelled", "r2")
    two.open()
    expect(replyOf(await runTurn(back, sessionId, "more"))).toBe("Three.") // the socket is free
    await served.close()
  })
})
