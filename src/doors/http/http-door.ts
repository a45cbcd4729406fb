// The HTTP side of a server: a few addresses to look at, and upgrades, which are handed on. It knows nothing of what is
// spoken on an upgraded connection. Query strings are neither read nor noted: they may hold a token.
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import type { Duplex } from "node:stream"
import { trouble } from "./guard.ts"

export interface Reply {
  readonly status: number
  readonly text: string
  readonly type?: string
  readonly headers?: Readonly<Record<string, string>>
}

/** One request for the log. */
export interface RequestNote {
  readonly requestId: string
  readonly method: string
  readonly path: string
  readonly status: number
  readonly ms: number
}

export interface HttpDoorOptions {
  readonly host: string
  readonly port: number
  /** Origins of pages from elsewhere that may come in. */
  readonly origins: readonly string[]
  readonly routes: Readonly<Record<string, () => Reply | Promise<Reply>>>
  /** Where connections are upgraded. */
  readonly upgradePath: string
  /** Takes the connection, or says why not. */
  readonly upgrade: (request: IncomingMessage, socket: Duplex, head: Buffer) => Reply | undefined
  readonly note: (note: RequestNote) => void
  readonly newId: () => string
  readonly now: () => number
}

export interface HttpDoor {
  readonly port: number
  close(): Promise<void>
}

const longestPath = 200

/** Throws what `listen` throws: a port that is taken, above all. */
export async function openHttpDoor(options: HttpDoorOptions): Promise<HttpDoor> {
  const server = createServer((request, response) => void answer(options, request, response))
  server.on("upgrade", (request, socket, head) => onUpgrade(options, request, socket, head))
  server.on("clientError", (_fault, socket) => refuse(socket, { status: 400, text: "This is not HTTP." }))
  const port = await listening(server, options)
  return { port, close: () => closed(server) }
}

async function answer(options: HttpDoorOptions, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const noted = noteOf(options, request)
  request.resume() // nobody reads what was sent along
  const { status, text, type = "text/plain; charset=utf-8", headers } = await replyTo(options, request)
  const body = request.method === "HEAD" ? "" : `${text}\n`
  response.writeHead(status, { "content-type": type, "cache-control": "no-store", ...headers }).end(body)
  noted(status)
}

async function replyTo(options: HttpDoorOptions, request: IncomingMessage): Promise<Reply> {
  const problem = trouble(request.headers, options.origins)
  if (problem !== undefined) return { status: 403, text: problem }
  const path = pathOf(request)
  const route = Object.hasOwn(options.routes, path) ? options.routes[path] : undefined
  const isUpgradePath = path === options.upgradePath
  if (route === undefined && !isUpgradePath) return { status: 404, text: "There is nothing here." }
  if (request.method !== "GET" && request.method !== "HEAD")
    return { status: 405, text: "Only GET is understood here.", headers: { allow: "GET, HEAD" } }
  if (route === undefined)
    return { status: 426, text: "A WebSocket lives here.", headers: { upgrade: "websocket", connection: "upgrade" } }
  try {
    return await route()
  } catch {
    return { status: 500, text: "This could not be answered." }
  }
}

function onUpgrade(options: HttpDoorOptions, request: IncomingMessage, socket: Duplex, head: Buffer): void {
  const noted = noteOf(options, request)
  socket.on("error", () => socket.destroy())
  const refusal = upgradeTrouble(options, request) ?? options.upgrade(request, socket, head)
  if (refusal !== undefined) refuse(socket, refusal)
  noted(refusal?.status ?? 101)
}

function upgradeTrouble({ origins, upgradePath }: HttpDoorOptions, request: IncomingMessage): Reply | undefined {
  const problem = trouble(request.headers, origins)
  if (problem !== undefined) return { status: 403, text: problem }
  return pathOf(request) === upgradePath ? undefined : { status: 400, text: `The WebSocket is at ${upgradePath}.` }
}

const reasons: Readonly<Record<number, string>> = {
  400: "Bad Request",
  401: "Unauthorized",
  403: "Forbidden",
  503: "Service Unavailable",
}

function refuse(socket: Duplex, { status, text }: Reply): void {
  if (!socket.writable) return void socket.destroy()
  const lines = [
    `HTTP/1.1 ${status} ${reasons[status] ?? "Refused"}`,
    "Connection: close",
    "Content-Type: text/plain; charset=utf-8",
    `Content-Length: ${Buffer.byteLength(text) + 1}`,
    "",
    `${text}\n`,
  ]
  socket.end(lines.join("\r\n"))
}

function noteOf({ note, newId, now }: HttpDoorOptions, request: IncomingMessage): (status: number) => void {
  const begunAt = now()
  const { method = "" } = request
  const path = pathOf(request).slice(0, longestPath)
  return (status) => note({ requestId: newId(), method, path, status, ms: now() - begunAt })
}

function pathOf({ url = "/" }: IncomingMessage): string {
  return url.replace(/[?#].*$/s, "")
}

function listening(server: Server, { host, port }: HttpDoorOptions): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once("error", reject)
    server.listen({ host, port }, () => {
      server.off("error", reject)
      const address = server.address()
      resolve(isBound(address) ? address.port : port)
    })
  })
}

function isBound(address: AddressInfo | string | null): address is AddressInfo {
  return typeof address === "object" && address !== null
}

function closed(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve())
    server.closeAllConnections()
  })
}
