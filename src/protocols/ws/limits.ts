// The bounds of one socket at the network door. What happens when one is reached is said beside it.
export interface WsLimits {
  /** Bytes of one frame: past it the socket is closed (1009). */
  readonly frameBytes: number
  /** The same until a session exists on the socket. */
  readonly firstFrameBytes: number
  /** Characters of one message: past it the message is refused. One mebibyte is the bound of every prompt. */
  readonly messageCharacters: number
  /** Bytes that the system has not taken yet: past it words are joined and kept back until it has. */
  readonly behindBytes: number
  /** Bytes that are kept back: past it the socket is closed (1013), and its client can come back. */
  readonly outboxBytes: number
  /** Actions under way at once: past it no more are taken until one is answered. */
  readonly actionsAtOnce: number
  /** How often a client hears that its turn lives while somebody else is asked. */
  readonly keepaliveMs: number
  /** A confirmation that comes so soon after its card took the place of another is not meant for it. */
  readonly replacedMs: number
  /** After this time without a word a socket does not follow a conversation any more; the next word begins it again. */
  readonly restMs: number
}

export const wsLimits: WsLimits = {
  frameBytes: 16 * 1024 * 1024,
  firstFrameBytes: 64 * 1024,
  messageCharacters: 1024 * 1024,
  behindBytes: 256 * 1024,
  outboxBytes: 8 * 1024 * 1024,
  actionsAtOnce: 64,
  keepaliveMs: 20_000,
  replacedMs: 1000,
  restMs: 60_000,
}
