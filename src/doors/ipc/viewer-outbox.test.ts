import { describe, expect, it } from "vitest"
import { StubConnection } from "../../testing/doors/stub-port.ts"
import { Frame, type TextPosition } from "./frame.ts"
import { ipcLimits, type IpcLimits } from "../../protocols/ipc/limits.ts"
import { ViewerOutbox } from "./viewer-outbox.ts"

/** A viewer that reads only when the test drains it; every unread byte counts as waiting. */
class SlowConnection extends StubConnection {
  readonly read: string[] = []

  override sendBytes(line: Uint8Array): void {
    this.waiting += line.length
    this.read.push(Buffer.from(line).toString())
  }

  messages(): Record<string, unknown>[] {
    return this.read
      .join("")
      .split("\n")
      .filter((line) => line !== "")
      .map((line) => JSON.parse(line))
  }
}

function setUp(change: Partial<IpcLimits> = {}) {
  const connection = new SlowConnection()
  const limits = { ...ipcLimits, pieceBytes: 40, outboxMessages: 10, outboxBytes: 10_000, ...change }
  const missed: TextPosition[] = []
  let said = ""
  let turn = 0
  const outbox = new ViewerOutbox(connection, {
    limits,
    key: () => undefined,
    position: () => ({ turn, offset: said.length }),
    resyncFrames: (position) => {
      missed.push(position)
      const text = position.turn === turn ? said.slice(position.offset) : said
      return [new Frame({ type: "status_update", status: "fresh" }), chunk(text, position)]
    },
  })
  const say = (text: string) => {
    outbox.send(chunk(text, { turn, offset: said.length }))
    said += text
  }
  const endTurn = () => {
    outbox.send(new Frame({ type: "stream_end", finish_reason: "stop" }))
    turn += 1
    said = ""
  }
  const drain = async () => {
    for (let round = 0; round < 200; round++) {
      connection.drain()
      await Promise.resolve()
      await Promise.resolve()
    }
  }
  const text = () =>
    connection
      .messages()
      .map(({ text: words }) => (typeof words === "string" ? words : ""))
      .join("")
  return { connection, outbox, say, endTurn, drain, missed, text }
}

function chunk(text: string, position: TextPosition): Frame {
  return new Frame({ type: "stream_chunk", text }, position)
}

describe("the outbox of a viewer", () => {
  it("keeps unread frames and sends them in order when there is room", async () => {
    const { say, drain, text, missed } = setUp()
    for (const word of ["a", "b", "c", "d", "e", "f"]) say(word)
    expect(text()).not.toBe("abcdef")
    await drain()
    expect(text()).toBe("abcdef")
    expect(missed).toEqual([])
  })

  it("drops text past its limit, and sends the missed text once and whole", async () => {
    const { say, drain, text, missed, connection } = setUp()
    for (let n = 0; n < 50; n++) say(`${n} `)
    await drain()
    expect(missed).toHaveLength(1)
    expect(text()).toBe(Array.from({ length: 50 }, (_, n) => `${n} `).join(""))
    say("more")
    await drain()
    expect(connection.messages().at(-1)).toEqual({ type: "stream_chunk", text: "more" })
  })

  it("never joins the texts of two turns", async () => {
    const { say, endTurn, drain, connection } = setUp()
    for (let n = 0; n < 20; n++) say("a")
    endTurn()
    for (let n = 0; n < 20; n++) say("b")
    await drain()
    const types = connection.messages().map(({ type }) => type)
    const ends = types.indexOf("stream_end")
    expect(types.slice(ends)).toEqual(["stream_end", "status_update", "stream_chunk"])
    expect(connection.messages().at(-1)?.["text"]).toBe("b".repeat(20))
  })

  it("drops frames that a sync replaces, but no replies", async () => {
    const { say, outbox, drain, connection } = setUp()
    for (let n = 0; n < 5; n++) say("some text")
    for (let n = 0; n < 8; n++) outbox.send(new Frame({ type: "status_update", status: `busy ${n}` }))
    outbox.send(new Frame({ type: "ack", command: "cancel" }))
    await drain()
    const received = connection.messages()
    expect(received.filter(({ type }) => type === "ack")).toHaveLength(1)
    expect(received.findLast(({ type }) => type === "status_update")).toMatchObject({ status: "fresh" })
  })

  it("disconnects a viewer that sends requests and reads no replies", () => {
    const { outbox, say, connection } = setUp()
    say("some words that fill a piece of what may be written")
    for (let n = 0; n < 20; n++) outbox.send(new Frame({ type: "ack", command: "cancel" }))
    expect(connection.isDestroyed).toBe(true)
  })

  it("disconnects a viewer that reads nothing", async () => {
    const { say, connection } = setUp({ stalledMs: 5 })
    for (const word of ["a", "b", "c"]) say(word)
    await connection.closed
    expect(connection.isDestroyed).toBe(true)
  })

  it("writes a long frame in pieces, and ends only after the last", async () => {
    const { say, outbox, drain, text, connection } = setUp()
    const long = "long ".repeat(100)
    say(long)
    outbox.end()
    say("not any more")
    expect(connection.isEnded).toBe(false)
    await drain()
    expect(connection.isEnded).toBe(true)
    expect(text()).toBe(long)
    connection.destroy()
  })
})
