// Time limits of extensions, built on an injectable clock so that tests move time instead of waiting.
import { setTimeout as sleep } from "node:timers/promises"

export interface Clock {
  now(): number
  /** Rejects when the signal aborts. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>
}

export const systemClock: Clock = {
  now: () => performance.now(),
  sleep: (ms, signal) => sleep(ms, undefined, { signal }),
}

export const timedOut = Symbol("too late")

/** The result of the work, or `timedOut`. Does not stop the work: the caller aborts it. */
export async function withTimeout<Value>(
  work: Promise<Value>,
  ms: number,
  clock: Clock,
): Promise<Value | typeof timedOut> {
  const stop = new AbortController()
  try {
    return await Promise.race([work, sleepThrough(ms, clock, stop.signal)])
  } finally {
    stop.abort()
  }
}

/** As `within`, but every call of `restart` restarts the limit. */
export async function withinSilence<Value>(
  work: (restart: () => void) => Promise<Value>,
  ms: number,
  clock: Clock,
): Promise<Value | typeof timedOut> {
  let deadline = clock.now() + ms
  const pending = work(() => {
    deadline = clock.now() + ms
  })
  for (;;) {
    const done = await withTimeout(pending, deadline - clock.now(), clock)
    if (done !== timedOut || clock.now() >= deadline) return done
  }
}

async function sleepThrough(ms: number, clock: Clock, signal: AbortSignal): Promise<typeof timedOut> {
  await clock.sleep(ms, signal).catch(() => {}) // aborted: the work has finished
  return timedOut
}

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
