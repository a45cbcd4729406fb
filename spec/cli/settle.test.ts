// Escalations of WebSocket sessions are listed and settled from the command line.
import { describe, expect, it } from "vitest"
import { WsClient } from "../../src/testing/doors/served-ws.ts"
import { eventsOf, object, objects } from "../e2e/printed.ts"
import { newPlace, type Place } from "../e2e/turnhouse.ts"

/** A conversation in which the agent has asked for a person. */
async function escalated(place: Place): Promise<string> {
  const reason = "they want \u001b[31ma refund"
  const steps = [[{ call: { tool: "escalate", input: { reason } } }], [{ text: "Somebody will come." }]]
  place.config({ model: place.script(steps) })
  const running = place.start(["serve", "--port", "0"])
  const url = await running.until("an address", () => /^listening on http:(\S+)$/m.exec(running.stdout)?.[1])
  const client = await WsClient.open(`ws:${url}/ws`)
  const { sessionId, conversationId } = await client.create()
  client.say({ action: "send_message", requestId: "r1", sessionId, message: "my money back" })
  await client.end("r1")
  await client.close()
  return conversationId
}

describe.concurrent("settle", () => {
  it("removes the escalation from 'approvals' and 'ls', in the server that has the session", async (test) => {
    const place = newPlace(test)
    const sessionId = await escalated(place)
    const { stdout } = await place.run("approvals")
    expect(stdout).toContain(`${sessionId}  escalated: they want `)
    expect(stdout).not.toContain("\u001b[31m")
    expect(stdout).toContain(`turnhouse settle ${sessionId}`)
    const [waiting] = objects((await place.run("approvals", "--json")).stdout)
    expect(waiting).toMatchObject({ kind: "escalation", sessionId, title: "my money back" })
    expect((await place.run("ls")).stdout).toContain("escalated")
    const settled = await place.run("settle", sessionId.slice(0, 13), "--note", "called back")
    expect(settled).toMatchObject({ code: 0, stdout: `session ${sessionId}: escalation handled\n` })
    expect((await place.run("approvals")).stdout).toBe("No pending approvals or escalations.\n")
    expect((await place.run("ls")).stdout).not.toContain("escalated")
    const [event] = eventsOf(await place.log(sessionId), "escalation.settled")
    expect(event).toMatchObject({ note: "called back", by: { door: "settle" } })
  })

  it("refuses a session without an escalation, and needs one session", async (test) => {
    const place = newPlace(test)
    const id = object((await place.run("new", "--json")).stdout)["id"]
    expect(await place.run("settle", String(id))).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("has no open escalation"),
    })
    expect(await place.run("settle")).toMatchObject({ code: 2, stderr: expect.stringContaining("name one session") })
  })
})
