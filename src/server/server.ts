// A server from the first request to the last. The address is bound first and the engine is loaded afterwards, while
// the first visitors wait at the door; asked to leave, it lets running turns end and says so to whoever looks.
import { bearerIn, type Asked, type Reply } from "./http/request.ts"
import { openHttpDoor, taken, type HttpDoor, type RequestNote, type Route, type Upgrade } from "./http/http-server.ts"
import type { LobbyLimits } from "./http/pending-connections.ts"
import { AuthFault } from "../identity/auth-fault.ts"
import type { Keyring } from "../identity/keyring.ts"
import type { Redactor } from "../secrets/redactor.ts"
import { AppFault, usageFault } from "../app/app-fault.ts"
import { limitHeapGrowth } from "../app/host/heap-growth.ts"
import { consoleKey } from "../app/secrets/console-key.ts"
import { openRedactor } from "../app/secrets/open-redactor.ts"
import type { Args } from "../cli/command.ts"
import { exitCodes } from "../app/exit-codes.ts"
import { sessionRequest } from "../cli/run/session-request.ts"
import { onSignals } from "../app/signals.ts"
import type { AppContext } from "../app/context.ts"
import { printNotice } from "../app/terminal.ts"
import { AccessLog } from "./monitoring/access-log.ts"
import { urlOf, type Address } from "./address.ts"
import { callerAddress, networkOf } from "./access/caller-address.ts"
import type { Certificate } from "./certificate.ts"
import { AccessControl, type AccessControlOptions, type Found } from "./access/access-control.ts"
import { ConnectionLimit } from "./access/connection-limit.ts"
import type { NetworkDoor } from "./network-door.ts"
import { forgetServer, noteServer } from "./server-note.ts"

const hangUp = 1
/** For probes and other requests that are no WebSocket. */
const spareConnections = 5000
/** Connections of one address that are no WebSocket and were silent for a second. */
const requestsPerAddress = 100
const healthy: Reply = { status: 200, text: "ok" }
const starting: Reply = { status: 503, text: "starting" }
const leaving: Reply = { status: 503, text: "leaving" }
const probes: ReadonlySet<string> = new Set(["/health", "/healthz", "/readyz"])

const welcome = [
  "This is a Turnhouse server. Visitors connect to /ws, which speaks the smooth-operator protocol (docs/network-door.md).",
  "Clients with a key connect to /house, which speaks the house wire (docs/house-wire.md). 'turnhouse link' creates keys;",
  "the owner's is in console.key in the Turnhouse home. There is no web page here.",
].join("\n")
const noKey: Reply = {
  status: 401,
  text: "A key is needed here: Authorization: Bearer …",
  headers: { "www-authenticate": "Bearer" },
}

interface Entry {
  readonly address: Address
  readonly log: AccessLog
  readonly keeper: AccessControl
}

export class Server {
  readonly #args: Args
  readonly #context: AppContext
  readonly #address: Address
  readonly #keeper: AccessControl
  readonly #key: string
  readonly #entrance: ConnectionLimit
  readonly #log: AccessLog
  readonly #asked = Promise.withResolvers<"asked">()
  readonly #opening = Promise.withResolvers<NetworkDoor>()
  #door: NetworkDoor | undefined
  #http: HttpDoor | undefined
  #isLeaving = false
  #requests = 0
  #keys: Promise<Keyring> | undefined

  static async open(args: Args, context: AppContext, address: Address): Promise<Server> {
    let redactor: Redactor | undefined // made with the first line: the address is printed before
    const scrub = (text: string) => (redactor ??= openRedactor(context.home, context.config)).text(text)
    const log = new AccessLog(process.stderr, args.flag("quiet"), Date.now, scrub)
    const warn = (message: string) => log.write({ event: "warning", message })
    const keeper = await doorkeeper({ config: context.config, address, now: Date.now, warn })
    return new Server(args, context, { address, log, keeper })
  }

  private constructor(args: Args, context: AppContext, { address, log, keeper }: Entry) {
    this.#args = args
    this.#context = context
    this.#address = address
    this.#log = log
    this.#keeper = keeper
    this.#entrance = new ConnectionLimit(keeper.allowances, keeper.limits.sockets)
    this.#key = consoleKey(context.home)
    onSignals((number) => this.#hear(number))
  }

  async listen(): Promise<void> {
    const { host, port } = this.#address
    const tls = await certificateIn(this.#context.config)
    try {
      this.#http = await openHttpDoor({
        host,
        port,
        tls,
        guests: this.#keeper.guests,
        maxConnections: this.#keeper.limits.sockets + spareConnections,
        lobby: lobbyLimits(this.#context.config.server?.behindProxy === true),
        routes: this.#routes(),
        upgrades: {
          "/ws": (asked, upgrade) => this.#visit(asked, upgrade),
          "/house": (asked, upgrade) => this.#enterHouse(asked, upgrade),
        },
        note: (note) => this.#note(note),
        newId: () => `req_${(this.#requests += 1)}`,
        now: Date.now,
        warn: (message) => this.#log.write({ event: "warning", message }),
      })
    } catch (fault) {
      throw explained(fault, host, port)
    }
    const url = urlOf(this.#address, this.#http.port)
    noteServer(this.#context.home, url)
    process.stdout.write(`listening on ${url}\n`)
  }

  /** Until it is asked to leave. */
  async serve(graceMs: number): Promise<number> {
    limitHeapGrowth("serve")
    const door = await this.#open().catch(async (fault: unknown) => {
      await this.#http?.close()
      forgetServer(this.#context.home)
      throw fault
    })
    const end = await Promise.race([this.#asked.promise, door.running.host.lost.then(() => "lost" as const)])
    if (end === "lost") {
      printNotice("turnhouse: another host has taken the sessions over; this one ends")
      process.exit(exitCodes.failed)
    }
    await door.leave(graceMs)
    await this.#http?.close()
    forgetServer(this.#context.home)
    this.#log.flush()
    return exitCodes.done
  }

  /** A second signal ends it at once, and the reaper cleans up. A window that closes is no reason to go. */
  #hear(signal: number): void {
    if (signal === hangUp) return
    if (this.#isLeaving) process.exit(128 + signal)
    this.#isLeaving = true
    this.#asked.resolve("asked")
  }

  async #open(): Promise<NetworkDoor> {
    const { NetworkDoor: Door } = await import("./network-door.ts")
    const { cwd, configuration } = sessionRequest(this.#args, { cwd: this.#context.cwd, origin: "ws" })
    const place = configuration === undefined ? { cwd } : { cwd, configuration }
    const [keeper, keys] = [this.#keeper, await this.#keyring()]
    this.#door = await Door.open({ context: this.#context, place, log: this.#log, keeper, keys })
    this.#opening.resolve(this.#door)
    return this.#door
  }

  /** With the first key that has to be looked at. */
  #keyring(): Promise<Keyring> {
    this.#keys ??= import("./access/open-keyring.ts").then(({ openKeyring }) =>
      openKeyring(this.#context.home, this.#key),
    )
    return this.#keys
  }

  #routes(): Readonly<Record<string, Route>> {
    return {
      "/": () => ({ status: 200, text: welcome }),
      "/health": () => healthy,
      "/healthz": () => healthy,
      "/readyz": () => this.#readiness(),
      "/metrics": (asked) => this.#metrics(asked),
      "/admin/": (asked) => this.#admin(asked),
    }
  }

  async #admin(asked: Asked): Promise<Reply> {
    const [{ answerAdmin }, keys] = await Promise.all([import("./admin.ts"), this.#keyring()])
    const deps = {
      port: this.#door?.running.port,
      isOpen: this.#keeper.auth.mode === "none",
      holderOf: (key: string) => keys.holderOf(key, Date.now()),
      principalOf: () => this.#keeper.principalOf(asked),
    }
    return answerAdmin(deps, asked)
  }

  async #visit(asked: Asked, upgrade: Upgrade): Promise<Reply> {
    const found = (await this.#granted(asked)) ?? (await this.#keeper.callerOf(asked))
    if ("status" in found) return found
    const { caller, expiresAt } = found
    const { principal, account } = caller
    return { ...(await this.#letIn(account, upgrade, (door) => door.accept(upgrade, caller, expiresAt))), principal }
  }

  /** A visitor who brings a link instead of a token. */
  async #granted(asked: Asked): Promise<Found | undefined> {
    const token = asked.query.get("token") ?? bearerIn(asked)
    if (token?.startsWith("lnk_") !== true) return undefined
    const grant = (await this.#keyring()).grantOf(token, Date.now())
    if (grant === undefined) return undefined
    const { name, sessionId: granted, expiresAt } = grant
    const isValid = () => grant.isValid(Date.now())
    return { caller: { principal: name, org: "", owner: "", account: name, granted, isValid }, expiresAt }
  }

  #enterHouse(asked: Asked, upgrade: Upgrade): Promise<Reply> {
    const account = callerAddress(asked, this.#context.config.server?.behindProxy === true)
    return this.#letIn(account, upgrade, (door) => door.acceptHouse(upgrade))
  }

  /** Whoever comes before the engine is there waits for it. */
  async #letIn(account: string, { socket }: Upgrade, accept: (door: NetworkDoor) => void): Promise<Reply> {
    if (this.#isLeaving) return leaving
    const refusal = this.#entrance.enter(account, socket)
    if (refusal !== undefined) return refusal
    const door = this.#door ?? (await this.#opening.promise)
    if (this.#isLeaving) return leaving
    accept(door)
    return taken
  }

  async #readiness(): Promise<Reply> {
    if (this.#isLeaving) return leaving
    if (this.#door === undefined) return starting
    return (await this.#door.canWrite()) ? healthy : { status: 503, text: "the log cannot be written" }
  }

  /** Off this machine only for who may see everything. */
  async #metrics(asked: Asked): Promise<Reply> {
    const holder = (await this.#keyring()).holderOf(bearerIn(asked) ?? "", Date.now())
    if (this.#address.isPublic && (holder === undefined || holder.sessionId !== undefined)) return noKey
    if (this.#door === undefined) return starting
    const metrics = await this.#door.metrics()
    return { status: 200, text: (await metrics.text()).trimEnd(), type: metrics.type }
  }

  #note({ status, path, ...note }: RequestNote): void {
    if (status === 200 && probes.has(path)) return // they come every few seconds, and say nothing
    this.#log.write({ event: "request", ...note, path, outcome: status })
  }
}

/** Behind a proxy all addresses are the proxy's, which bounds its own callers; the rest holds for it too. */
function lobbyLimits(isBehindProxy: boolean): LobbyLimits {
  return { perAddress: isBehindProxy ? Infinity : requestsPerAddress, all: spareConnections - 1000, networkOf }
}

/** Only a server that speaks TLS by itself loads what reads certificates. */
async function certificateIn({ server }: AppContext["config"]): Promise<Certificate | undefined> {
  if (server?.tls === undefined) return undefined
  const { certificateOf } = await import("./certificate.ts")
  return certificateOf(server.tls)
}

async function doorkeeper(options: AccessControlOptions): Promise<AccessControl> {
  try {
    return await AccessControl.open(options)
  } catch (fault) {
    if (fault instanceof AuthFault) throw usageFault(fault.message)
    throw fault
  }
}

function explained(fault: unknown, host: string, port: number): unknown {
  const code = fault instanceof Error && "code" in fault ? fault.code : undefined
  if (code === "EADDRINUSE")
    return new AppFault(`port ${port} on ${host} is taken; choose another with --port, or 0 for any`, exitCodes.failed)
  if (code === "EACCES")
    return new AppFault(`port ${port} may not be used by you; choose one above 1023 with --port`, exitCodes.failed)
  if (code === "EADDRNOTAVAIL" || code === "ENOTFOUND")
    return new AppFault(`${host} is no address of this machine; use --host 127.0.0.1`, exitCodes.failed)
  return fault
}
