// Addresses of other machines, as `attach` takes them: `user@box`, `user@box:ID`, `ssh://user@box:22/ID`, and the address
// of a server with a key in it. Pure.
import { isLoopbackHost } from "../../server/http/loopback.ts"
import { usageFault } from "../app-fault.ts"

export interface SshAddress {
  readonly kind: "ssh"
  /** `box` or `user@box`, as ssh takes it. */
  readonly target: string
  readonly port: number | undefined
  readonly session: string | undefined
}

export interface ServerAddress {
  readonly kind: "server"
  /** Of the native API, without the key. */
  readonly url: URL
  readonly key: string
}

export type RemoteAddress = SshAddress | ServerAddress

/** Undefined if it names a session of this machine. */
export function parseRemoteAddress(text: string): RemoteAddress | undefined {
  if (/^(?:https?|wss?):\/\//i.test(text)) return serverAddress(text)
  if (/^ssh:\/\//i.test(text)) return sshUrl(text)
  const [, target, session] = /^([^@\s/:]+@(?:\[[\da-f:.]+\]|[^@\s/:]+))(?::(.*))?$/i.exec(text) ?? []
  return target === undefined ? undefined : sshAddress(target.replaceAll(/[[\]]/g, ""), undefined, session)
}

/** A name that begins with a dash would be an option of ssh. */
function sshAddress(target: string, port: number | undefined, session = ""): SshAddress {
  const parts = target.split("@")
  if (parts.some((part) => !/^[\w][\w.:%+-]*$/.test(part)))
    throw usageFault(`attach: '${target}' is not a machine. Use user@box, user@box:ID or ssh://user@box:PORT/ID.`)
  return { kind: "ssh", target, port, session: session === "" ? undefined : session }
}

function sshUrl(text: string): SshAddress {
  const { username, hostname, port, pathname } = parsedUrl(text)
  const host = hostname.replaceAll(/[[\]]/g, "")
  const target = username === "" ? host : `${decodeURIComponent(username)}@${host}`
  return sshAddress(target, port === "" ? undefined : Number(port), decodeURIComponent(pathname.slice(1)))
}

/** As `turnhouse link` prints it, or as the address of the server with the key behind `#`. */
function serverAddress(text: string): ServerAddress {
  const url = parsedUrl(text)
  const key = url.hash.replace(/^#(?:key=)?/, "")
  if (key === "") throw usageFault("attach: the address has no key. Use one that 'turnhouse link' prints: URL#key=KEY.")
  const isSecure = url.protocol === "https:" || url.protocol === "wss:"
  if (!isSecure && !isLoopbackHost(url.host))
    throw usageFault(`attach: ${url.host} needs https: without it, others on the network could read the key.`)
  url.hash = ""
  url.protocol = isSecure ? "wss:" : "ws:"
  if (!url.pathname.endsWith("/house")) url.pathname = `${url.pathname.replace(/\/$/, "")}/house`
  return { kind: "server", url, key: decodeURIComponent(key) }
}

function parsedUrl(text: string): URL {
  const url = URL.parse(text)
  if (url === null || url.hostname === "")
    throw usageFault("attach: this is not an address. Use ssh://user@box/ID, or what 'turnhouse link' prints.")
  return url
}
