// Addresses of the native API: the path of a socket, or a server with a key behind `#`, as `turnhouse link` prints it.

export interface HouseAddress {
  readonly address: string
  readonly key: string | undefined
}

/** The address of a page of the server becomes that of its native API. */
export function parseAddress(place: string): HouseAddress {
  const [address = "", key] = place.split("#key=")
  return { address: /^https?:\/\//i.test(address) ? houseUrl(address) : address, key }
}

/** `/house` below the path of the page, with the protocol of a WebSocket. */
export function houseUrl(page: string): string {
  const url = new URL(page)
  url.protocol = url.protocol === "https:" ? "wss:" : "ws:"
  url.search = ""
  url.hash = ""
  if (!url.pathname.endsWith("/house")) url.pathname = `${url.pathname.replace(/\/$/, "")}/house`
  return url.href
}
