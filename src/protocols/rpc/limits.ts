// Version and limits of synaps RPC v1, apart from the schemas so that both sides get them without loading zod.
export const rpcVersion = 1

/** Bytes of one command, without its line end. */
export const maxFrameBytes = 1024 * 1024

export const rpcLimits = {
  /** Unread frames, or bytes of them. Past it updates pause until the parent has read, and its commands are not read. */
  outboxFrames: 256,
  outboxBytes: 1024 * 1024,
  /** Bytes that may wait for the end of a round of the event loop: what comes up in one round is one write. */
  roundBytes: 32 * 1024,
  /** Characters of one delta, joined or not. Escaped, six times as many bytes: a delta frame stays below 256 KiB. */
  deltaLength: 32 * 1024,
  /** Commands that wait while one is being carried out. Past it no more are read. */
  waitingCommands: 256,
  /** Characters of a sub-agent's task and result that are shown; the rest is cut off. */
  taskPreview: 80,
  resultPreview: 120,
} as const
