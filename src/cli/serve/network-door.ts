// The engine behind the network door: the house, its doors for other processes of this machine, and what visitors speak
// to. Loaded once the address is bound; whoever comes earlier waits a moment.
import { randomUUID } from "node:crypto"
import type { IncomingMessage } from "node:http"
import type { Duplex } from "node:stream"
import type { SessionWish } from "../../contract/session-wish.ts"
import { wsLimits } from "../../doors/ws/limits.ts"
import { openWsDoor, type WsDoor } from "../../doors/ws/ws-door.ts"
import { Custodian } from "../../host/custodian.ts"
import { newId } from "../../host/new-ids.ts"
import { openApprovals } from "../../session/state.ts"
import { openUpgrades, type Upgrades } from "../../transports/websocket.ts"
import { startHouse, type RunningHouse } from "../compose.ts"
import { openLocalDoors, type LocalDoors } from "../local-doors.ts"
import type { Surroundings } from "../surroundings.ts"
import type { AccessLog } from "./access-log.ts"
import { Meters } from "./meters.ts"
import type { Metrics } from "./metrics.ts"
import { quiet } from "./quiet.ts"

export interface NetworkDoorOptions {
  readonly around: Surroundings
  readonly place: Pick<SessionWish, "cwd" | "configuration">
  readonly log: AccessLog
}

/** Everybody who comes in without a way to know who they are. */
const visitor = { principal: "visitor", org: "public", owner: "" }
const usualName = "smooth-agent"
/** What must not be cut off, when no turn runs any more or the patience with them is over. */
const leaveMs = 5000

export class NetworkDoor {
  readonly running: RunningHouse
  readonly #local: LocalDoors
  readonly #custodian: Custodian
  readonly #door: WsDoor
  readonly #upgrades: Upgrades
  readonly #log: AccessLog
  readonly #meters = new Meters(Date.now)
  #metrics: Promise<Metrics> | undefined

  static async open(options: NetworkDoorOptions): Promise<NetworkDoor> {
    const running = await startHouse(options.around, { role: "serve", approvalWaitMs: "by preset", stays: true })
    const local = await openLocalDoors(options.around, running)
    return new NetworkDoor(running, local, options)
  }

  private constructor(running: RunningHouse, local: LocalDoors, { around, place, log }: NetworkDoorOptions) {
    this.running = running
    this.#local = local
    this.#log = log
    const warn = (message: string) => log.write({ event: "warning", message })
    this.#meters.attend(running.house)
    this.#custodian = new Custodian(running.house, { now: Date.now, warn })
    this.#custodian.start()
    this.#upgrades = openUpgrades({ maxFrameBytes: wsLimits.frameBytes })
    const { agents = {} } = around.config
    const agentName = (agentId: string) => (Object.hasOwn(agents, agentId) ? agents[agentId]?.name : undefined)
    this.#door = openWsDoor({
      port: running.port,
      place,
      agentName: (agentId) => agentName(agentId) ?? usualName,
      newId,
      newUuid: randomUUID,
      now: Date.now,
      warn,
      note: (note) => {
        if (note.action !== "ping" || note.outcome !== "ok") log.write({ event: "action", ...note })
      },
    })
  }

  accept(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    this.#upgrades.accept(request, socket, head, (connected) => {
      const connection = `con_${newId()}`
      const { principal } = visitor
      this.#meters.connections += 1
      this.#log.write({ event: "connected", connection, principal })
      void connected.closed.then(() => this.#log.write({ event: "closed", connection, principal }))
      return this.#door.connect(connection, connected, visitor)
    })
  }

  /** Whether what is said can be stored: the lease is renewed by writing. */
  async canWrite(): Promise<boolean> {
    const { log, lease } = this.running.house
    const renewed = await log.renew(lease)
    return renewed.kind === "ok" && renewed.value
  }

  async metrics(): Promise<Metrics> {
    this.#metrics ??= import("./metrics.ts").then(({ openMetrics }) => openMetrics(this.#measured()))
    return this.#metrics
  }

  /** Turns come to their end as long as there is patience; what waits for a person is left to the next host. */
  async leave(graceMs: number): Promise<void> {
    const { house } = this.running
    this.#door.leave()
    await this.#custodian.stop()
    await quiet(house, graceMs)
    await this.#upgrades.closeAll(1000, "bye")
    await house.leave(leaveMs)
    this.#door.close()
    await this.#local.close()
    await this.running.close()
  }

  #measured() {
    const { house } = this.running
    return {
      meters: this.#meters,
      connections: () => this.#upgrades.size,
      followed: () => this.#door.followed,
      sessions: () => house.size,
      framesOut: () => this.#door.framesOut,
      approvals: async () =>
        (await house.sessions()).reduce((count, { state }) => count + openApprovals(state).length, 0),
    }
  }
}
