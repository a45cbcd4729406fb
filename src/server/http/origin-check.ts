// Who may speak to a server at all: requests under its own names, from programs, from pages of its own and from pages
// that the configuration names. A page from anywhere can make a browser call this machine under a name that its owner
// has pointed here, so the name in a request is looked at, not only where it came from.
import type { IncomingHttpHeaders } from "node:http"
import { isIP } from "node:net"
import { hostIn, isLoopbackHost, isLoopbackOrigin } from "./loopback.ts"

export interface Guests {
  /** It listens on this machine alone, and nobody passes on what comes from elsewhere. */
  readonly isLocal: boolean
  /** Names that it has besides; nothing where they are not known. */
  readonly names: readonly string[] | undefined
  /** Whether pages of this origin were invited. */
  readonly mayCome: (origin: string) => boolean
}

/** What is wrong with the request, or nothing. */
export function trouble({ host, origin }: IncomingHttpHeaders, guests: Guests): string | undefined {
  if (host === undefined || host === "" || !isOwnName(host, guests))
    return "This server answers only under its own name: localhost, or one in server.names."
  if (origin === undefined || isWelcome(origin, host, guests)) return undefined
  return "Pages of this origin may not come in here. Name it in server.origins to let them."
}

/** An address in numbers is nobody's to point anywhere. */
function isOwnName(host: string, { isLocal, names }: Guests): boolean {
  if (isLoopbackHost(host) || names?.includes(hostIn(host)) === true) return true
  return !isLocal && (names === undefined || isIP(hostIn(host)) !== 0)
}

function isWelcome(origin: string, host: string, { isLocal, names, mayCome }: Guests): boolean {
  if (isLocal && isLoopbackOrigin(origin)) return true
  const isOwnPage =
    names?.includes(hostIn(host)) === true && /^https?:\/\//.test(origin) && origin.endsWith(`//${host}`)
  return isOwnPage || (origin !== "null" && mayCome(origin))
}
