// Limits of the server, in total, per caller and per organisation. Without authentication, which is local only, callers have no limit of
// their own unless the configuration sets one.
import type { Config } from "../contract/config.ts"
import { wsLimits } from "../protocols/ws/limits.ts"
import type { AllowanceLimits } from "../identity/allowances/allowances.ts"

export interface ServerLimits extends AllowanceLimits {
  /** WebSockets of all callers together. */
  readonly sockets: number
  readonly frameBytes: number
  readonly messageCharacters: number
}

const DEFAULT_SOCKETS = 10_000
type CallerLimits = Omit<AllowanceLimits, "org">

const authenticated: CallerLimits = { connections: 100, framesPerSecond: 50, sessionsPerHour: 600 }
const unbounded: CallerLimits = { connections: Infinity, framesPerSecond: Infinity, sessionsPerHour: Infinity }

export function serverLimits({ auth, limits = {} }: NonNullable<Config["server"]>): ServerLimits {
  const each = auth === undefined || auth.mode === "none" ? unbounded : authenticated
  return {
    sockets: limits.sockets ?? DEFAULT_SOCKETS,
    frameBytes: limits.frameBytes ?? wsLimits.frameBytes,
    messageCharacters: limits.messageCharacters ?? wsLimits.messageCharacters,
    connections: limits.connections ?? each.connections,
    framesPerSecond: limits.framesPerSecond ?? each.framesPerSecond,
    sessionsPerHour: limits.sessionsPerHour ?? each.sessionsPerHour,
    org: { turns: limits.org?.turns ?? Infinity, sessionsPerHour: limits.org?.sessionsPerHour ?? Infinity },
  }
}
