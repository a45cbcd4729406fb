// The HTTP and WebSocket server: binds its address first, then opens the host, and drains it when asked to leave. Knows
// nothing of processes, signals or command lines.
import { join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import type { HostLoss } from "../host/cluster-member.ts"
import { bearerToken, type HttpRequest, type Reply } from "./http/request.ts"
import {
  openHttpServer,
  switched,
  type HttpServer,
  type RequestRecord,
  type Route,
  type Upgrade,
} from "./http/http-server.ts"
import { staticFiles } from "./http/static-files.ts"
import type { NodeMeters } from "./monitoring/node-meters.ts"
import { AccessLog } from "./monitoring/access-log.ts"
import { urlOf, type Address } from "./address.ts"
import { callerAddress } from "./access/caller-address.ts"
import { AccessControl, type AccessControlOptions } from "./access/access-control.ts"
import { KeyAccess, type KeyAccessOptions } from "./access/key-access.ts"
import type { LanAccess, LanPlace } from "./lan/lan-access.ts"
import { ConnectionLimit } from "./access/connection-limit.ts"
import type { NetworkDoor, NetworkDoorOptions, ServedHost } from "./network-door.ts"
import { consoleRoutes } from "./http/console-routes.ts"
import { demoAgent, widgetRoutes, widgetScript } from "./http/widget-routes.ts"
import { certificateIn, listenFault, pendingLimits, SPARE_CONNECTIONS } from "./listener.ts"

const healthy: Reply = { status: 200, text: "ok" }
const starting: Reply = { status: 503, text: "starting" }
const leavingReply: Reply = { status: 503, text: "leaving" }
/** Between attempts to start again. */
const REJOIN_MS = 1000
const fencedReasons: Readonly<Record<HostLoss, string>> = {
  "cut off": "the store cannot be reached: this node has stopped its sessions until it can",
  "taken over": "other nodes have taken over the sessions of this node, which starts again",
}

function fencedReply(reason: string): Reply {
  return { status: 503, text: `fenced: ${reason}` }
}

const probes: ReadonlySet<string> = new Set(["/health", "/healthz", "/readyz"])

const noDocs = "The documentation is not built yet. In a checkout, run 'npm run docs'; the package has it."
const noKey: Reply = {
  status: 401,
  text: "A key is required: Authorization: Bearer KEY",
  headers: { "www-authenticate": "Bearer" },
}

export interface ServerOptions
  extends
    Pick<NetworkDoorOptions, "config" | "home" | "place" | "release">,
    Pick<KeyAccessOptions, "owner" | "openStores">,
    Pick<AccessControlOptions, "openAllowances"> {
  readonly address: Address
  /** Log no requests, only warnings. */
  readonly isQuiet: boolean
  /** Has the folders of built pages: `console`, `docs` and `widget`. */
  readonly webFolder: string
  readonly redact: (text: string) => string
  /** Starts the host, once the address is bound. */
  readonly openHost: () => Promise<ServedHost>
  /** Set on a node of a cluster: a host that has lost its lease is replaced by another one in this process. */
  readonly nodeMeters?: NodeMeters | undefined
}

export class Server {
  readonly #options: ServerOptions
  readonly #access: AccessControl
  readonly #keys: KeyAccess
  readonly #connectionLimit: ConnectionLimit
  readonly #log: AccessLog
  readonly #request = Promise.withResolvers<"left">()
  #opening = Promise.withResolvers<NetworkDoor>()
  /** Why this node does not act at the moment. */
  #fenced: string | undefined
  #door: NetworkDoor | undefined
  #http: HttpServer | undefined
  #isLeaving = false
  #requests = 0
  #lan: Promise<LanAccess> | undefined

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
    this.#keys = new KeyAccess(options)
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
        ...this.#common(),
        host,
        port,
        tls,
        origins: this.#access.origins,
        routes: { ...this.#pages(), ...this.#widget(), ...this.#routes() },
        sharedPaths: new Set([widgetScript]),
        posts: {
          ...this.#keys.posts(),
          "/lan": async (request, body) => (await this.#lanAccess()).open(request, body),
        },
        upgrades: {
          "/ws": (request, upgrade) => this.#acceptVisitor(request, upgrade),
          "/house": (request, upgrade) => this.#acceptNative(request, upgrade),
        },
      })
    } catch (fault) {
      throw listenFault(fault, host, port)
    }
    return urlOf(address, this.#http.port)
  }

  /** What all listeners have. */
  #common() {
    return {
      maxConnections: this.#access.limits.sockets + SPARE_CONNECTIONS,
      pending: pendingLimits(this.#options.config.server?.behindProxy === true),
      record: (record: RequestRecord) => this.#record(record),
      newId: () => `req_${(this.#requests += 1)}`,
      now: Date.now,
      warn: (message: string) => this.#log.write({ event: "warning", message }),
    }
  }

  /** Loaded when the owner first opens it. */
  #lanAccess(): Promise<LanAccess> {
    const { home } = this.#options
    const isOwner = (key: string) => this.#keys.isOwner(key)
    const options = { home, isOwner, listen: (place: LanPlace) => this.#listenForPhones(place), now: Date.now }
    this.#lan ??= import("./lan/lan-access.ts").then((module) => new module.LanAccess(options))
    return this.#lan
  }

  #listenForPhones({ onUpgrade, ...place }: LanPlace): Promise<HttpServer> {
    return openHttpServer({
      ...this.#common(),
      ...place,
      origins: { isLocal: false, names: [place.host], allowsOrigin: () => false },
      routes: this.#pages(),
      posts: this.#keys.posts(),
      upgrades: {
        "/house": (request, upgrade) => {
          onUpgrade(upgrade.socket)
          return this.#acceptNative(request, upgrade)
        },
      },
    })
  }

  /** Serves until `leave`, or until another host has taken over the sessions. A node of a cluster then starts again. */
  async serve(graceMs: number): Promise<"left" | "lost"> {
    const first = await this.#open().catch(async (fault: unknown) => {
      await this.#http?.close()
      throw fault
    })
    const end = await this.#serveWith(first, graceMs)
    if (end === "lost") return end
    await Promise.all([this.#http?.close(), this.#lan?.then((lan) => lan.close()), this.#keys.close()])
    this.#log.flush()
    return end
  }

  async #serveWith(first: NetworkDoor, graceMs: number): Promise<"left" | "lost"> {
    for (let door: NetworkDoor | undefined = first; door !== undefined; door = await this.#rejoin()) {
      const end: "left" | HostLoss = await Promise.race([this.#request.promise, door.served.host.lost])
      if (end !== "left" && this.#options.nodeMeters === undefined) return "lost"
      if (end === "left") {
        await door.leave(graceMs)
        break
      }
      await this.#fence(door, end)
    }
    return "left"
  }

  /** Its clients find their sessions on other nodes. */
  async #fence(door: NetworkDoor, loss: HostLoss): Promise<void> {
    const reason = fencedReasons[loss]
    this.#fenced = reason
    this.#door = undefined
    this.#opening = Promise.withResolvers()
    this.#log.write({ event: "fenced", message: reason })
    await door.drop().catch((fault: unknown) => this.#log.write({ event: "warning", message: String(fault) }))
  }

  /** Undefined if the server is to leave before the store can be used again. */
  async #rejoin(): Promise<NetworkDoor | undefined> {
    for (let reported = ""; !this.#isLeaving; await Promise.race([this.#request.promise, sleep(REJOIN_MS)])) {
      try {
        const door = await this.#open()
        this.#fenced = undefined
        this.#log.write({ event: "rejoined" })
        return door
      } catch (fault) {
        const message = `this node cannot rejoin yet: ${fault instanceof Error ? fault.message : String(fault)}`
        if (message !== reported) this.#log.write({ event: "warning", message })
        reported = message
      }
    }
    return undefined
  }

  async #open(): Promise<NetworkDoor> {
    const [{ NetworkDoor: Door }, keys] = await Promise.all([import("./network-door.ts"), this.#keys.keyring()])
    const served = await this.#options.openHost()
    this.#door = await Door.open({ ...this.#options, served, keys, log: this.#log, access: this.#access })
    this.#opening.resolve(this.#door)
    return this.#door
  }

  #pages(): Readonly<Record<string, Route>> {
    const docs = staticFiles({ folder: join(this.#options.webFolder, "docs"), prefix: "/docs/", absent: noDocs })
    return {
      ...consoleRoutes(join(this.#options.webFolder, "console")),
      "/docs": docs,
      "/docs/": docs,
    }
  }

  #widget(): Readonly<Record<string, Route>> {
    const { config, webFolder } = this.#options
    const folder = join(webFolder, "widget")
    return widgetRoutes({ folder, agent: demoAgent(config.agents ?? {}), hasDemo: this.#access.auth.mode === "none" })
  }

  #routes(): Readonly<Record<string, Route>> {
    return {
      "/health": () => healthy,
      "/healthz": () => healthy,
      "/readyz": () => this.#readiness(),
      "/metrics": (request) => this.#metrics(request),
      "/admin/": (request) => this.#admin(request),
    }
  }

  async #admin(request: HttpRequest): Promise<Reply> {
    const [{ handleAdmin }, keys] = await Promise.all([import("./admin.ts"), this.#keys.keyring()])
    const deps = {
      port: this.#door?.served.port,
      isOpen: this.#access.auth.mode === "none",
      holderOf: (key: string) => keys.holderOf(key, Date.now()),
      principalOf: () => this.#access.principalOf(request),
    }
    return handleAdmin(deps, request)
  }

  async #acceptVisitor(request: HttpRequest, upgrade: Upgrade): Promise<Reply> {
    const found = (await this.#keys.linkCaller(request)) ?? (await this.#access.callerOf(request))
    if ("status" in found) return found
    const { caller, expiresAt } = found
    const { principal, account } = caller
    return { ...(await this.#accept(account, upgrade, (door) => door.accept(upgrade, caller, expiresAt))), principal }
  }

  async #acceptNative(request: HttpRequest, upgrade: Upgrade): Promise<Reply> {
    const account = callerAddress(request, this.#options.config.server?.behindProxy === true)
    const cookieKey = await this.#keys.cookieKey(request)
    return this.#accept(account, upgrade, (door) => door.acceptNative(upgrade, cookieKey))
  }

  /** A connection that arrives before the host is open waits for it. */
  async #accept(account: string, { socket }: Upgrade, accept: (door: NetworkDoor) => void): Promise<Reply> {
    if (this.#isLeaving) return leavingReply
    if (this.#fenced !== undefined) return fencedReply(this.#fenced)
    const refusal = this.#connectionLimit.enter(account, socket)
    if (refusal !== undefined) return refusal
    const door = this.#door ?? (await this.#opening.promise)
    if (this.#isLeaving) return leavingReply
    accept(door)
    return switched
  }

  async #readiness(): Promise<Reply> {
    if (this.#isLeaving) return leavingReply
    if (this.#fenced !== undefined) return fencedReply(this.#fenced)
    if (this.#door === undefined) return starting
    return (await this.#door.canWrite()) ? healthy : { status: 503, text: "the log cannot be written" }
  }

  /** On a public address only with a key for all sessions. */
  async #metrics(request: HttpRequest): Promise<Reply> {
    const holder = await this.#keys.holderOf(bearerToken(request) ?? "")
    if (this.#options.address.isPublic && (holder === undefined || holder.sessionId !== undefined)) return noKey
    const { nodeMeters } = this.#options
    const ofNode = nodeMeters?.text(this.#fenced !== undefined)
    if (this.#door === undefined)
      return nodeMeters === undefined ? starting : { status: 200, text: ofNode ?? "", type: nodeMeters.type }
    const metrics = await this.#door.metrics()
    const text = (await metrics.text()).trimEnd()
    return { status: 200, text: ofNode === undefined ? text : `${text}\n${ofNode}`, type: metrics.type }
  }

  #record({ status, path, ...record }: RequestRecord): void {
    if (status === 200 && probes.has(path)) return // probes come every few seconds
    this.#log.write({ event: "request", ...record, path, outcome: status })
  }
}
