// The HTTP listener: a few GET routes, and upgrades, which it passes on. It knows neither the protocols of upgraded
// connections nor callers. Query strings are never logged: they may contain a token.
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import type { Duplex } from "node:stream"
import { StoreFault } from "../../identity/store-fault.ts"
import { readBody, readRequest, type HttpRequest, type Reply } from "./request.ts"
import { PendingConnections, type PendingLimits } from "./pending-connections.ts"
import { originProblem, type OriginRules } from "./origin-check.ts"

export type Route = (request: HttpRequest) => Reply | Promise<Reply>
/** A route that changes something: it gets the body of a POST. */
export type PostRoute = (request: HttpRequest, body: string) => Reply | Promise<Reply>

/** A connection that asks to become a WebSocket. */
export interface Upgrade {
  readonly request: IncomingMessage
  readonly socket: Duplex
  readonly head: Buffer
}

/** Accepts the connection and returns `switched`, or returns why not. */
export type UpgradeRoute = (request: HttpRequest, upgrade: Upgrade) => Promise<Reply>

/** One request for the log. */
export interface RequestRecord {
  readonly requestId: string
  readonly method: string
  readonly path: string
  readonly principal: string | undefined
  readonly status: number
  readonly ms: number
}

export interface HttpServerOptions {
  readonly host: string
  readonly port: number
  readonly origins: OriginRules
  /** By path; a path that ends with a slash matches everything below it. */
  readonly routes: Readonly<Record<string, Route>>
  /** Paths that pages of every origin may load with GET: what is there holds no secret and does nothing. */
  readonly sharedPaths?: ReadonlySet<string>
  /** Routes of POST requests, by path. */
  readonly posts?: Readonly<Record<string, PostRoute>>
  /** Routes of upgrades, by path. */
  readonly upgrades: Readonly<Record<string, UpgradeRoute>>
  readonly tls?: { readonly cert: Buffer; readonly key: Buffer } | undefined
  /** Connections of any kind. Further ones are refused by the system. */
  readonly maxConnections: number
  /** Connections that are not upgraded. */
  readonly pending: PendingLimits
  /** Time for a request to arrive. Default: ten seconds. */
  readonly requestMs?: number
  readonly record: (record: RequestRecord) => void
  readonly newId: () => string
  readonly now: () => number
  /** For the operator: a caller gets no detail of a fault. */
  readonly warn: (message: string) => void
}

export interface HttpServer {
  readonly port: number
  close(): Promise<void>
}

const MAX_PATH_LENGTH = 200
/** Of a POST request. */
const MAX_BODY_BYTES = 4096
const DEFAULT_REQUEST_MS = 10_000
/** The connection was upgraded. */
export const switched: Reply = { status: 101, text: "" }

/** Throws what `listen` throws, for example EADDRINUSE. */
export async function openHttpServer(options: HttpServerOptions): Promise<HttpServer> {
  const server = await serverFor(options)
  const pending = new PendingConnections(options.pending)
  pending.track(server)
  server.maxConnections = options.maxConnections
  server.on("request", ({ socket }) => pending.refresh(socket))
  server.on("upgrade", (request, socket, head) => {
    pending.leave(request.socket)
    void onUpgrade(options, { request, socket, head })
  })
  server.on("clientError", (_fault, socket) => refuse(socket, { status: 400, text: "The request is not valid HTTP." }))
  const port = await listen(server, options)
  return { port, close: () => close(server) }
}

async function serverFor(options: HttpServerOptions): Promise<Server> {
  const listener = (message: IncomingMessage, response: ServerResponse) => void answer(options, message, response)
  const { requestMs = DEFAULT_REQUEST_MS, tls } = options
  const times = { headersTimeout: requestMs, requestTimeout: requestMs, connectionsCheckingInterval: requestMs / 4 }
  if (tls === undefined) return createServer(times, listener)
  const https = await import("node:https")
  return https.createServer({ ...tls, ...times, handshakeTimeout: requestMs }, listener)
}

async function answer(options: HttpServerOptions, message: IncomingMessage, response: ServerResponse): Promise<void> {
  const request = readRequest(message)
  const recordReply = recorder(options, request)
  const reply = await orServerError(options, () => replyTo(options, request, message))
  message.resume() // discards what was not read of a body
  const { status, text, body = `${text}\n`, type = "text/plain; charset=utf-8", headers } = reply
  const always = { "content-type": type, "cache-control": "no-store", "x-content-type-options": "nosniff" }
  response.writeHead(status, { ...always, ...headers }).end(request.method === "HEAD" ? "" : body)
  recordReply(reply)
}

async function replyTo(options: HttpServerOptions, request: HttpRequest, message: IncomingMessage): Promise<Reply> {
  const { posts = {}, sharedPaths } = options
  const { host } = request.headers
  const problem = originProblem(sharedPaths?.has(request.path) === true ? { host } : request.headers, options.origins)
  if (problem !== undefined) return { status: 403, text: problem }
  const post = Object.hasOwn(posts, request.path) ? posts[request.path] : undefined
  if (post !== undefined) return replyToPost(post, request, message)
  const route = routeFor(options.routes, request.path)
  const isUpgradePath = Object.hasOwn(options.upgrades, request.path)
  if (route === undefined && !isUpgradePath) return { status: 404, text: "Not found." }
  if (request.method !== "GET" && request.method !== "HEAD")
    return { status: 405, text: "Only GET is supported.", headers: { allow: "GET, HEAD" } }
  if (route === undefined)
    return {
      status: 426,
      text: "This path accepts WebSocket connections only.",
      headers: { upgrade: "websocket", connection: "upgrade" },
    }
  return route(request)
}

async function replyToPost(post: PostRoute, request: HttpRequest, message: IncomingMessage): Promise<Reply> {
  if (request.method !== "POST") return { status: 405, text: "Only POST is supported.", headers: { allow: "POST" } }
  const body = await readBody(message, MAX_BODY_BYTES)
  return body === undefined
    ? { status: 413, text: `The body has more than ${MAX_BODY_BYTES} bytes.` }
    : post(request, body)
}

function routeFor(routes: HttpServerOptions["routes"], path: string): Route | undefined {
  if (Object.hasOwn(routes, path)) return routes[path]
  return Object.entries(routes).find(([above]) => above !== "/" && above.endsWith("/") && path.startsWith(above))?.[1]
}

async function onUpgrade(options: HttpServerOptions, upgrade: Upgrade): Promise<void> {
  const request = readRequest(upgrade.request)
  const recordReply = recorder(options, request)
  destroyOnError(upgrade.socket)
  const reply = await orServerError(options, () => upgradeReply(options, request, upgrade))
  if (reply.status !== switched.status) refuse(upgrade.socket, reply)
  recordReply(reply)
}

/** A separate function: a listener that lives as long as the socket must not retain the request. */
function destroyOnError(socket: Duplex): void {
  socket.on("error", () => socket.destroy())
}

async function upgradeReply(
  { origins, upgrades }: HttpServerOptions,
  request: HttpRequest,
  upgrade: Upgrade,
): Promise<Reply> {
  const problem = originProblem(request.headers, origins)
  if (problem !== undefined) return { status: 403, text: problem }
  const route = Object.hasOwn(upgrades, request.path) ? upgrades[request.path] : undefined
  if (route !== undefined) return route(request, upgrade)
  return { status: 400, text: `No WebSocket endpoint at this path. Use ${Object.keys(upgrades).join(" or ")}.` }
}

async function orServerError({ warn }: HttpServerOptions, reply: () => Promise<Reply>): Promise<Reply> {
  try {
    return await reply()
  } catch (fault) {
    if (fault instanceof StoreFault) {
      warn(`a request failed: ${String(fault.cause)}`)
      return { status: 503, text: fault.message, headers: { "retry-after": "5" } }
    }
    warn(`a request failed: ${String(fault)}`)
    return { status: 500, text: "Internal server error." }
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
  socket.once("finish", () => socket.destroy()) // a peer cannot keep the connection by not closing its side
  socket.end(lines.join("\r\n"))
}

function recorder({ record, newId, now }: HttpServerOptions, { method, path }: HttpRequest): (reply: Reply) => void {
  const startedAt = now()
  const line = { method, path: path.slice(0, MAX_PATH_LENGTH) }
  return ({ status, principal }) => record({ requestId: newId(), ...line, principal, status, ms: now() - startedAt })
}

function listen(server: Server, { host, port }: HttpServerOptions): Promise<number> {
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

function close(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve())
    server.closeAllConnections()
  })
}
