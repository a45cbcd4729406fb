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
  /** Sent in place of the text, as it is: the content of a file. */
  readonly body?: Uint8Array
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

/** Undefined if the body is larger. */
export async function readBody(message: IncomingMessage, maxBytes: number): Promise<string | undefined> {
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of message) {
    if (!(chunk instanceof Buffer)) continue
    bytes += chunk.length
    if (bytes > maxBytes) return undefined
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString("utf8")
}

/** The value of a cookie. */
export function cookieIn({ cookie = "" }: IncomingHttpHeaders, name: string): string | undefined {
  const pairs = cookie.split(";").map((pair) => pair.trim())
  return pairs.find((pair) => pair.startsWith(`${name}=`))?.slice(name.length + 1)
}

/** `Authorization: Bearer …` */
export function bearerToken({ headers }: HttpRequest): string | undefined {
  return /^Bearer +(\S+)$/i.exec(headers.authorization ?? "")?.[1]
}
