// The bounds of one client at the house door. What happens when one is reached is said beside it.
export interface DoorLimits {
  /** Bytes of what happens in sessions that may wait: past it the client is left alone until it has read them. */
  readonly outboxBytes: number
  /** Bytes of all that may wait, answers included: past it the client is cut off. */
  readonly answersBytes: number
  /** How long a client may leave a full outbox unread before it is cut off. */
  readonly stalledMs: number
  /** Requests under way at once: past it nothing more is read from the client until one is answered. */
  readonly requestsAtOnce: number
  /** How long a client that is cut off has to read why. */
  readonly lastWordsMs: number
  /** How long somebody who needs a key may take to say hello. */
  readonly helloMs: number
  /** How often it is looked whether a key is still good. */
  readonly keyLookMs: number
}

export const doorLimits: DoorLimits = {
  outboxBytes: 1024 * 1024,
  answersBytes: 16 * 1024 * 1024,
  stalledMs: 10 * 60 * 1000,
  requestsAtOnce: 256,
  lastWordsMs: 10_000,
  helloMs: 10_000,
  keyLookMs: 250,
}
