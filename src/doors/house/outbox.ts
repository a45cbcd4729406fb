// What waits for one client: answers, and what happens in the sessions it watches. The bytes lie in the connection;
// here it is decided that there are enough of them. A client that goes too far is told why and cut off, and from then
// on nothing is kept for it.
import type { Refusal } from "../../contract/refusals.ts"
import type { HostFrame } from "../../protocols/house/frames.ts"
import { maxLineBytes } from "../../protocols/house/receive.ts"
import type { LineConnection } from "../../transports/line-connection.ts"
import type { DoorLimits } from "./limits.ts"

export class Outbox {
  readonly #connection: LineConnection
  readonly #limits: DoorLimits
  #emptied: Promise<void> | undefined
  #isCut = false

  constructor(connection: LineConnection, limits: DoorLimits) {
    this.#connection = connection
    this.#limits = limits
  }

  /** So much waits that nothing more of what happens may be added. */
  get isFull(): boolean {
    return this.#connection.waiting > this.#limits.outboxBytes
  }

  /** The client was told that this is the end. */
  get isCut(): boolean {
    return this.#isCut
  }

  tell(line: Uint8Array): void {
    if (!this.#isCut) this.#connection.sendBytes(line)
  }

  say(frame: HostFrame): void {
    if (this.#isCut) return
    if (this.#connection.waiting > this.#limits.answersBytes)
      return this.cutOff(bad(`more than ${this.#limits.answersBytes} bytes of answers were not read`))
    this.#connection.send(encoded(frame))
    if (this.isFull) void this.emptied()
  }

  /** Resolves when the client has read everything, or is gone. */
  emptied(): Promise<void> {
    this.#emptied ??= this.#empty()
    return this.#emptied
  }

  /** The refusal is the last word. */
  cutOff(refusal: Refusal): void {
    if (this.#isCut) return
    this.#isCut = true
    this.#connection.send(JSON.stringify({ type: "refused", refusal } satisfies HostFrame))
    this.#connection.end()
    const deadline = setTimeout(() => this.#connection.destroy(), this.#limits.lastWordsMs)
    void this.#connection.closed.then(() => clearTimeout(deadline))
  }

  async #empty(): Promise<void> {
    const { stalledMs } = this.#limits
    const deadline = setTimeout(() => this.cutOff(bad(`nothing was read for ${stalledMs} ms`)), stalledMs)
    deadline.unref()
    await this.#connection.drained()
    clearTimeout(deadline)
    this.#emptied = undefined
  }
}

function bad(what: string): Refusal {
  return { code: "frame.bad", what }
}

/** A line that the other side would not take is answered with a no. */
function encoded(frame: HostFrame): string {
  const text = JSON.stringify(frame)
  if (frame.type !== "answer" || Buffer.byteLength(text) <= maxLineBytes) return text
  const refusal = bad("the answer is too long for a line; ask for less")
  return JSON.stringify({ type: "refused", id: frame.id, refusal } satisfies HostFrame)
}
