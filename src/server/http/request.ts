// A request as those see it who answer it: nothing of the connection below.
import type { IncomingHttpHeaders, IncomingMessage } from "node:http"

export interface Asked {
  readonly method: string
  readonly path: string
  readonly query: URLSearchParams
  readonly headers: IncomingHttpHeaders
  /** Where the connection comes from: the caller, or a proxy in front. */
  readonly address: string
}

export interface Reply {
  readonly status: number
  readonly text: string
  readonly type?: string
  readonly headers?: Readonly<Record<string, string>>
  /** Who asked, as far as that came out; for the log. */
  readonly principal?: string
}

/** Everything after the path may hold a token: it is read here, and noted nowhere. */
export function askedIn({ method = "", url = "/", headers, socket }: IncomingMessage): Asked {
  const [path = "/", query = ""] = (url.split("#", 1)[0] ?? "").split(/\?(.*)/s)
  return { method, path, query: new URLSearchParams(query), headers, address: socket.remoteAddress ?? "" }
}

/** `Authorization: Bearer …` */
export function bearerIn({ headers }: Asked): string | undefined {
  return /^Bearer +(\S+)$/i.exec(headers.authorization ?? "")?.[1]
}
