// Conformance cases 1 to 9: which viewers are accepted, and how the others are refused.
import { describe, expect, it } from "vitest"
import { SharedAgent, turn, type Test } from "./agents.ts"
import { newSession, names, reattach, type Sent } from "./raw-viewer.ts"

describe.concurrent("the handshake", () => {
  const shared = new SharedAgent()
  const other = new SharedAgent()

  /** The reply to a viewer that is refused, before it is closed. */
  async function refusalOf(test: Test, handshake: Sent): Promise<string> {
    const viewer = await shared.agent.connect(test)
    await viewer.send(handshake)
    const { error, ...rest } = await viewer.response()
    expect(rest).toEqual({ accepted: false, session_id: "", session_token: null })
    expect(await viewer.untilClosed()).toEqual([])
    return String(error)
  }

  it("1: a new session gets the token of the token file, then sync, task_update, seal_status in this order", async (test) => {
    const viewer = await shared.agent.connect(test)
    await viewer.send(newSession)
    const { id, token } = shared.agent
    expect(await viewer.response()).toEqual({ accepted: true, session_id: id, session_token: token, error: null })
    expect(token).toMatch(/^[0-9a-f]{64}$/)
    await viewer.next("seal_status")
    expect(names(viewer.frames)).toEqual(["conversation_sync", "task_update", "seal_status"])
    expect(viewer.frames[0]).toMatchObject({ session_id: id, messages: [], is_busy: false, tool_mode: "Smart" })
  })

  it("2: version 1 without a token key is accepted and given the token", async (test) => {
    const viewer = await shared.agent.connect(test)
    await viewer.send({ version: 1, is_reattach: false, session_id: null })
    expect(await viewer.response()).toMatchObject({ accepted: true, session_token: shared.agent.token })
  })

  it.for([0, 3, 4_294_967_295])("2: version %i is refused with that number, then EOF", async (version, test) => {
    const text = `Protocol version mismatch: expected 2, got ${version}`
    expect(await refusalOf(test, { ...newSession, version })).toBe(text)
    expect(await refusalOf(test, { ...reattach(shared.agent.token), version })).toBe(text)
  })

  it("3: a reattach with the right token is accepted and given no token", async (test) => {
    const { id, token } = shared.agent
    for (const sessionId of [null, id]) {
      const viewer = await shared.agent.connect(test)
      await viewer.send(reattach(token, sessionId))
      expect(await viewer.response()).toEqual({ accepted: true, session_id: id, session_token: null, error: null })
      await viewer.next("seal_status")
    }
  })

  it("3: a token with a newline behind it is refused", async (test) => {
    expect(await refusalOf(test, reattach(`${shared.agent.token}\n`))).toBe("Invalid session token")
  })

  it("4: a reattach without a token, or with an empty one, is refused because one is required", async (test) => {
    const required = "Session token required for reattachment"
    expect(await refusalOf(test, { version: 2, is_reattach: true, session_id: shared.agent.id })).toBe(required)
    expect(await refusalOf(test, reattach(""))).toBe(required)
    expect(await refusalOf(test, { ...reattach(""), session_token: null })).toBe(required)
  })

  it("5: a wrong token of equal length or of length 1 is invalid", async (test) => {
    const { token } = shared.agent
    const almost = token.slice(0, -1) + (token.endsWith("0") ? "1" : "0")
    for (const wrong of [almost, "f".repeat(64), "f", token.slice(0, 63), token.toUpperCase().replace(/^\d+$/, "x")])
      expect(await refusalOf(test, reattach(wrong))).toBe("Invalid session token")
  })

  it("5: a token of 1 MiB is invalid", async (test) => {
    expect(await refusalOf(test, reattach("f".repeat(1024 * 1024)))).toBe("Invalid session token")
  })

  it("6: the token of another live session is invalid, and that session is unharmed", async (test) => {
    expect(await refusalOf(test, reattach(other.agent.token))).toBe("Invalid session token")
    const viewer = await other.agent.viewer(test, reattach(other.agent.token))
    expect(names(await turn(viewer, "help"))).toContain("stream_end")
  })

  it("7: the right token with another session id is refused", async (test) => {
    expect(await refusalOf(test, reattach(shared.agent.token, other.agent.id))).toBe("Session mismatch")
  })

  it.for([
    '{"version":2.0,"is_reattach":false,"session_id":null,"session_token":null}',
    '{"version":"2","is_reattach":false,"session_id":null,"session_token":null}',
    '{"version":-1,"is_reattach":false,"session_id":null,"session_token":null}',
    '{"is_reattach":false,"session_id":null,"session_token":null}',
    '{"version":2,"version":2,"is_reattach":false}',
    '{"version":2}',
    '{"version":2,"is_reattach":1}',
    "[2,false,null,null]",
    "hello",
    "null",
    "GET / HTTP/1.1\r",
  ])("8: %s is closed without an answer, and the agent stays up", async (line, test) => {
    const viewer = await shared.agent.connect(test)
    await viewer.send(`${line}\n`)
    await viewer.closed
    expect(viewer.received).toBe(0)
    expect((await shared.viewer(test)).frames).toHaveLength(3)
  })

  it("9: a message in place of the handshake is not executed", async (test) => {
    const viewer = await shared.agent.connect(test)
    await viewer.send({ type: "set_tool_mode", mode: "None" }, newSession, { type: "set_tool_mode", mode: "None" })
    await viewer.closed
    expect(viewer.received).toBe(0)
    expect(await (await shared.viewer(test)).sync()).toMatchObject({ tool_mode: "Smart" })
  })
})
