// Case A01 and further cases 3, 22 and 24: the server process.
import { describe, expect, it } from "vitest"
import type { Step } from "../../src/models/offline/index.ts"
import { WsClient } from "../../src/testing/doors/served-ws.ts"
import { setFreeSpace } from "../e2e/room.ts"
import { newPlace, type Place } from "../e2e/turnhouse.ts"
import { dataOf, messagesOf, replyOf, runTurn, startTurn } from "./conversation.ts"

async function serving(place: Place) {
  const running = place.start(["serve", "--port", "0"])
  const url = await running.until("an address", () => /^listening on http:(\S+)$/m.exec(running.stdout)?.[1])
  const readiness = async () => {
    const response = await fetch(`http:${url}/readyz`)
    return [response.status, (await response.text()).trim()]
  }
  return { running, readiness, connect: (query = "") => WsClient.open(`ws:${url}/ws${query}`) }
}

describe.concurrent("a server", () => {
  it("A01: accepts any token, as the same anonymous principal", async (test) => {
    const place = newPlace(test)
    place.config({ model: place.script([[{ text: "Hello." }]]) })
    const { running, connect } = await serving(place)
    const unsigned = `${btoa('{"alg":"none"}')}.${btoa('{"sub":"boss","role":"admin","org":"other"}')}.`
    const first = await connect()
    const { sessionId } = await startTurn(first)
    await first.end("r1")
    for (const token of ["", "nonsense", "a.b.c", unsigned, "%00", "x".repeat(4000)]) {
      const client = await connect(`?token=${token}`)
      expect((await messagesOf(client, sessionId)).rows).toHaveLength(2)
      await client.close()
    }
    running.signal("SIGTERM")
    const { stderr } = await running.ended
    expect(new Set(stderr.match(/"principal":"[^"]*"/g))).toEqual(new Set(['"principal":"visitor"']))
  })

  it("case 3: when idle closes its sockets with 1000 at SIGTERM and accepts no more", async (test) => {
    const { running, connect } = await serving(newPlace(test))
    const client = await connect()
    await client.create()
    running.signal("SIGTERM")
    expect(await client.closed).toEqual({ code: 1000, reason: "bye" })
    await expect(connect()).rejects.toThrow(/503|ECONNREFUSED|ECONNRESET|hang up/)
    expect((await running.ended).code).toBe(0)
  })

  it("case 24: with a full disk is not ready and refuses messages, and recovers when there is space", async (test) => {
    const place = newPlace(test)
    place.config({ model: place.script([[{ text: "Here." }]]) })
    const { readiness, connect } = await serving(place)
    const client = await connect()
    const { sessionId } = await client.create()
    expect(await readiness()).toEqual([200, "ok"])
    setFreeSpace(place, "1")
    expect(await readiness()).toEqual([503, "the log cannot be written"])
    client.say({ action: "send_message", requestId: "r1", sessionId, message: "lost" })
    expect(await client.end("r1")).toMatchObject({ error: { code: "STORAGE_ERROR" } })
    setFreeSpace(place, "unlimited")
    expect(await readiness()).toEqual([200, "ok"])
    expect(replyOf(await runTurn(client, sessionId, "again"))).toBe("Here.")
    expect(client.types("r1")).toEqual(["error"])
    expect((await messagesOf(client, sessionId)).rows.map(({ text }) => text)).toEqual(["Here.", "again"])
  })

  it("case 22: keeps list, titles, history and client capabilities across a restart", async (test) => {
    const place = newPlace(test)
    const steps: Step[] = [
      [{ text: "Hello." }],
      [{ call: { tool: "request_identity_intake", input: { fields: ["name"], reason: "to help" } } }],
      [{ text: "Thank you." }],
    ]
    place.config({ model: place.script(steps) })
    const before = await serving(place)
    const client = await before.connect()
    const { sessionId, conversationId } = await startTurn(client, "hi", { supports: ["identity_form"] })
    expect(replyOf(await client.end("r1"))).toBe("Hello.")
    await client.ask({ action: "rename_conversation", requestId: "n", conversationId, title: "Mine" })
    before.running.signal("SIGKILL")
    await before.running.ended
    const other = await (await serving(place)).connect()
    const listed = dataOf(await other.ask({ action: "list_conversations", requestId: "l" }))
    expect(listed).toMatchObject({ conversations: [{ conversationId, title: "Mine", messageCount: 2 }] })
    expect((await messagesOf(other, sessionId)).rows.map(({ text }) => text)).toEqual(["Hello.", "hi"])
    const again = await startTurn(other, "and now?", { conversationId }, "r2")
    const { interactionId } = (await other.next("interaction_required", "r2")).data.data
    const values = { name: "Ada" }
    const answer = { action: "submit_interaction", requestId: "s", sessionId: again.sessionId, interactionId, values }
    expect(await other.ask(answer)).toMatchObject({ status: 200 })
    expect(replyOf(await other.end("r2"))).toBe("Thank you.")
    expect(await runTurn(other, sessionId, "by the old visit")).toMatchObject({ requestId: "say-by the old visit" })
  })
})
