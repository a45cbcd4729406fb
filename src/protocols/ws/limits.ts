// Limits of the WebSocket API, each with what happens beyond it.
export const wsLimits = {
  /** Bytes of one frame. A larger one closes the socket (1009). */
  frameBytes: 16 * 1024 * 1024,
  /** Bytes of one frame before a session exists on the socket. A larger one closes the socket (1009). */
  firstFrameBytes: 64 * 1024,
  /** Characters of one message. A longer one is refused; every prompt is limited to one mebibyte as well. */
  messageCharacters: 1024 * 1024,
  /** Bytes that the system has not accepted yet. Beyond it tokens are merged and queued. */
  behindBytes: 256 * 1024,
  /** Bytes queued for one socket. Beyond it the socket is closed (1013); its client can reconnect. */
  outboxBytes: 8 * 1024 * 1024,
  /** Actions of one socket in progress. Further ones are refused. */
  actionsAtOnce: 64,
  /** Interval of `keepalive` frames while a turn waits for another person's approval. */
  keepaliveMs: 20_000,
  /** A confirmation this soon after its card replaced another is refused: the user has not read the new card. */
  replacedMs: 1000,
  /** After this time without a frame a socket stops watching a conversation, until its next frame. */
  restMs: 60_000,
} as const

export type WsLimits = { readonly [Limit in keyof typeof wsLimits]: number }

/** Rows of a page: the default, and the maximum of messages and of conversations. More are cut off. */
export const DEFAULT_ROWS = 50
export const MAX_MESSAGE_ROWS = 100
export const MAX_CONVERSATION_ROWS = 200

/** Characters of a title. Longer ones are cut. */
export const MAX_TITLE_LENGTH = 60

/** Capabilities that a client may declare, and characters of each. More are cut off. */
export const MAX_SUPPORTS = 100
export const MAX_SUPPORT_LENGTH = 100

/** Characters of a one-time code. Longer ones are cut, and are wrong. */
export const MAX_CODE_LENGTH = 100

/** Characters of the name of an attached file. Files with a longer one are dropped. */
export const MAX_FILE_NAME_LENGTH = 255

/** Citations of one answer. Further ones are dropped. */
export const MAX_CITATIONS = 8
