// Which addresses may get a token, a code or a client's secret: those with https, and http on this machine.
import { plainHost } from "../../contract/rules/web-address.ts"
import { LoginFault } from "../../models/logins/login-store.ts"

/** Throws LoginFault. `what` names the address in the message. */
export function secureAddress(address: string, what: string): URL {
  const url = URL.parse(address)
  if (url === null) throw new LoginFault(`${what} is not a web address.`)
  if (url.protocol === "https:" || (url.protocol === "http:" && isLoopback(url))) return url
  throw new LoginFault(`${what} (${url.host}) has no https, so a token could be read in transit. Use https.`)
}

function isLoopback({ hostname }: URL): boolean {
  const host = plainHost(hostname)
  return host === "localhost" || host.endsWith(".localhost") || host === "::1" || /^127(?:\.\d{1,3}){3}$/.test(host)
}
