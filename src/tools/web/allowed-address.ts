// Which addresses may be connected to: those of the public internet, and those of hosts that the user's own
// configuration lists. What is listed is the host of the URL: a foreign name that resolves to a listed address is refused.
import { BlockList, isIP } from "node:net"
import { plainHost } from "../../contract/rules/web-address.ts"
import { fitsGlob } from "../../contract/text/glob.ts"
import { isPublicAddress } from "../../knowledge/fetch/address-guard.ts"

/** `listed`: host names with `*` for any text, addresses, networks such as 10.0.0.0/8; each but networks with a port or without. */
export function allowedAddress(listed: readonly string[]): (address: string, url: URL) => boolean {
  return (address, url) => isPublicAddress(address) || listed.some((entry) => lists(entry.toLowerCase(), url))
}

function lists(entry: string, url: URL): boolean {
  const host = plainHost(url.hostname)
  if (entry.includes("/")) return isInNetwork(host, entry)
  const port = url.port === "" ? (url.protocol === "https:" ? "443" : "80") : url.port
  const withPort = `${isIP(host) === 6 ? `[${host}]` : host}:${port}`
  return fitsGlob(entry, host) || fitsGlob(entry, withPort)
}

function isInNetwork(host: string, network: string): boolean {
  const [base = "", bits] = network.split("/")
  const family = isIP(host)
  if (family === 0 || family !== isIP(base)) return false
  const list = new BlockList()
  list.addSubnet(base, Number(bits), family === 6 ? "ipv6" : "ipv4")
  return list.check(host, family === 6 ? "ipv6" : "ipv4")
}
