// Time limits of extensions.
export const timing = {
  /** Response to a hook. */
  hookMs: 5000,
  /** Call of an extension's tool. */
  toolMs: 120_000,
  /** Slash command. */
  commandMs: 120_000,
  /** Answer of an extension's model; for a stream, its silence. */
  providerMs: 60_000,
  /** First handshake; some extensions fetch models before they respond. */
  initializeMs: 120_000,
  /** Handshake after a restart. */
  reinitializeMs: 10_000,
  /** Delays before the first, second and third restart in a row; there is no fourth. */
  restartAfterMs: [250, 500, 1000],
  /** For the response to `shutdown`, and again for the exit after its input was closed. */
  shutdownMs: 500,
  /** How long a session's first model call waits for its extensions. */
  loadMs: 5000,
  /** After which a guard without a first handshake is reported. */
  guardReportMs: 5000,
  /** Interval of the canary. */
  drillMs: 600_000,
} as const

export type Timing = {
  readonly [Name in keyof typeof timing]: Name extends "restartAfterMs" ? readonly number[] : number
}
