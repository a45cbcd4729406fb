// The outbox of one socket: tokens are merged while the client does not read, and a client that stays too far behind is
// disconnected and can reconnect to its conversation.
import { encodeFrame } from "../../protocols/ws/codec.ts"
import type { ServerEvent } from "../../protocols/ws/frames.ts"
import type { WsLimits } from "../../protocols/ws/limits.ts"
import { joinTokens } from "../../protocols/ws/server-events.ts"
import type { TextSocket } from "../../transports/websocket.ts"
import { Outbox, type ClientStream } from "../core/outbox.ts"

/** An event with its text, which is encoded once for all sockets. */
export class Frame {
  readonly event: ServerEvent
  #text: string | undefined

  constructor(event: ServerEvent) {
    this.event = event
  }

  get text(): string {
    return (this.#text ??= encodeFrame(this.event))
  }
}

/** Try again later. */
const TOO_SLOW = 1013

export function openOutbox(socket: TextSocket, { behindBytes, outboxBytes }: WsLimits): Outbox<Frame> {
  const limit = { frames: Infinity, bytes: outboxBytes }
  const outbox: Outbox<Frame> = new Outbox(streamOf(socket, behindBytes), {
    limits: { reply: limit, update: limit },
    sizeOf: ({ text }) => text.length,
    join: (previous, next) => {
      const joined = joinTokens(previous.event, next.event)
      return joined === undefined ? undefined : new Frame(joined)
    },
    onOverflow: () => {
      outbox.stop()
      socket.close(TOO_SLOW, "too far behind; come back to the conversation")
    },
  })
  return outbox
}

function streamOf(socket: TextSocket, behindBytes: number): ClientStream<Frame> {
  return {
    write: ({ text }) => socket.send(text),
    /** A closing socket sends nothing more: waiting for it would not end. */
    get isBehind() {
      return socket.isOpen && socket.waiting > behindBytes
    },
    drained: () => socket.drained(),
    closed: socket.closed,
  }
}
