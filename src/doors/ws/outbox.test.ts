import { describe, expect, it } from "vitest"
import { immediateResponse, tokenEvent } from "../../protocols/ws/server-events.ts"
import type { TextSocket } from "../../transports/websocket.ts"
import { wsLimits } from "../../protocols/ws/limits.ts"
import { Frame, openOutbox } from "./outbox.ts"

/** A socket whose peer reads when the test says so. */
class StalledSocket implements TextSocket {
  readonly sent: string[] = []
  readonly closed = new Promise<void>(() => {})
  closedWith: number | undefined
  isOpen = true
  waiting = 0
  #drained = Promise.withResolvers<void>()

  send(text: string): void {
    this.sent.push(text)
    this.waiting += text.length
  }

  drained(): Promise<void> {
    return this.#drained.promise
  }

  /** The peer reads everything, or is disconnected. */
  async drain(): Promise<void> {
    this.waiting = 0
    this.#drained.resolve()
    this.#drained = Promise.withResolvers()
    await new Promise((resolve) => setImmediate(resolve))
  }

  close(code: number): void {
    this.closedWith = code
    this.isOpen = false
  }

  tokens(): string[] {
    return this.sent.map((text) => JSON.parse(text).token)
  }
}

function outbox(change: Partial<typeof wsLimits> = {}) {
  const socket = new StalledSocket()
  return { socket, box: openOutbox(socket, { ...wsLimits, behindBytes: 10, ...change }) }
}

const token = (text: string, requestId = "r") => new Frame(tokenEvent("stream_token", requestId, text, 1))

describe("the outbox of a socket", () => {
  it("sends frames at once while the client reads", () => {
    const { socket, box } = outbox({ behindBytes: 10_000 })
    for (const text of ["a", "b"]) box.offer(token(text))
    expect(socket.tokens()).toEqual(["a", "b"])
  })

  it("joins adjacent tokens of one request while the client does not read, and loses none", async () => {
    const { socket, box } = outbox()
    for (const text of ["a", "b", "c"]) box.offer(token(text))
    box.offer(token("x", "other"))
    box.offer(new Frame(immediateResponse("r", 200, "m", {}, 1)))
    box.offer(token("d"))
    expect(socket.tokens()).toEqual(["a"])
    for (let frames = 0; frames < 4; frames++) await socket.drain()
    expect(socket.tokens()).toEqual(["a", "bc", "x", undefined, "d"])
    await socket.drain()
    box.offer(token("e"))
    await socket.drain()
    expect(socket.tokens().at(-1)).toBe("e")
  })

  it("closes the socket of a client that stays too far behind, and keeps nothing for it", async () => {
    const { socket, box } = outbox({ outboxBytes: 1000 })
    for (let n = 0; n < 100; n++) box.offer(token("some words"))
    expect(socket.closedWith).toBe(1013)
    await socket.drain()
    expect(socket.sent.length).toBe(1)
  })

  it("stops waiting for a client that disconnects while it is behind", async () => {
    const { socket, box } = outbox()
    box.offer(token("a"))
    box.offer(token("b"))
    socket.close(1006)
    await socket.drain()
    socket.waiting = 1000
    await expect(new Promise((resolve) => setTimeout(resolve, 0, "free"))).resolves.toBe("free")
  })
})
