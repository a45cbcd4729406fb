import { describe, expect, it } from "vitest"
import type { SessionHandle, WatchItem } from "../contract/host-port.ts"
import { gate, scriptedSource } from "../testing/index.ts"
import { newSession, next, prompt, testHost, turn, you } from "../testing/test-host.ts"
import { portOf } from "../testing/doors/served-host.ts"
import type { SessionHost } from "./session-host.ts"

async function handleOf(host: SessionHost, sessionId: string): Promise<SessionHandle> {
  const opened = await portOf(host).open(sessionId, you)
  if (opened.kind === "refused") throw new Error(opened.refusal.code)
  return opened.handle
}

describe("whoever watches", () => {
  it("joins in the middle of an answer: the text so far, then every delta, nothing twice", async () => {
    const speaking = gate()
    const { host } = await testHost(scriptedSource([[{ text: "One two " }, { gate: speaking }, { text: "three." }]]))
    const session = await newSession(host)
    const ended = next(session, "turn.ended")
    await prompt(session, "count")
    await speaking.arrived
    const items: WatchItem[] = []
    const handle = await handleOf(host, session.id)
    await handle.watch(session.state.seq, (item) => items.push(item))
    speaking.open()
    await ended
    const text = items.map((item) => {
      if (item.kind === "streamed") return item.blocks.map((block) => block.text).join("")
      return item.kind === "delta" && item.delta.type === "text.delta" ? item.delta.delta : ""
    })
    expect(items[0]?.kind).toBe("streamed")
    expect(text.join("")).toBe("One two three.")
  })

  it("reads nothing more once it has left, however much there is", async () => {
    const { host } = await testHost(scriptedSource([[{ text: "one" }], [{ text: "two" }]]))
    const session = await newSession(host)
    await turn(session, "one")
    const handle = await handleOf(host, session.id)
    const leaving = new AbortController()
    leaving.abort()
    const items: WatchItem[] = []
    await handle.watch(0, (item) => items.push(item), leaving.signal)
    await turn(session, "two")
    expect(items).toEqual([])
    expect(session.watching).toEqual([])
  })

  it("is named to the others, with its door", async () => {
    const { host } = await testHost(scriptedSource([]))
    const session = await newSession(host)
    const handle = await handleOf(host, session.id)
    const leave = await handle.watch(0, () => {})
    const asked = await portOf(host).query({ type: "session", sessionId: session.id })
    expect(asked).toMatchObject({ kind: "answer", value: { watching: [you] } })
    leave()
    expect(session.watching).toEqual([])
  })
})
