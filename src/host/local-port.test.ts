import { describe, expect, it } from "vitest"
import type { EventType } from "../contract/events.ts"
import type { SessionHandle, WatchItem } from "../contract/host-port.ts"
import { gate, openMemoryLog, scriptedSource, type Gate } from "../testing/index.ts"
import { newSession, next, prompt, testHost, testTool, turn, you } from "../testing/test-host.ts"
import { portOf } from "../testing/doors/served-host.ts"
import type { SessionHost } from "./session-host.ts"

async function handleOf(host: SessionHost, sessionId: string): Promise<SessionHandle> {
  const opened = await portOf(host).open(sessionId, you)
  if (opened.kind === "refused") throw new Error(opened.refusal.code)
  return opened.handle
}

function textOf(items: readonly WatchItem[]): string {
  return items
    .map((item) => {
      if (item.kind === "streamed") return item.blocks.map((block) => block.text).join("")
      return item.kind === "delta" && item.delta.type === "text.delta" ? item.delta.delta : ""
    })
    .join("")
}

function seqsOf(items: readonly WatchItem[]): number[] {
  return items.flatMap((item) => (item.kind === "event" ? [item.recorded.seq] : []))
}

/** A turn whose answer is stored, but not yet published: the append of its text waits at the gate. */
async function unpublishedAnswer() {
  const log = openMemoryLog()
  const stored = gate()
  holdAppend(log, "text.ended", stored)
  const { host } = await testHost(scriptedSource([[{ text: "One two three." }]]), [], {}, log)
  const session = await newSession(host)
  const ended = next(session, "turn.ended")
  await prompt(session, "count")
  await stored.arrived
  const found = await log.find(session.id)
  if (found.kind === "refused") throw new Error(found.refusal.code)
  return { session, handle: await handleOf(host, session.id), storedSeq: found.value.seq, stored, ended }
}

function holdAppend(log: ReturnType<typeof openMemoryLog>, type: EventType, held: Gate): void {
  const append = log.append.bind(log)
  log.append = async (lease, request) => {
    const appended = await append(lease, request)
    if (request.events.some((event) => event.type === type)) await held.pass()
    return appended
  }
}

describe("watching a session of this process", () => {
  it("delivers the text so far and then every delta to a watcher that joins mid-answer", async () => {
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
    expect(items[0]?.kind).toBe("streamed")
    expect(textOf(items)).toBe("One two three.")
  })

  it("delivers the output so far of a running call to a watcher that joins, and nothing of it afterwards", async () => {
    const working = gate()
    const tool = testTool("printer", async (_, { printed }) => {
      printed?.(Buffer.from("half done\n"))
      await working.pass()
      return { outcome: "done", output: "half done\ndone" }
    })
    const { host } = await testHost(scriptedSource([[{ call: { tool: "printer", input: {} } }], [{ text: "." }]]), [
      tool,
    ])
    const session = await newSession(host)
    const ended = next(session, "turn.ended")
    await prompt(session, "print")
    await working.arrived
    const join = async () => {
      const items: WatchItem[] = []
      await (await handleOf(host, session.id)).watch(session.state.seq, (item) => items.push(item))
      return items.flatMap((item) => (item.kind === "delta" && item.delta.type === "tool.progressed" ? item.delta : []))
    }
    expect(await join()).toMatchObject([{ message: "half done", output: { from: 0, text: "half done\n" } }])
    working.open()
    await ended
    expect(await join()).toEqual([])
  })

  it("delivers an event once, after the text it ends, when it is stored but not yet published", async () => {
    const { session, handle, storedSeq, stored, ended } = await unpublishedAnswer()
    expect(storedSeq).toBeGreaterThan(session.state.seq)
    const items: WatchItem[] = []
    await handle.watch(0, (item) => items.push(item))
    expect(seqsOf(items)).toEqual(Array.from({ length: session.state.seq }, (_, index) => index + 1))
    expect(items.at(-1)).toMatchObject({ kind: "streamed", blocks: [{ text: "One two three." }] })
    stored.open()
    await ended
    expect(seqsOf(items)).toEqual(Array.from({ length: session.state.seq }, (_, index) => index + 1))
    expect(textOf(items)).toBe("One two three.")
  })

  it("repeats neither events nor their text to a watcher whose cursor is at an event that is not yet published", async () => {
    const { session, handle, storedSeq, stored, ended } = await unpublishedAnswer()
    const items: WatchItem[] = []
    await handle.watch(storedSeq, (item) => items.push(item))
    stored.open()
    await ended
    expect(textOf(items)).toBe("")
    const later = Array.from({ length: session.state.seq - storedSeq }, (_, index) => storedSeq + index + 1)
    expect(seqsOf(items)).toEqual(later)
  })

  it("reads nothing for a watcher that has already left", async () => {
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

  it("lists the watcher with its door until it leaves", async () => {
    const { host } = await testHost(scriptedSource([]))
    const session = await newSession(host)
    const handle = await handleOf(host, session.id)
    const leave = await handle.watch(0, () => {})
    const line = await portOf(host).query({ type: "session", sessionId: session.id })
    expect(line).toMatchObject({ kind: "answer", value: { watching: [you] } })
    leave()
    expect(session.watching).toEqual([])
  })
})
