// Addresses of the server: where visitors connect, and the name under which their conversation is remembered.

/** The WebSocket address of a server, which may be below a path. Undefined if the text is no address of a server. */
export function socketUrl(server: string, page: string): string | undefined {
  const url = URL.parse(server, page)
  const protocol = url === null ? undefined : protocols[url.protocol]
  if (url === null || protocol === undefined) return undefined
  url.protocol = protocol
  url.pathname = url.pathname.endsWith("/ws") ? url.pathname : `${url.pathname.replace(/\/$/, "")}/ws`
  url.search = ""
  url.hash = ""
  return url.href
}

const protocols: Readonly<Record<string, string>> = { "http:": "ws:", "https:": "wss:", "ws:": "ws:", "wss:": "wss:" }

/** The folder that the script was loaded from. */
export function folderOf(script: string): string {
  return new URL(".", script).href
}
