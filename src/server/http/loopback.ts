// Loopback names in addresses and headers.

export function isLoopbackAddress(host: string): boolean {
  const name = withoutBrackets(host.toLowerCase())
  return name === "localhost" || name === "::1" || /^(?:::ffff:)?127(?:\.\d{1,3}){3}$/.test(name)
}

/** A Host header, with or without a port. */
export function isLoopbackHost(header: string): boolean {
  const name = hostIn(header)
  return isLoopbackAddress(name) || /^[a-z0-9-]+(?:\.[a-z0-9-]+)*\.localhost$/.test(name)
}

/** A page of this machine. The origin `null` is not one. */
export function isLoopbackOrigin(origin: string): boolean {
  return /^https?:\/\//.test(origin) && isLoopbackHost(origin.replace(/^https?:\/\//, ""))
}

/** The name in a Host header, without its port. */
export function hostIn(header: string): string {
  return withoutBrackets(header.toLowerCase().replace(/:\d{1,5}$/, ""))
}

function withoutBrackets(name: string): string {
  return name.replace(/^\[(.*)\]$/, "$1")
}
