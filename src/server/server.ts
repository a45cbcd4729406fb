// The HTTP and WebSocket server: binds its address first, then opens the host, and drains it when asked to leave. Knows
// nothing of processes, signals or command lines.
import { bearerToken, type HttpRequest, type Reply } from "./http/request.ts"
import {
  openHttpServer,
  switched,
  type HttpServer,
  type RequestRecord,
  type Route,
  type Upgrade,
} from "./http/http-server.ts"
import type { PendingLimits } from "./http/pending-connections.ts"
import type { Keyring } from "../identity/keyring.ts"
import type { Config } from "../contract/config.ts"
import { AccessLog } from "./monitoring/access-log.ts"
import { urlOf, type Address } from "./address.ts"
import { callerAddress, networkOf } from "./access/caller-address.ts"
import type { Certificate } from "./certificate.ts"
import { AccessControl, type IdentifiedCaller } from "./access/access-control.ts"
import { ConnectionLimit } from "./access/connection-limit.ts"
import type { NetworkDoor, NetworkDoorOptions, ServedHost } from "./network-door.ts"
import { ServerFault } from "./server-fault.ts"

/** Connections for probes and other plain requests, besides WebSockets. */
const SPARE_CONNECTIONS = 5000
/** Plain connections of one address that were silent for a second. Further ones close the longest silent. */
const MAX_PENDING_PER_ADDRESS = 100
const healthy: Reply = { status: 200, text: "ok" }
const starting: Reply = { status: 503, text: "starting" }
const leavingReply: Reply = { status: 503, text: "leaving" }
const probes: ReadonlySet<string> = new Set(["/health", "/healthz", "/readyz"])

const welcome = [
  "This is a Turnhouse server. Visitors connect to /ws, which speaks the smooth-operator protocol (docs/websocket-api.md).",
  "Clients with a key connect to /house, which speaks the house wire (docs/house-wire.md). 'turnhouse link' creates keys;",
  "the owner's is in console.key in the Turnhouse home. There is no web page here.",
].join("\n")
const noKey: Reply = {
  status: 401,
  text: "A key is required: Authorization: Bearer KEY",
  headers: { "www-authenticate": "Bearer" },
}

export interface ServerOptions extends Pick<NetworkDoorOptions, "config" | "home" | "place" | "release"> {
  readonly address: Address
  /** Log no requests, only warnings. */
  readonly isQuiet: boolean
  readonly redact: (text: string) => string
  /** The owner of the home, who may do everything. */
  readonly owner: { readonly key: string; readonly name: string }
  /** Starts the host, once the address is bound. */
  readonly openHost: () => Promise<ServedHost>
}

export class Server {
  readonly #options: ServerOptions
  readonly #access: AccessControl
  readonly #connectionLimit: ConnectionLimit
  readonly #log: AccessLog
  readonly #request = Promise.withResolvers<"left">()
  readonly #opening = Promise.withResolvers<NetworkDoor>()
  #door: NetworkDoor | undefined
  #http: HttpServer | undefined
  #isLeaving = false
  #requests = 0
  #keys: Promise<Keyring> | undefined

  /** Throws `AuthFault` or `ServerFault`. */
  static async open(options: ServerOptions): Promise<Server> {
    const log = new AccessLog(process.stderr, options.isQuiet, Date.now, options.redact)
    const warn = (message: string) => log.write({ event: "warning", message })
    return new Server(options, log, await AccessControl.open({ ...options, now: Date.now, warn }))
  }

  private constructor(options: ServerOptions, log: AccessLog, access: AccessControl) {
    this.#options = options
    this.#log = log
    this.#access = access
    this.#connectionLimit = new ConnectionLimit(access.allowances, access.limits.sockets)
  }

  get isLeaving(): boolean {
    return this.#isLeaving
  }

  /** New connections are refused from now on, and `serve` comes to its end. */
  leave(): void {
    this.#isLeaving = true
    this.#request.resolve("left")
  }

  /** Returns the address, with the port that was bound. */
  async listen(): Promise<string> {
    const { address, config } = this.#options
    const { host, port } = address
    const tls = await certificateIn(config)
    try {
      this.#http = await openHttpServer({
        host,
        port,
        tls,
        origins: this.#access.origins,
        maxConnections: this.#access.limits.sockets + SPARE_CONNECTIONS,
        pending: pendingLimits(config.server?.behindProxy === true),
        routes: this.#routes(),
        upgrades: {
          "/ws": (request, upgrade) => this.#acceptVisitor(request, upgrade),
          "/house": (request, upgrade) => this.#acceptNative(request, upgrade),
        },
        record: (record) => this.#record(record),
        newId: () => `req_${(this.#requests += 1)}`,
        now: Date.now,
        warn: (message) => this.#log.write({ event: "warning", message }),
      })
    } catch (fault) {
      throw listenFault(fault, host, port)
    }
    return urlOf(address, this.#http.port)
  }

  /** Serves until `leave`, or until another host has taken over the sessions. */
  async serve(graceMs: number): Promise<"left" | "lost"> {
    const door = await this.#open().catch(async (fault: unknown) => {
      await this.#http?.close()
      throw fault
    })
    const end = await Promise.race([this.#request.promise, door.served.host.lost.then(() => "lost" as const)])
    if (end === "lost") return end
    await door.leave(graceMs)
    await this.#http?.close()
    this.#log.flush()
    return end
  }

  async #open(): Promise<NetworkDoor> {
    const [{ NetworkDoor: Door }, keys] = await Promise.all([import("./network-door.ts"), this.#keyring()])
    const served = await this.#options.openHost()
    this.#door = await Door.open({ ...this.#options, served, keys, log: this.#log, access: this.#access })
    this.#opening.resolve(this.#door)
    return this.#door
  }

  /** Opened with the first key that has to be checked. */
  #keyring(): Promise<Keyring> {
    const { home, owner } = this.#options
    this.#keys ??= import("./access/open-keyring.ts").then(({ openKeyring }) => openKeyring(home, owner))
    return this.#keys
  }

  #routes(): Readonly<Record<string, Route>> {
    return {
      "/": () => ({ status: 200, text: welcome }),
      "/health": () => healthy,
      "/healthz": () => healthy,
      "/readyz": () => this.#readiness(),
      "/metrics": (request) => this.#metrics(request),
      "/admin/": (request) => this.#admin(request),
    }
  }

  async #admin(request: HttpRequest): Promise<Reply> {
    const [{ handleAdmin }, keys] = await Promise.all([import("./admin.ts"), this.#keyring()])
    const deps = {
      port: this.#door?.served.port,
      isOpen: this.#access.auth.mode === "none",
      holderOf: (key: string) => keys.holderOf(key, Date.now()),
      principalOf: () => this.#access.principalOf(request),
    }
    return handleAdmin(deps, request)
  }

  async #acceptVisitor(request: HttpRequest, upgrade: Upgrade): Promise<Reply> {
    const found = (await this.#linkCaller(request)) ?? (await this.#access.callerOf(request))
    if ("status" in found) return found
    const { caller, expiresAt } = found
    const { principal, account } = caller
    return { ...(await this.#accept(account, upgrade, (door) => door.accept(upgrade, caller, expiresAt))), principal }
  }

  /** A visitor with a share link instead of a token. */
  async #linkCaller(request: HttpRequest): Promise<IdentifiedCaller | undefined> {
    const token = request.query.get("token") ?? bearerToken(request)
    if (token?.startsWith("lnk_") !== true) return undefined
    const grant = (await this.#keyring()).grantOf(token, Date.now())
    if (grant === undefined) return undefined
    const { name, sessionId: granted, expiresAt } = grant
    const isValid = () => grant.isValid(Date.now())
    return { caller: { principal: name, org: "", owner: "", account: name, granted, isValid }, expiresAt }
  }

  #acceptNative(request: HttpRequest, upgrade: Upgrade): Promise<Reply> {
    const account = callerAddress(request, this.#options.config.server?.behindProxy === true)
    return this.#accept(account, upgrade, (door) => door.acceptNative(upgrade))
  }

  /** A connection that arrives before the host is open waits for it. */
  async #accept(account: string, { socket }: Upgrade, accept: (door: NetworkDoor) => void): Promise<Reply> {
    if (this.#isLeaving) return leavingReply
    const refusal = this.#connectionLimit.enter(account, socket)
    if (refusal !== undefined) return refusal
    const door = this.#door ?? (await this.#opening.promise)
    if (this.#isLeaving) return leavingReply
    accept(door)
    return switched
  }

  async #readiness(): Promise<Reply> {
    if (this.#isLeaving) return leavingReply
    if (this.#door === undefined) return starting
    return (await this.#door.canWrite()) ? healthy : { status: 503, text: "the log cannot be written" }
  }

  /** On a public address only with a key for all sessions. */
  async #metrics(request: HttpRequest): Promise<Reply> {
    const holder = (await this.#keyring()).holderOf(bearerToken(request) ?? "", Date.now())
    if (this.#options.address.isPublic && (holder === undefined || holder.sessionId !== undefined)) return noKey
    if (this.#door === undefined) return starting
    const metrics = await this.#door.metrics()
    return { status: 200, text: (await metrics.text()).trimEnd(), type: metrics.type }
  }

  #record({ status, path, ...record }: RequestRecord): void {
    if (status === 200 && probes.has(path)) return // probes come every few seconds
    this.#log.write({ event: "request", ...record, path, outcome: status })
  }
}

/** Behind a proxy all connections have the proxy's address, so only the total is limited. */
function pendingLimits(isBehindProxy: boolean): PendingLimits {
  return { perAddress: isBehindProxy ? Infinity : MAX_PENDING_PER_ADDRESS, all: SPARE_CONNECTIONS - 1000, networkOf }
}

/** Loaded only if the server itself uses TLS. */
async function certificateIn({ server }: Config): Promise<Certificate | undefined> {
  if (server?.tls === undefined) return undefined
  const { certificateOf } = await import("./certificate.ts")
  return certificateOf(server.tls)
}

function listenFault(fault: unknown, host: string, port: number): unknown {
  const code = fault instanceof Error && "code" in fault ? fault.code : undefined
  if (code === "EADDRINUSE")
    return new ServerFault(
      `port ${port} on ${host} is in use. Choose another with --port; 0 selects a free one.`,
      "failed",
    )
  if (code === "EACCES")
    return new ServerFault(`port ${port}: permission denied. Choose a port above 1023 with --port.`, "failed")
  if (code === "EADDRNOTAVAIL" || code === "ENOTFOUND")
    return new ServerFault(`${host} is not an address of this machine. Use --host 127.0.0.1.`, "failed")
  return fault
}
