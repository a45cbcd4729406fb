// What waits for one client. While its socket is behind, words that follow each other are joined to one; a client that
// stays too far behind is let go, and comes back to the same conversation. Memory does not grow with a stalled reader.
import { encodeFrame } from "../../protocols/ws/codec.ts"
import { tokenEvent } from "../../protocols/ws/server-events.ts"
import type { ServerEvent } from "../../protocols/ws/frames.ts"
import type { TextSocket } from "../../transports/websocket.ts"
import type { WsLimits } from "../../protocols/ws/limits.ts"

/** An event with its text, which is made once for all who are told. */
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

const tooSlow = 1013

export class Outbox {
  readonly #socket: TextSocket
  readonly #limits: WsLimits
  #kept: Frame[] = []
  #keptBytes = 0
  #isBehind = false
  #isGivenUp = false

  constructor(socket: TextSocket, limits: WsLimits) {
    this.#socket = socket
    this.#limits = limits
  }

  tell(frame: Frame): void {
    if (this.#isGivenUp) return
    if (!this.#isBehind) {
      this.#socket.send(frame.text)
      if (this.#socket.waiting > this.#limits.behindBytes) void this.#catchUp()
      return
    }
    this.#keep(frame)
    if (this.#keptBytes > this.#limits.outboxBytes) this.#giveUp()
  }

  #keep(frame: Frame): void {
    const last = this.#kept.at(-1)
    const joined = last === undefined ? undefined : joinedWords(last.event, frame.event)
    if (joined === undefined) this.#kept.push(frame)
    else this.#kept[this.#kept.length - 1] = new Frame(joined)
    this.#keptBytes += frame.text.length
  }

  async #catchUp(): Promise<void> {
    this.#isBehind = true
    while (this.#socket.isOpen && this.#isBehind) {
      await this.#socket.drained()
      const kept = this.#kept
      this.#kept = []
      this.#keptBytes = 0
      for (const { text } of kept) this.#socket.send(text)
      this.#isBehind = this.#socket.waiting > this.#limits.behindBytes
    }
  }

  #giveUp(): void {
    this.#isGivenUp = true
    this.#kept = []
    this.#socket.close(tooSlow, "too far behind; come back to the conversation")
  }
}

function joinedWords(before: ServerEvent, next: ServerEvent): ServerEvent | undefined {
  if (before.type !== "stream_token" && before.type !== "stream_reasoning") return undefined
  if (next.type !== before.type || next.requestId !== before.requestId) return undefined
  return tokenEvent(next.type, next.requestId, before.token + next.token, next.timestamp)
}
