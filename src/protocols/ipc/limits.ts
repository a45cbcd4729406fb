// Limits of the session socket. Each states its unit and what happens when it is reached.

/** Of frames and files, fixed by the protocol or by what its readers accept. */
export const frameLimits = {
  /** Bytes of a line with its newline, or of a sealed frame. A longer one is answered and ends the connection. */
  lineBytes: 16 * 1024 * 1024,
  /** Bytes of the handshake line. A longer one is refused. */
  handshakeBytes: 64 * 1024,
  /** Bytes of `ID.meta.json`. A longer file is not read. */
  metadataBytes: 64 * 1024,
  /** Levels of nesting. A deeper line is refused; a deeper tool input is replaced by a note. */
  depth: 127,
  /** Strings, numbers, containers and commas of a line, by direction. A line with more is refused before it is parsed. */
  viewerTokens: 100_000,
  agentTokens: 4_000_000,
  /** Bytes of a list of messages as JSON: half of a line. The oldest are left out with a notice. */
  listBytes: 8 * 1024 * 1024,
  /** Characters of one text chunk. Longer text is sent in several. */
  chunkLength: 1024 * 1024,
  /** Characters of a tool's result. The rest is cut with a notice. */
  toolOutputLength: 10_000,
  /** Lines, and their characters, of a running tool's output in one progress frame. Older ones are left out. */
  progressLines: 8,
  progressLength: 2000,
  /** Turns in the list of messages. Older ones are left out with a notice. */
  turns: 1000,
  /** Files that a viewer may name with a prompt. The rest is ignored with a notice. */
  contextFiles: 64,
} as const

/** Of one viewer. */
export const ipcLimits = {
  /** A viewer that takes longer for its handshake is disconnected. */
  handshakeMs: 10_000,
  /** Frames, or their bytes, that wait for a viewer. Past it text is dropped and the viewer resynchronised later. */
  outboxMessages: 1024,
  outboxBytes: 32 * 1024 * 1024,
  /** A viewer that reads nothing for this long is disconnected. */
  stalledMs: 30_000,
  /** Bytes that are written to the socket at once. */
  pieceBytes: 128 * 1024,
  /** Messages of a viewer, or their characters, that wait to be handled. Past it the socket is not read. */
  inboxMessages: 256,
  inboxLength: 16 * 1024 * 1024,
  /** Invalid lines that are answered. One more ends the connection. */
  badLines: 10,
  /** How long a viewer that is disconnected has to read its last frames. */
  closeMs: 500,
  /** How long a lock is kept for a viewer that has disconnected without saying so. Then it is released. */
  lockGraceMs: 10_000,
} as const

export type IpcLimits = { readonly [Limit in keyof typeof ipcLimits]: number }
