// Which messages came on which socket, to distinguish a retry from a new message under an old requestId. A message is a
// retry if the first socket has closed and the message was its last frame: the client may not know that it arrived.
/** Kept also after the socket has closed. */
export interface Traffic {
  /** Number of received frames. */
  frames: number
  isClosed: boolean
}

interface Sent {
  readonly traffic: Traffic
  /** The number of the message's frame on its socket. */
  readonly frame: number
}

/** Messages kept. Older ones are unknown. */
const MAX_MESSAGES = 10_000

export class SentMessages {
  readonly #sent = new Map<string, Sent>()

  add(sessionId: string, requestId: string, traffic: Traffic, frame: number): void {
    setBounded(this.#sent, keyOf(sessionId, requestId), { traffic, frame }, MAX_MESSAGES)
  }

  /** Whether an equal message under the same id is a retry; `unknown` if another process received the first. */
  isRetry(sessionId: string, requestId: string): boolean | "unknown" {
    const sent = this.#sent.get(keyOf(sessionId, requestId))
    if (sent === undefined) return "unknown"
    return sent.traffic.isClosed && sent.traffic.frames === sent.frame
  }
}

function keyOf(sessionId: string, requestId: string): string {
  return `${sessionId} ${requestId}`
}

/** Sets the newest entry of a map, and drops the oldest beyond `max`. */
export function setBounded<Key, Value>(map: Map<Key, Value>, key: Key, value: Value, max: number): void {
  map.delete(key)
  map.set(key, value)
  const oldest = map.size > max ? map.keys().next() : undefined
  if (oldest?.done === false) map.delete(oldest.value)
}
