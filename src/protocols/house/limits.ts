// Limits of one connection of the house wire.
export interface HouseLimits {
  /** Bytes of one line, a prompt with its attachments included. A longer line is refused with `frame.bad`. */
  readonly lineBytes: number
  /** Unread bytes. Past it updates of sessions pause; when the client has read, they continue from its cursors. */
  readonly outboxBytes: number
  /** Bytes of replies kept beyond that: a client that sends requests and reads nothing is disconnected. */
  readonly repliesBytes: number
  /** How long a client may leave a full outbox unread before it is disconnected. */
  readonly stalledMs: number
  /** Requests in progress. Past it nothing more is read from the client until one is answered. */
  readonly concurrentRequests: number
  /** How long a client that is disconnected has to read the reason. */
  readonly closeMs: number
  /** How long a client that needs a key may take to send hello. */
  readonly helloMs: number
  /** How often a key is checked for expiry and revocation. */
  readonly keyCheckMs: number
}

export const houseLimits: HouseLimits = {
  lineBytes: 32 * 1024 * 1024,
  outboxBytes: 1024 * 1024,
  repliesBytes: 16 * 1024 * 1024,
  stalledMs: 10 * 60 * 1000,
  concurrentRequests: 256,
  closeMs: 10_000,
  helloMs: 10_000,
  keyCheckMs: 250,
}
