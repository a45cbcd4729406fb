// An HTTP proxy on the listening socket of one command: CONNECT, and requests with an absolute http address. Every
// connection is judged before a name is resolved. What a client sends is bounded; nothing is inspected or changed inside
// a tunnel.
import { createServer, request as httpRequest, type IncomingMessage, type ServerResponse } from "node:http"
import type { Server } from "node:net"
import { pipeline, type Duplex } from "node:stream"
import { messageOf } from "../../contract/faults.ts"
import { parseDestination, type Destination } from "../../contract/rules/network-rules.ts"
import { connectTo, type Connected, type Resolve } from "./connect.ts"

/** Connections of one command at a time; further ones are closed. */
export const MAX_CONNECTIONS = 256
export const MAX_HEADER_BYTES = 16 * 1024
const HEADER_TIMEOUT_MS = 30_000
/** Bytes that a client may send before its tunnel is open. */
const MAX_EARLY_BYTES = 64 * 1024

export type Judgement =
  | { readonly kind: "allowed"; readonly mayBePrivate: boolean }
  | { readonly kind: "refused"; readonly reason: string }

export interface ProxyOptions {
  /** The signal is aborted when the client closes its connection. */
  readonly judge: (destination: Destination, signal: AbortSignal) => Promise<Judgement>
  /** The text for a host that has a private address. */
  readonly refusePrivate: (destination: Destination, address: string) => string
  /** For tests; otherwise the system's resolver. */
  readonly resolve?: Resolve | undefined
  readonly headerTimeoutMs?: number
}

export interface Proxy {
  readonly serve: (listener: Server) => void
  readonly close: () => void
}

export function openProxy(options: ProxyOptions): Proxy {
  const timeoutMs = options.headerTimeoutMs ?? HEADER_TIMEOUT_MS
  const server = createServer({
    maxHeaderSize: MAX_HEADER_BYTES,
    headersTimeout: timeoutMs,
    requestTimeout: 0, // an upload may take long
    connectionsCheckingInterval: Math.min(timeoutMs, 5000),
  })
  server.maxConnections = MAX_CONNECTIONS
  const sockets = new Set<Duplex>()
  server.on("connection", (socket) => {
    sockets.add(socket)
    socket.on("error", () => {}) // the client is gone; `close` follows
    socket.once("close", () => sockets.delete(socket))
  })
  server.on("connect", (request, socket, head) => void tunnel(request, socket, head, options))
  server.on("request", (request, response) => void forward(request, response, options))
  return {
    serve(listener) {
      server.listen(listener)
      server.unref()
    },
    close() {
      server.close()
      for (const socket of sockets) socket.destroy()
    },
  }
}

async function tunnel(request: IncomingMessage, socket: Duplex, head: Buffer, options: ProxyOptions): Promise<void> {
  const destination = parseDestination(request.url ?? "")
  if (destination === undefined) return answer(socket, "400 Bad Request", "The request names no HOST:PORT.")
  const waiting = holdClient(socket, head)
  const opened = await open(destination, waiting.signal, options)
  const early = waiting.release()
  if (opened.kind === "refused") return answer(socket, "403 Forbidden", opened.reason)
  if (opened.kind === "failed") return answer(socket, "502 Bad Gateway", opened.reason)
  const { socket: target } = opened
  if (socket.destroyed) return void target.destroy()
  socket.write("HTTP/1.1 200 Connection established\r\n\r\n")
  if (early.length > 0) target.write(early)
  pipeline(socket, target, ignoreEnd)
  pipeline(target, socket, ignoreEnd)
}

/** A side that breaks off ends the other, too. What was received before the end of one side is still delivered. */
function ignoreEnd(): void {}

/** Reads while the tunnel is not open, because only that shows that the client has gone. */
function holdClient(socket: Duplex, head: Buffer): { readonly signal: AbortSignal; readonly release: () => Buffer } {
  const gone = new AbortController()
  const early = [head]
  let bytes = head.length
  const abort = () => gone.abort()
  const keep = (chunk: Buffer) => {
    early.push(chunk)
    bytes += chunk.length
    if (bytes > MAX_EARLY_BYTES) socket.pause()
  }
  socket.on("data", keep).once("end", abort).once("close", abort)
  const release = () => {
    socket.pause()
    socket.off("data", keep).off("end", abort).off("close", abort)
    return Buffer.concat(early)
  }
  return { signal: gone.signal, release }
}

type Opened = Exclude<Connected, { readonly kind: "private" }> | Extract<Judgement, { readonly kind: "refused" }>

async function open(destination: Destination, signal: AbortSignal, options: ProxyOptions): Promise<Opened> {
  try {
    return await judgeAndConnect(destination, signal, options)
  } catch (fault) {
    return { kind: "failed", reason: messageOf(fault) }
  }
}

async function judgeAndConnect(destination: Destination, signal: AbortSignal, options: ProxyOptions): Promise<Opened> {
  const judgement = await options.judge(destination, signal)
  if (judgement.kind === "refused") return judgement
  const connected = await connectTo(destination, judgement.mayBePrivate, signal, options.resolve)
  if (connected.kind !== "private") return connected
  return { kind: "refused", reason: options.refusePrivate(destination, connected.address) }
}

function answer(socket: Duplex, status: string, text: string): void {
  const body = `${text}\n`
  const length = Buffer.byteLength(body)
  socket.end(
    `HTTP/1.1 ${status}\r\nContent-Type: text/plain; charset=utf-8\r\nContent-Length: ${length}\r\nConnection: close\r\n\r\n${body}`,
  )
  socket.resume() // so that it closes with the client
}

async function forward(request: IncomingMessage, response: ServerResponse, options: ProxyOptions): Promise<void> {
  const url = URL.parse(request.url ?? "")
  const destination = url?.protocol === "http:" ? parseDestination(url.host, 80) : undefined
  if (url === null || destination === undefined)
    return respond(response, 400, "This is a proxy: it takes CONNECT and requests with an absolute http address.")
  const gone = new AbortController()
  response.once("close", () => gone.abort())
  const opened = await open(destination, gone.signal, options)
  if (opened.kind === "refused") return respond(response, 403, opened.reason)
  if (opened.kind === "failed") return respond(response, 502, opened.reason)
  const headers = { ...endToEnd(request), host: url.host }
  const sent = httpRequest({
    method: request.method,
    path: `${url.pathname}${url.search}`,
    headers,
    createConnection: () => opened.socket, // and so no agent, which would keep the socket for other hosts
    signal: gone.signal,
  })
  sent.on("error", (fault) => respond(response, 502, fault.message))
  sent.on("response", (reply) => {
    reply.on("error", () => response.destroy())
    response.writeHead(reply.statusCode ?? 502, endToEnd(reply))
    reply.pipe(response)
  })
  request.pipe(sent)
}

function respond(response: ServerResponse, status: number, text: string): void {
  if (response.headersSent) return void response.destroy()
  response.writeHead(status, { "content-type": "text/plain; charset=utf-8", connection: "close" }).end(`${text}\n`)
}

/** Headers of one connection only. Node frames the body anew. */
const hopByHop = new Set([
  "connection",
  "keep-alive",
  "proxy-connection",
  "proxy-authorization",
  "proxy-authenticate",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
])

function endToEnd({ headers }: IncomingMessage): Record<string, string | string[]> {
  const named = new Set(
    (headers.connection ?? "")
      .toLowerCase()
      .split(",")
      .map((name) => name.trim()),
  )
  return Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) =>
      value === undefined || hopByHop.has(name) || named.has(name) ? [] : [[name, value]],
    ),
  )
}
