// Names of this very machine. A browser can be made to call a server on loopback by a page from anywhere, under a name
// that only looks like another's: so the names in a request are looked at, not only where it came from.

export function isLoopbackAddress(host: string): boolean {
  const name = host.toLowerCase().replace(/^\[(.*)\]$/, "$1")
  return name === "localhost" || name === "::1" || /^127(?:\.\d{1,3}){3}$/.test(name)
}

/** As it stands in a Host header: with or without a port. */
export function isLoopbackHost(header: string): boolean {
  const name = header.toLowerCase().replace(/:\d{1,5}$/, "")
  return isLoopbackAddress(name) || /^[a-z0-9-]+(?:\.[a-z0-9-]+)*\.localhost$/.test(name)
}

/** A page of this machine. The origin `null` is of nobody who could be known. */
export function isLoopbackOrigin(origin: string): boolean {
  return /^https?:\/\//.test(origin) && isLoopbackHost(origin.replace(/^https?:\/\//, ""))
}
