// Limits and timings of links over NATS. Both ends of a link must use the same window.

/** Bytes that a sender may have on the way: sent, and not reported as consumed by the peer. */
export const WINDOW_BYTES = 512 * 1024
/** A receiver reports at the latest when it has consumed this much; every message that it sends reports too. */
export const REPORT_BYTES = 64 * 1024
/** Bytes of one message at most, whatever the server allows, so that links share a connection fairly. */
export const MAX_MESSAGE_BYTES = 128 * 1024
/** Links of a host whose client has not sent its first message. Further requests are refused. */
export const MAX_HALF_OPEN = 1000

export interface Timings {
  /** Clock of a link. */
  readonly tickMs: number
  /** Between two attempts to reach NATS. */
  readonly retryMs: number
  /** Between two warnings of the same kind. */
  readonly warnMs: number
}

export const timings: Timings = { tickMs: 500, retryMs: 250, warnMs: 60_000 }

/** A link sends a heartbeat when it has sent nothing for this many ticks, */
export const HEARTBEAT_TICKS = 2
/** and ends when it has received nothing for this many. Ticks, because a process that was stopped must read first. */
export const SILENCE_TICKS = 8
