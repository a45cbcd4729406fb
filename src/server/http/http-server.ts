// The HTTP side of a server: a few addresses to look at, and upgrades, which are handed on. It knows nothing of what is
// spoken on an upgraded connection, nor who anybody is. Query strings are never noted: they may hold a token.
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import type { Duplex } from "node:stream"
import { askedIn, type Asked, type Reply } from "./request.ts"
import { Lobby, type LobbyLimits } from "./pending-connections.ts"
import { trouble, type Guests } from "./origin-check.ts"

export type Route = (asked: Asked) => Reply | Promise<Reply>

/** A connection that wants to be a WebSocket. */
export interface Upgrade {
  readonly request: IncomingMessage
  readonly socket: Duplex
  readonly head: Buffer
}

/** Takes the connection and says 101, or says why not. */
export type UpgradeRoute = (asked: Asked, upgrade: Upgrade) => Promise<Reply>

/** One request for the log. */
export interface RequestNote {
  readonly requestId: string
  readonly method: string
  readonly path: string
  readonly principal: string | undefined
  readonly status: number
  readonly ms: number
}

export interface HttpDoorOptions {
  readonly host: string
  readonly port: number
  readonly guests: Guests
  /** By path; one that ends with a slash is for everything below it. */
  readonly routes: Readonly<Record<string, Route>>
  /** Where connections are upgraded. */
  readonly upgrades: Readonly<Record<string, UpgradeRoute>>
  readonly tls?: { readonly cert: Buffer; readonly key: Buffer } | undefined
  /** Connections of any kind: past it the system turns them away. */
  readonly maxConnections: number
  /** Connections that are not upgraded. */
  readonly lobby: LobbyLimits
  /** How long a request may take to arrive. Default: ten seconds. */
  readonly requestMs?: number
  readonly note: (note: RequestNote) => void
  readonly newId: () => string
  readonly now: () => number
  /** For whoever runs the server; the caller is told nothing of a fault of ours. */
  readonly warn: (message: string) => void
}

export interface HttpDoor {
  readonly port: number
  close(): Promise<void>
}

const longestPath = 200
const usualRequestMs = 10_000
export const taken: Reply = { status: 101, text: "" }

/** Throws what `listen` throws: a port that is taken, above all. */
export async function openHttpDoor(options: HttpDoorOptions): Promise<HttpDoor> {
  const server = await serverFor(options)
  const lobby = new Lobby(options.lobby)
  lobby.attend(server)
  server.maxConnections = options.maxConnections
  server.on("request", ({ socket }) => lobby.refresh(socket))
  server.on("upgrade", (request, socket, head) => {
    lobby.leave(request.socket)
    void onUpgrade(options, { request, socket, head })
  })
  server.on("clientError", (_fault, socket) => refuse(socket, { status: 400, text: "This is not HTTP." }))
  const port = await listening(server, options)
  return { port, close: () => closed(server) }
}

async function serverFor(options: HttpDoorOptions): Promise<Server> {
  const listener = (request: IncomingMessage, response: ServerResponse) => void answer(options, request, response)
  const { requestMs = usualRequestMs, tls } = options
  const times = { headersTimeout: requestMs, requestTimeout: requestMs, connectionsCheckingInterval: requestMs / 4 }
  if (tls === undefined) return createServer(times, listener)
  const https = await import("node:https")
  return https.createServer({ ...tls, ...times, handshakeTimeout: requestMs }, listener)
}

async function answer(options: HttpDoorOptions, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const asked = askedIn(request)
  const noted = noteOf(options, asked)
  request.resume() // nobody reads what was sent along
  const reply = await orFault(options, () => replyTo(options, asked))
  const { status, text, type = "text/plain; charset=utf-8", headers } = reply
  const always = { "content-type": type, "cache-control": "no-store", "x-content-type-options": "nosniff" }
  response.writeHead(status, { ...always, ...headers }).end(request.method === "HEAD" ? "" : `${text}\n`)
  noted(reply)
}

async function replyTo(options: HttpDoorOptions, asked: Asked): Promise<Reply> {
  const problem = trouble(asked.headers, options.guests)
  if (problem !== undefined) return { status: 403, text: problem }
  const route = routeFor(options.routes, asked.path)
  const isUpgradePath = Object.hasOwn(options.upgrades, asked.path)
  if (route === undefined && !isUpgradePath) return { status: 404, text: "There is nothing here." }
  if (asked.method !== "GET" && asked.method !== "HEAD")
    return { status: 405, text: "Only GET is understood here.", headers: { allow: "GET, HEAD" } }
  if (route === undefined)
    return { status: 426, text: "A WebSocket lives here.", headers: { upgrade: "websocket", connection: "upgrade" } }
  return route(asked)
}

function routeFor(routes: HttpDoorOptions["routes"], path: string): Route | undefined {
  if (Object.hasOwn(routes, path)) return routes[path]
  return Object.entries(routes).find(([above]) => above !== "/" && above.endsWith("/") && path.startsWith(above))?.[1]
}

async function onUpgrade(options: HttpDoorOptions, upgrade: Upgrade): Promise<void> {
  const asked = askedIn(upgrade.request)
  const noted = noteOf(options, asked)
  destroyOnError(upgrade.socket)
  const reply = await orFault(options, () => upgraded(options, asked, upgrade))
  if (reply.status !== taken.status) refuse(upgrade.socket, reply)
  noted(reply)
}

/** By itself: a listener that lives as long as the socket must not keep the request alive. */
function destroyOnError(socket: Duplex): void {
  socket.on("error", () => socket.destroy())
}

async function upgraded({ guests, upgrades }: HttpDoorOptions, asked: Asked, upgrade: Upgrade): Promise<Reply> {
  const problem = trouble(asked.headers, guests)
  if (problem !== undefined) return { status: 403, text: problem }
  const route = Object.hasOwn(upgrades, asked.path) ? upgrades[asked.path] : undefined
  if (route !== undefined) return route(asked, upgrade)
  return { status: 400, text: `There is no WebSocket here, but at ${Object.keys(upgrades).join(" and ")}.` }
}

async function orFault({ warn }: HttpDoorOptions, reply: () => Promise<Reply>): Promise<Reply> {
  try {
    return await reply()
  } catch (fault) {
    warn(`a request could not be answered: ${String(fault)}`)
    return { status: 500, text: "This could not be answered." }
  }
}

const reasons: Readonly<Record<number, string>> = {
  400: "Bad Request",
  401: "Unauthorized",
  403: "Forbidden",
  429: "Too Many Requests",
  503: "Service Unavailable",
}

function refuse(socket: Duplex, { status, text, headers = {} }: Reply): void {
  if (!socket.writable) return void socket.destroy()
  const lines = [
    `HTTP/1.1 ${status} ${reasons[status] ?? "Refused"}`,
    "Connection: close",
    "Content-Type: text/plain; charset=utf-8",
    `Content-Length: ${Buffer.byteLength(text) + 1}`,
    ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
    "",
    `${text}\n`,
  ]
  socket.once("finish", () => socket.destroy()) // nobody keeps a connection by not closing their side of it
  socket.end(lines.join("\r\n"))
}

function noteOf({ note, newId, now }: HttpDoorOptions, { method, path }: Asked): (reply: Reply) => void {
  const begunAt = now()
  const noted = { method, path: path.slice(0, longestPath) }
  return ({ status, principal }) => note({ requestId: newId(), ...noted, principal, status, ms: now() - begunAt })
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
