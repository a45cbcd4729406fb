// The host of a web address, as rules and permissions see it.

/** In lower case, without port, brackets and the dot of a complete name; undefined if the address is not valid. */
export function hostOf(address: string): string | undefined {
  const host = URL.parse(address)?.hostname
  return host === undefined || host === "" ? undefined : plainHost(host)
}

/** Of a URL's hostname: `example.org.` is the same host as `example.org`. */
export function plainHost(hostname: string): string {
  return hostname.replace(/^\[(.*)\]$/, "$1").replace(/\.$/, "")
}
