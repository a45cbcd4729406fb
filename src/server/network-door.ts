// The doors of the server (/ws and /house) on the host that it serves. Loaded once the address is bound.
import { createHmac, randomUUID } from "node:crypto"
import type { Config } from "../contract/config.ts"
import type { HostPort } from "../contract/host-port.ts"
import type { SessionOptions } from "../contract/session-options.ts"
import type { Pass } from "../doors/house/connection.ts"
import type { LoadedDoor } from "../doors/core/door.ts"
import { doors } from "../doors/table.ts"
import type { Upgrade } from "./http/http-server.ts"
import type { Caller } from "../doors/ws/conversation-access.ts"
import type { WsDoor } from "../doors/ws/door.ts"
import { SessionAdoption } from "../host/session-adoption.ts"
import type { SessionHost } from "../host/session-host.ts"
import { newId } from "../host/new-ids.ts"
import { isAgent } from "../identity/embedding.ts"
import type { Keyring } from "../identity/keyring.ts"
import { StoreFault } from "../identity/store-fault.ts"
import type { ModelRegistry } from "../models/registry.ts"
import { homeKey } from "../secrets/home-key.ts"
import { FrameBudget } from "../transports/frame-budget.ts"
import { linesOn, openUpgrades, type Upgrades } from "../transports/websocket.ts"
import type { AccessLog } from "./monitoring/access-log.ts"
import { admission } from "./access/admission.ts"
import type { AccessControl } from "./access/access-control.ts"
import { followTurns } from "./access/follow-turns.ts"
import { limitFirstFrame } from "./access/connection-limit.ts"
import { nativeAccess } from "./access/native-access.ts"
import { Meters } from "./monitoring/meters.ts"
import type { Metrics } from "./monitoring/metrics.ts"
import { waitForTurns } from "./drain/wait-for-turns.ts"
import { visitorMayChoose } from "./visitor-models.ts"
import { openApprovals } from "../features/approvals/state.ts"

/** The host that the server serves. */
export interface ServedHost {
  readonly host: SessionHost
  readonly role: string
  readonly port: HostPort
  readonly models: ModelRegistry
  close(): Promise<void>
}

export interface NetworkDoorOptions {
  readonly home: string
  readonly config: Config
  readonly served: ServedHost
  /** Folder and configuration files of new sessions. */
  readonly place: Pick<SessionOptions, "cwd" | "configuration">
  readonly log: AccessLog
  readonly access: AccessControl
  readonly keys: Keyring
  readonly release: string
}

interface LoadedDoors {
  readonly house: LoadedDoor<typeof doors.house>
  readonly ws: LoadedDoor<typeof doors.ws>
}

/** Bytes of unfinished frames of all sockets. Beyond it the newest socket is closed (1013). */
const MAX_UNFINISHED_BYTES = 64 * 1024 * 1024
const DEFAULT_AGENT_NAME = "smooth-agent"
/** Time for the host to hand over its sessions, after the turns. */
const LEAVE_MS = 5000

export class NetworkDoor {
  readonly served: ServedHost
  readonly #house: LoadedDoors["house"]
  readonly #adoption: SessionAdoption
  readonly #door: WsDoor
  readonly #upgrades: Upgrades
  readonly #houseUpgrades: Upgrades
  readonly #options: NetworkDoorOptions
  readonly #meters = new Meters(Date.now)
  #metrics: Promise<Metrics> | undefined

  static async open(options: NetworkDoorOptions): Promise<NetworkDoor> {
    const [house, ws] = await Promise.all([doors.house.load(), doors.ws.load()])
    return new NetworkDoor({ house, ws }, options)
  }

  private constructor({ house, ws }: LoadedDoors, options: NetworkDoorOptions) {
    const { home, config, served, place, log, access } = options
    this.served = served
    this.#options = options
    this.#house = house
    const warn = (message: string) => log.write({ event: "warning", message })
    this.#meters.attend(served.host)
    if (access.allowances.turns !== undefined) followTurns(served.host, access.allowances.turns)
    this.#adoption = new SessionAdoption(served.host, { now: Date.now, warn })
    this.#adoption.start()
    const budget = new FrameBudget(MAX_UNFINISHED_BYTES)
    const { frameBytes: maxFrameBytes } = access.limits
    const { firstFrameBytes } = ws.limits
    this.#upgrades = openUpgrades({ maxFrameBytes, firstFrameBytes, budget })
    this.#houseUpgrades = openUpgrades({ maxFrameBytes: house.limits.lineBytes, budget })
    const { agents = {} } = config
    const key = homeKey(home)
    const agentName = (agentId: string) => (Object.hasOwn(agents, agentId) ? agents[agentId]?.name : undefined)
    this.#door = ws.open({
      port: served.port,
      place,
      agentName: (agentId) => agentName(agentId) ?? DEFAULT_AGENT_NAME,
      callerDigest: (account) => createHmac("sha256", key).update(`caller\0${account}`).digest("base64url"),
      isAgent: (agentId) => isAgent(access.embedding, agentId),
      mayChooseModel: (agentId, model) => visitorMayChoose({ agents, models: served.models }, agentId, model),
      newId,
      newUuid: randomUUID,
      now: Date.now,
      warn,
      admit: (request) => admission(access.embedding, request, Date.now()),
      allowances: access.allowances,
      limits: { messageCharacters: access.limits.messageCharacters },
      record: (record) => {
        if (record.action !== "ping" || record.outcome !== "ok") log.write({ event: "action", ...record })
      },
    })
  }

  /** A visitor, who is disconnected when the token expires. */
  accept({ request, socket, head }: Upgrade, caller: Caller, expiresAt: number | undefined): void {
    this.#upgrades.accept(request, socket, head, (connected) => {
      const connection = `con_${newId()}`
      const { principal } = caller
      this.#meters.connections += 1
      this.#options.log.write({ event: "connected", connection, principal })
      const cancelExpiry = atTime(expiresAt, Date.now, () => connected.close(1008, "the token has expired"))
      void connected.closed
        .then(cancelExpiry)
        .then(() => this.#options.log.write({ event: "closed", connection, principal }))
      return this.#door.connect(connection, connected, caller)
    })
  }

  /** A client of the native API, which authenticates in its first frame, or is a browser with the key of its cookie. */
  acceptNative({ request, socket, head }: Upgrade, cookieKey: string | undefined): void {
    const { host, role, port } = this.served
    const { hostId } = host.lease
    this.#houseUpgrades.accept(request, socket, head, (connected) => {
      const connection = `con_${newId()}`
      void connected.closed.then(() => this.#options.log.write({ event: "closed", connection }))
      const liftLimit = limitFirstFrame(socket)
      const admit = async (key: string | undefined) => {
        const pass = await this.#passFor(key ?? cookieKey, connection)
        if (pass !== undefined) liftLimit()
        return pass
      }
      const options = {
        port,
        by: { principal: "nobody", door: "house" },
        host: hostId,
        role,
        release: this.#options.release,
        admit,
      }
      return linesOn(connected, (lines) => this.#house.open(lines, options))
    })
  }

  async #passFor(key: string | undefined, connection: string): Promise<Pass | undefined> {
    const { access, keys, log } = this.#options
    const principalWith = (token: string) => access.principalWith(token)
    const deps = { port: this.served.port, keys, principalWith, now: Date.now }
    const pass = await nativeAccess(deps, key).catch((fault: unknown) => {
      const reason = fault instanceof StoreFault ? fault.cause : fault
      log.write({ event: "warning", message: `a key could not be checked: ${String(reason)}` })
      throw fault
    })
    const outcome = pass === undefined ? "key.bad" : "ok"
    log.write({ event: "connected", connection, principal: pass?.principal, path: "/house", outcome })
    return pass
  }

  /** Whether the log can be written: renewing the lease writes to it. */
  async canWrite(): Promise<boolean> {
    const { log, lease } = this.served.host
    const renewed = await log.renew(lease)
    return renewed.kind === "ok" && renewed.value
  }

  async metrics(): Promise<Metrics> {
    this.#metrics ??= import("./monitoring/metrics.ts").then(({ openMetrics }) => openMetrics(this.#sources()))
    return this.#metrics
  }

  /** Waits up to `graceMs` for running turns. Turns that wait for a person are left to the next host. */
  async leave(graceMs: number): Promise<void> {
    const { host } = this.served
    this.#door.drain()
    await this.#adoption.stop()
    await waitForTurns(host, graceMs)
    await Promise.all([this.#upgrades, this.#houseUpgrades].map((upgrades) => upgrades.closeAll(1000, "bye")))
    await host.leave(LEAVE_MS)
    this.#door.close()
    await this.served.close()
  }

  /** The host has lost its lease: nothing can be written, and its sessions are over here. */
  async drop(): Promise<void> {
    await Promise.all([this.#upgrades, this.#houseUpgrades].map((upgrades) => upgrades.closeAll(1013, "fenced")))
    this.#door.close()
    await this.#adoption.stop()
    await this.served.close()
  }

  #sources() {
    const { host } = this.served
    return {
      meters: this.#meters,
      connections: () => this.#upgrades.size,
      watched: () => this.#door.watched,
      sessions: () => host.size,
      framesOut: () => this.#door.framesOut,
      approvals: async () =>
        (await host.sessions()).reduce((count, { state }) => count + openApprovals(state).length, 0),
    }
  }
}

const MAX_TIMEOUT_MS = 2 ** 31 - 1

/** Returns a function that cancels it. Without a time `act` is never called. */
function atTime(time: number | undefined, now: () => number, act: () => void): () => void {
  if (time === undefined) return () => {}
  let timer: NodeJS.Timeout
  const wait = () => {
    const left = time - now()
    timer = setTimeout(() => (left <= MAX_TIMEOUT_MS ? act() : wait()), Math.min(left, MAX_TIMEOUT_MS))
    timer.unref()
  }
  wait()
  return () => clearTimeout(timer)
}
