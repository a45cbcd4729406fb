// The bounds of one viewer at the socket of a session. What happens when one is reached is said beside it.
export interface IpcLimits {
  /** How long a viewer may take for its handshake before it is closed. */
  readonly handshakeMs: number
  /** Messages, or bytes of them, that may wait for a viewer: past it it is left alone and brought up to date later. */
  readonly outboxMessages: number
  readonly outboxBytes: number
  /** How long a viewer may leave what waits unread before it is closed. */
  readonly stalledMs: number
  /** Bytes that are handed to the system at once. */
  readonly pieceBytes: number
  /** Messages of a viewer, or characters of them, that may wait to be carried out: past it nothing more is read. */
  readonly inboxMessages: number
  readonly inboxLength: number
  /** Lines that cannot be read: each is answered, one more closes the connection. */
  readonly badLines: number
  /** How long a viewer that is let go has to read the last words. */
  readonly lastWordsMs: number
  /** How long a lock stays whose takers are gone without a word; then it is given back. */
  readonly lockGraceMs: number
}

export const ipcLimits: IpcLimits = {
  handshakeMs: 10_000,
  outboxMessages: 1024,
  outboxBytes: 32 * 1024 * 1024,
  stalledMs: 30_000,
  pieceBytes: 128 * 1024,
  inboxMessages: 256,
  inboxLength: 16 * 1024 * 1024,
  badLines: 10,
  lastWordsMs: 500,
  lockGraceMs: 10_000,
}
