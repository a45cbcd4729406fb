// An HTTP request as routes see it, without its connection.
import type { IncomingHttpHeaders, IncomingMessage } from "node:http"

export interface HttpRequest {
  readonly method: string
  readonly path: string
  readonly query: URLSearchParams
  readonly headers: IncomingHttpHeaders
  /** Address of the peer: the caller, or a proxy. */
  readonly address: string
}

export interface Reply {
  readonly status: number
  readonly text: string
  readonly type?: string
  readonly headers?: Readonly<Record<string, string>>
  /** The caller, if known; for the log. */
  readonly principal?: string
}

/** The query may contain a token and must not be logged. */
export function readRequest({ method = "", url = "/", headers, socket }: IncomingMessage): HttpRequest {
  const [path = "/", query = ""] = (url.split("#", 1)[0] ?? "").split(/\?(.*)/s)
  return { method, path, query: new URLSearchParams(query), headers, address: socket.remoteAddress ?? "" }
}

/** `Authorization: Bearer …` */
export function bearerToken({ headers }: HttpRequest): string | undefined {
  return /^Bearer +(\S+)$/i.exec(headers.authorization ?? "")?.[1]
}
