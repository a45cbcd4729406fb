// Every limit in time that an extension meets.
export const timing = {
  /** One answer to a hook. */
  hookMs: 5000,
  /** One call of a tool that an extension brings. */
  toolMs: 120_000,
  /** One command that somebody typed. */
  commandMs: 120_000,
  /** An answer of a model that an extension brings; where it streams, its silence. */
  providerMs: 60_000,
  /** The first handshake; some fetch models before they answer. */
  initializeMs: 120_000,
  /** The handshake after a restart. */
  reinitializeMs: 10_000,
  /** Pauses before the first, second and third restart in a row; there is no fourth. */
  restartAfterMs: [250, 500, 1000],
  /** For an answer to `shutdown`, and again for leaving after its input has ended. */
  shutdownMs: 500,
  /** How long a session's first request to a model waits for its extensions. */
  loadMs: 5000,
  /** After which a guard that has not answered its first handshake is reported. */
  guardReportMs: 5000,
  /** How often a guard is sent its canary. */
  drillMs: 600_000,
} as const

export type Timing = {
  readonly [Name in keyof typeof timing]: Name extends "restartAfterMs" ? readonly number[] : number
}
