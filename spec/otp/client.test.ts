// One-time codes with `turnhouse/client` against a real server.
import { describe, expect, it } from "vitest"
import { WebSocket } from "ws"
import { connect, type ClientSession, type Turn, type TurnEvent } from "../../src/clients/ws/index.ts"
import { wrong } from "./mail-server.ts"
import { otpWorlds, pay, says, type OtpWorld } from "./world.ts"

const world = otpWorlds()

async function startVisit({ served }: OtpWorld): Promise<ClientSession> {
  return connect(served.url, { agentId: "shop", userEmail: "jane@example.com", WebSocket })
}

/** Everything up to the first event of that type. */
async function until(turn: Turn, type: TurnEvent["type"]): Promise<readonly TurnEvent[]> {
  const seen: TurnEvent[] = []
  for await (const event of turn) {
    seen.push(event)
    if (event.type === type) break
  }
  return seen
}

describe("a client", () => {
  it("learns of the code at the end of the turn, submits it and asks again", async () => {
    const made = await world([[pay], says("Who are you?"), [pay], says("Paid.")])
    await using session = await startVisit(made)
    const turn = session.send("pay")
    const seen = await until(turn, "code-sent")
    expect(seen.slice(-2)).toEqual([
      { type: "verification", tool: "pay", description: expect.any(String), channels: ["email"] },
      { type: "code-sent", channel: "email", destination: "j…@example.com" },
    ])
    expect(await turn.result).toMatchObject({ text: "Who are you?" })
    const code = await made.mail.code()
    expect(await session.verify(wrong(code))).toMatchObject({
      isVerified: false,
      error: "INVALID_CODE",
      attemptsRemaining: 2,
    })
    expect(await session.verify(code)).toMatchObject({ isVerified: true })
    expect(await session.send("now").result).toMatchObject({ text: "Paid." })
    expect(made.paid).toHaveLength(1)
  })

  it("submits a code for a waiting call, also after a reconnect", async () => {
    const made = await world([[pay], says("Paid.")], { mode: "park" })
    await using session = await startVisit(made)
    const turn = session.send("pay")
    await until(turn, "code-sent")
    const code = await made.mail.code()
    const back = new Promise<void>((resolve) => {
      session.on("state", ({ kind }) => kind === "connected" && resolve())
    })
    await made.served.upgrades.closeAll(1012, "come back")
    await back
    expect(await session.verify(code)).toMatchObject({ isVerified: true })
    expect(await turn.result).toMatchObject({ text: "Paid." })
    expect(made.paid).toHaveLength(1)
  })
})
