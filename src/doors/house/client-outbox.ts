// The outbox of one client of the house wire. Updates of sessions pause while the client is behind; replies are kept up
// to a limit. A client that goes past it, or reads nothing for too long, gets the reason and is disconnected.
import type { Refusal } from "../../contract/refusals.ts"
import { encodeFrame } from "../../protocols/house/codec.ts"
import { badFrame } from "../../protocols/house/errors.ts"
import type { HostFrame } from "../../protocols/house/frames.ts"
import type { HouseLimits } from "../../protocols/house/limits.ts"
import type { LineConnection } from "../../transports/line-connection.ts"
import { endWithin, Outbox, type ClientStream } from "../core/outbox.ts"
import type { Flow } from "../core/session-watch.ts"

/** Replies are encoded for one client, updates once for all of them. */
type Line = string | Uint8Array

export class ClientOutbox implements Flow {
  readonly #connection: LineConnection
  readonly #limits: HouseLimits
  readonly #outbox: Outbox<Line>
  #isDisconnected = false

  constructor(connection: LineConnection, limits: HouseLimits) {
    const { repliesBytes, stalledMs } = limits
    this.#connection = connection
    this.#limits = limits
    this.#outbox = new Outbox(streamOf(connection, limits.outboxBytes), {
      limits: { update: { frames: 0, bytes: 0 }, reply: { frames: Infinity, bytes: repliesBytes } },
      sizeOf: (line) => line.length,
      onOverflow: (kind) => {
        if (kind === "reply") this.disconnect(badFrame(`more than ${repliesBytes} bytes of answers were not read`))
      },
      stalled: {
        afterMs: stalledMs,
        onStalled: () => this.disconnect(badFrame(`nothing was read for ${stalledMs} ms`)),
      },
    })
  }

  get isDisconnected(): boolean {
    return this.#isDisconnected
  }

  isFull(): boolean {
    return this.#outbox.isFull("update")
  }

  emptied(): Promise<void> {
    return this.#outbox.emptied()
  }

  update(line: Uint8Array): void {
    this.#outbox.offer(line, "update")
  }

  reply(frame: HostFrame): void {
    this.#outbox.offer(encodeFrame(frame), "reply")
  }

  /** The refusal is the last frame. */
  disconnect(refusal: Refusal): void {
    if (this.#isDisconnected) return
    this.#isDisconnected = true
    this.#outbox.flush()
    this.#outbox.stop()
    this.#connection.send(encodeFrame({ type: "refused", refusal }))
    endWithin(this.#connection, this.#limits.closeMs)
  }
}

function streamOf(connection: LineConnection, outboxBytes: number): ClientStream<Line> {
  return {
    write: (line) => (typeof line === "string" ? connection.send(line) : connection.sendBytes(line)),
    get isBehind() {
      return connection.waiting > outboxBytes
    },
    drained: () => connection.drained(),
    closed: connection.closed,
  }
}
