import { describe, expect, it } from "vitest"
import { immediateResponse, tokenEvent } from "../../protocols/ws/server-events.ts"
import type { TextSocket } from "../../transports/websocket.ts"
import { wsLimits } from "../../protocols/ws/limits.ts"
import { Frame, Outbox } from "./outbox.ts"

/** A socket whose other side reads when the test says so. */
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

  /** The other side reads everything, or is gone. */
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
  return { socket, box: new Outbox(socket, { ...wsLimits, behindBytes: 10, ...change }) }
}

const token = (text: string, requestId = "r") => new Frame(tokenEvent("stream_token", requestId, text, 1))

describe("an outbox", () => {
  it("sends at once while its client reads", () => {
    const { socket, box } = outbox({ behindBytes: 10_000 })
    for (const text of ["a", "b"]) box.tell(token(text))
    expect(socket.tokens()).toEqual(["a", "b"])
  })

  it("joins words that follow each other while its client does not, and loses none", async () => {
    const { socket, box } = outbox()
    for (const text of ["a", "b", "c"]) box.tell(token(text))
    box.tell(token("x", "other"))
    box.tell(new Frame(immediateResponse("r", 200, "m", {}, 1)))
    box.tell(token("d"))
    expect(socket.tokens()).toEqual(["a"])
    await socket.drain()
    expect(socket.tokens()).toEqual(["a", "bc", "x", undefined, "d"])
    box.tell(token("e"))
    await socket.drain()
    expect(socket.tokens().at(-1)).toBe("e")
  })

  it("lets a client go that stays too far behind, and keeps nothing more for it", async () => {
    const { socket, box } = outbox({ outboxBytes: 1000 })
    for (let n = 0; n < 100; n++) box.tell(token("some words"))
    expect(socket.closedWith).toBe(1013)
    await socket.drain()
    expect(socket.sent.length).toBe(1)
  })

  it("does not wait for ever for a client that is gone while it was behind", async () => {
    const { socket, box } = outbox()
    box.tell(token("a"))
    box.tell(token("b"))
    socket.close(1006)
    await socket.drain()
    socket.waiting = 1000
    await expect(new Promise((resolve) => setTimeout(resolve, 0, "free"))).resolves.toBe("free")
  })
})
