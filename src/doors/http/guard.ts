// Who may speak to a server on loopback: requests under its own names, from programs, from pages of this machine and
// from pages that the configuration names.
import type { IncomingHttpHeaders } from "node:http"
import { isLoopbackHost, isLoopbackOrigin } from "./loopback.ts"

/** What is wrong with the request, or nothing. */
export function trouble({ host, origin }: IncomingHttpHeaders, origins: readonly string[]): string | undefined {
  if (host === undefined || !isLoopbackHost(host)) return "This server answers only under its own name: localhost."
  if (origin === undefined || isLoopbackOrigin(origin) || origins.includes(origin)) return undefined
  return "Pages of this origin may not come in here. Name it in server.origins to let them."
}
