// Limits of the extension protocol. Each states its unit and what happens when it is reached.
export const extensionLimits = {
  /** UTF-8 bytes of a tool's output in `after_tool_call`. The rest is cut with a marker. */
  hookOutputBytes: 32 * 1024,
  /** UTF-8 bytes of the name of a tool or a model. A longer one fails the handshake. */
  nameBytes: 64,
} as const
