// Checks the Host and Origin headers: requests must use the server's own names, and come from programs, from its own
// pages or from allowed origins. The Host check stops DNS rebinding, where a page calls this machine under its own name.
import type { IncomingHttpHeaders } from "node:http"
import { isIP } from "node:net"
import { hostIn, isLoopbackHost, isLoopbackOrigin } from "./loopback.ts"

export interface OriginRules {
  /** Only this machine can reach the server. */
  readonly isLocal: boolean
  /** Other names of the server; undefined if they are unknown. */
  readonly names: readonly string[] | undefined
  /** Whether the configuration allows pages of this origin. */
  readonly allowsOrigin: (origin: string) => boolean
}

/** Why the request is refused, or undefined. */
export function originProblem({ host, origin }: IncomingHttpHeaders, origins: OriginRules): string | undefined {
  if (host === undefined || host === "" || !isOwnName(host, origins))
    return "Unknown host name. Use localhost, or add the name to server.names."
  if (origin === undefined || isAllowed(origin, host, origins)) return undefined
  return "This origin is not allowed. Add it to server.origins."
}

/** A numeric address cannot be rebound. */
function isOwnName(host: string, { isLocal, names }: OriginRules): boolean {
  if (isLoopbackHost(host) || names?.includes(hostIn(host)) === true) return true
  return !isLocal && (names === undefined || isIP(hostIn(host)) !== 0)
}

function isAllowed(origin: string, host: string, { isLocal, names, allowsOrigin }: OriginRules): boolean {
  if (isLocal && isLoopbackOrigin(origin)) return true
  const isOwn = names?.includes(hostIn(host)) === true || isIP(hostIn(host)) !== 0
  const isOwnPage = isOwn && /^https?:\/\//.test(origin) && origin.endsWith(`//${host}`)
  return isOwnPage || (origin !== "null" && allowsOrigin(origin))
}
