// Which messages came on which socket, so that a retry can be told from a new message under an old requestId. A message
// is retried if its socket has closed and it was the last frame on it: its sender may not know that it arrived.

/** What is known of a socket after it has closed, too. */
export interface Traffic {
  /** Frames that it has received. */
  frames: number
  isClosed: boolean
}

interface Sent {
  readonly traffic: Traffic
  /** Which frame of its socket it was. */
  readonly frame: number
}

/** Messages that are remembered; older ones are unknown again. */
const MAX_MESSAGES = 10_000

export class SentMessages {
  readonly #sent = new Map<string, Sent>()

  note(sessionId: string, requestId: string, traffic: Traffic, frame: number): void {
    const key = keyOf(sessionId, requestId)
    this.#sent.delete(key)
    this.#sent.set(key, { traffic, frame })
    const oldest = this.#sent.size > MAX_MESSAGES ? this.#sent.keys().next() : undefined
    if (oldest?.done === false) this.#sent.delete(oldest.value)
  }

  /** Whether an equal message under the same id is a retry; `unknown` where it came to another process. */
  isRetry(sessionId: string, requestId: string): boolean | "unknown" {
    const sent = this.#sent.get(keyOf(sessionId, requestId))
    if (sent === undefined) return "unknown"
    return sent.traffic.isClosed && sent.traffic.frames === sent.frame
  }
}

function keyOf(sessionId: string, requestId: string): string {
  return `${sessionId} ${requestId}`
}
