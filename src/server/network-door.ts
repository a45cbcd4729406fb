// The engine behind the network door: the house, its doors for other processes of this machine, and what visitors speak
// to. Loaded once the address is bound; whoever comes earlier waits a moment.
import { createHmac, randomUUID } from "node:crypto"
import type { SessionOptions } from "../contract/session-options.ts"
import type { Pass } from "../doors/house/connection.ts"
import { doors } from "../doors/table.ts"
import { linesOn } from "../transports/websocket-server-lines.ts"
import type { Upgrade } from "./http/http-server.ts"
import { wsLimits } from "../protocols/ws/limits.ts"
import type { Caller } from "../doors/ws/conversation-access.ts"
import { openWsDoor, type WsDoor } from "../doors/ws/door.ts"
import { SessionAdoption } from "../host/session-adoption.ts"
import { newId } from "../host/new-ids.ts"
import { isAgent } from "../identity/embedding.ts"
import type { Keyring } from "../identity/keyring.ts"
import { homeKey } from "../secrets/home-key.ts"
import { openApprovals } from "../session/state.ts"
import { FrameBudget } from "../transports/frame-budget.ts"
import { openUpgrades, type Upgrades } from "../transports/websocket.ts"
import { startHost, type RunningHost } from "../app/compose.ts"
import { openLocalDoors, type LocalDoors } from "../app/host/local-doors.ts"
import type { AppContext } from "../app/context.ts"
import { version } from "../app/version.ts"
import type { AccessLog } from "./monitoring/access-log.ts"
import { atTime } from "./at-time.ts"
import { admission } from "./access/admission.ts"
import type { AccessControl } from "./access/access-control.ts"
import { limitFirstFrame } from "./access/first-frame-timeout.ts"
import { nativeAccess } from "./access/native-access.ts"
import { Meters } from "./monitoring/meters.ts"
import type { Metrics } from "./monitoring/metrics.ts"
import { waitForTurns } from "./drain/wait-for-turns.ts"
import { visitorMayChoose } from "./visitor-models.ts"

export interface NetworkDoorOptions {
  readonly context: AppContext
  readonly place: Pick<SessionOptions, "cwd" | "configuration">
  readonly log: AccessLog
  readonly keeper: AccessControl
  readonly keys: Keyring
}

type HouseDoor = Awaited<ReturnType<typeof doors.house.load>>

/** Bytes of unfinished frames of all sockets: past it the newest socket is closed with 1013. */
const MAX_UNFINISHED_BYTES = 64 * 1024 * 1024
const usualName = "smooth-agent"
/** What must not be cut off, when no turn runs any more or the patience with them is over. */
const leaveMs = 5000

export class NetworkDoor {
  readonly running: RunningHost
  readonly #local: LocalDoors
  readonly #house: HouseDoor
  readonly #adoption: SessionAdoption
  readonly #door: WsDoor
  readonly #upgrades: Upgrades
  readonly #houseUpgrades: Upgrades
  readonly #log: AccessLog
  readonly #keeper: AccessControl
  readonly #keys: Keyring
  readonly #meters = new Meters(Date.now)
  #metrics: Promise<Metrics> | undefined

  static async open(options: NetworkDoorOptions): Promise<NetworkDoor> {
    const running = await startHost(options.context, { role: "serve", approvalWaitMs: "by preset", stays: true })
    const local = await openLocalDoors(options.context, running)
    return new NetworkDoor(running, local, await doors.house.load(), options)
  }

  private constructor(running: RunningHost, local: LocalDoors, house: HouseDoor, options: NetworkDoorOptions) {
    const { context, place, log, keeper, keys } = options
    this.running = running
    this.#local = local
    this.#house = house
    this.#log = log
    this.#keeper = keeper
    this.#keys = keys
    const warn = (message: string) => log.write({ event: "warning", message })
    this.#meters.attend(running.host)
    this.#adoption = new SessionAdoption(running.host, { now: Date.now, warn })
    this.#adoption.start()
    const budget = new FrameBudget(MAX_UNFINISHED_BYTES)
    const { frameBytes: maxFrameBytes } = keeper.limits
    const { firstFrameBytes } = wsLimits
    this.#upgrades = openUpgrades({ maxFrameBytes, firstFrameBytes, budget })
    this.#houseUpgrades = openUpgrades({ maxFrameBytes: house.limits.lineBytes, budget })
    const { agents = {} } = context.config
    const key = homeKey(context.home)
    const agentName = (agentId: string) => (Object.hasOwn(agents, agentId) ? agents[agentId]?.name : undefined)
    this.#door = openWsDoor({
      port: running.port,
      place,
      agentName: (agentId) => agentName(agentId) ?? usualName,
      callerDigest: (account) => createHmac("sha256", key).update(`caller\0${account}`).digest("base64url"),
      isAgent: (agentId) => isAgent(keeper.embedding, agentId),
      mayChooseModel: (agentId, model) => visitorMayChoose({ agents, models: running.models }, agentId, model),
      newId,
      newUuid: randomUUID,
      now: Date.now,
      warn,
      admit: (request) => admission(keeper.embedding, request, Date.now()),
      allowances: keeper.allowances,
      limits: { messageCharacters: keeper.limits.messageCharacters },
      record: (record) => {
        if (record.action !== "ping" || record.outcome !== "ok") log.write({ event: "action", ...record })
      },
    })
  }

  /** A visitor, who is let go when nobody vouches for them any more. */
  accept({ request, socket, head }: Upgrade, caller: Caller, expiresAt: number | undefined): void {
    this.#upgrades.accept(request, socket, head, (connected) => {
      const connection = `con_${newId()}`
      const { principal } = caller
      this.#meters.connections += 1
      this.#log.write({ event: "connected", connection, principal })
      const stay = atTime(expiresAt, Date.now, () => connected.close(1008, "the token has expired"))
      void connected.closed.then(stay).then(() => this.#log.write({ event: "closed", connection, principal }))
      return this.#door.connect(connection, connected, caller)
    })
  }

  /** Somebody with a key, which they show in their first words. */
  acceptHouse({ request, socket, head }: Upgrade): void {
    const { host, role, port } = this.running
    const { hostId } = host.lease
    this.#houseUpgrades.accept(request, socket, head, (connected) => {
      const connection = `con_${newId()}`
      void connected.closed.then(() => this.#log.write({ event: "closed", connection }))
      const unbound = limitFirstFrame(socket)
      const admit = async (key: string | undefined) => {
        const pass = await this.#passFor(key, connection)
        if (pass !== undefined) unbound()
        return pass
      }
      const options = {
        port,
        by: { principal: "nobody", door: "house" },
        host: hostId,
        role,
        release: version(),
        admit,
      }
      return linesOn(connected, (lines) => this.#house.open(lines, options))
    })
  }

  async #passFor(key: string | undefined, connection: string): Promise<Pass | undefined> {
    const principalWith = (token: string) => this.#keeper.principalWith(token)
    const pass = await nativeAccess({ port: this.running.port, keys: this.#keys, principalWith, now: Date.now }, key)
    const outcome = pass === undefined ? "key.bad" : "ok"
    this.#log.write({ event: "connected", connection, principal: pass?.principal, path: "/house", outcome })
    return pass
  }

  /** Whether what is said can be stored: the lease is renewed by writing. */
  async canWrite(): Promise<boolean> {
    const { log, lease } = this.running.host
    const renewed = await log.renew(lease)
    return renewed.kind === "ok" && renewed.value
  }

  async metrics(): Promise<Metrics> {
    this.#metrics ??= import("./monitoring/metrics.ts").then(({ openMetrics }) => openMetrics(this.#measured()))
    return this.#metrics
  }

  /** Turns come to their end as long as there is patience; what waits for a person is left to the next host. */
  async leave(graceMs: number): Promise<void> {
    const { host } = this.running
    this.#door.drain()
    await this.#adoption.stop()
    await waitForTurns(host, graceMs)
    await Promise.all([this.#upgrades, this.#houseUpgrades].map((upgrades) => upgrades.closeAll(1000, "bye")))
    await host.leave(leaveMs)
    this.#door.close()
    await this.#local.close()
    await this.running.close()
  }

  #measured() {
    const { host } = this.running
    return {
      meters: this.#meters,
      connections: () => this.#upgrades.size,
      followed: () => this.#door.watched,
      sessions: () => host.size,
      framesOut: () => this.#door.framesOut,
      approvals: async () =>
        (await host.sessions()).reduce((count, { state }) => count + openApprovals(state).length, 0),
    }
  }
}
