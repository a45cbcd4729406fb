// The hosts and the log writer of one simulated home: starts them, strikes them with the faults of the plan, and starts
// successors. Beside the disk it keeps what is stored, with which everything is compared.
import { limits } from "../../../contract/limits.ts"
import type { NewSession } from "../../../host/open-sessions.ts"
import type { Report } from "../violation.ts"
import { SimulatedProcess, type Scheduler } from "./scheduler.ts"
import type { Fault, RandomPoint, SessionPlan } from "./session-plan.ts"
import { SimulatedFaults, type FaultActions } from "./simulated-faults.ts"
import { SimulatedHost, type HostWorld } from "./simulated-host.ts"
import { simulatedModels } from "./simulated-models.ts"
import { simulatedTools, type ToolEffect } from "./simulated-tools.ts"
import { SimulatedWriter, type SimulatedDisk } from "./simulated-writer.ts"
import { StoredSessions } from "./stored-sessions.ts"
import type { Trace } from "./trace.ts"

export interface StruckFault {
  readonly point: Fault["point"]
  /** At which it struck, or the newest stored one. */
  readonly event: string
}

export interface HomeOptions {
  readonly scheduler: Scheduler
  readonly disk: SimulatedDisk
  readonly plan: SessionPlan
  readonly session: NewSession & { readonly sessionId: string }
  readonly trace: Trace
  readonly report: Report
}

/** What a host that was suspended needs to learn that its sessions have other owners. */
const AFTER_THAW_MS = 100
/** The clock of a host is set forward or back by up to this. */
const JUMP_MS = 20_000

/** Of what belongs to no simulated process. */
export const outside = new SimulatedProcess("outside")

export class SimulatedHome {
  readonly stored: StoredSessions
  readonly faults: SimulatedFaults
  readonly struck: StruckFault[] = []
  readonly effects: ToolEffect[] = []
  /** A suspended host must have gone on before the session is over. */
  unsettledUntil = 0
  readonly #options: HomeOptions
  readonly #scheduler: Scheduler
  readonly #writer: SimulatedWriter
  readonly #world: HostWorld
  readonly #hosts: SimulatedHost[] = []

  constructor(options: HomeOptions) {
    const { scheduler, disk, plan, report } = options
    this.#options = options
    this.#scheduler = scheduler
    this.stored = new StoredSessions(report)
    this.faults = new SimulatedFaults(plan.faults, this.#faultActions(), scheduler.below)
    this.#writer = new SimulatedWriter(scheduler, disk, {
      beforeCommit: (request, host) => this.faults.beforeCommit(request, host),
      afterCommit: (request, answer, host) => {
        const lines = "lines" in request ? request.lines.join() : ""
        options.trace.add(host.name, `${request.kind} ${lines} ${answer.kind}`)
        this.stored.take(request, answer)
        this.faults.afterCommit(request, answer, host)
      },
    })
    this.#world = this.#hostWorld()
    for (let host = 0; host < plan.hosts; host++) this.#startHost()
  }

  /** The owner of the session if it runs, else any. */
  findHost(sessionId: string): SimulatedHost | undefined {
    const running = this.#running
    const ownerEpoch = this.stored.find(sessionId)?.ownerEpoch
    const owner = running.find((host) => host.epoch !== undefined && host.epoch === ownerEpoch)
    return owner ?? running[this.#scheduler.below(Math.max(1, running.length))]
  }

  get #running(): readonly SimulatedHost[] {
    return this.#hosts.filter((host) => host.isRunning)
  }

  get #session() {
    return this.stored.find(this.#options.session.sessionId)
  }

  #hostWorld(): HostWorld {
    const { disk, plan, session, trace } = this.#options
    const scheduler = this.#scheduler
    const tools = simulatedTools({ scheduler, effects: this.effects, observer: this.faults })
    return {
      scheduler,
      disk,
      writer: this.#writer,
      models: simulatedModels(plan, () => scheduler.now),
      tools,
      session,
      isAlive: ({ pid }) => this.#hosts.some((host) => host.pid === pid && host.process.state !== "dead"),
      onExit: (host) => {
        trace.add(host.process.name, "exits")
        if (!this.#hosts.some(({ process }) => process.state !== "dead")) this.#startHost(scheduler.between(5, 200))
      },
      warn: (host, message) => trace.add(host.process.name, `warning: ${message}`),
    }
  }

  #startHost(afterMs = 0): void {
    const start = () => void this.#hosts.push(new SimulatedHost(this.#world, this.#hosts.length + 1))
    this.#scheduler.schedule(afterMs, start, outside)
  }

  #faultActions(): FaultActions {
    const scheduler = this.#scheduler
    return {
      crash: (host, what) => this.#crash(host, what),
      freeze: (host) => this.#freeze(host),
      random: (point) => this.#strikeAtRandom(point),
      after: (ms, run) => void scheduler.schedule(ms, run, outside),
      count: (point, event = this.#session?.events.at(-1)?.event.type ?? "none") => {
        this.struck.push({ point, event })
        this.#options.trace.add("FAULT", `${point} at ${event}`)
      },
    }
  }

  #crash(process: SimulatedProcess, what: "host" | "power"): void {
    const dead = what === "power" ? this.#hosts : this.#hosts.filter((host) => host.process === process)
    for (const host of dead) {
      if (host.process.state === "dead") continue
      host.crash()
      this.#startHost(this.#scheduler.between(5, 200))
    }
    if (what === "power") this.#writer.crash()
  }

  /** Another host runs meanwhile. */
  #freeze(process: SimulatedProcess): void {
    const frozenMs = limits.leaseMs + this.#scheduler.between(1000, 4000)
    this.unsettledUntil = this.#scheduler.now + frozenMs + AFTER_THAW_MS
    this.#scheduler.freeze(process)
    this.#scheduler.schedule(frozenMs, () => this.#scheduler.thaw(process), outside)
    if (this.#running.length === 0) this.#startHost(this.#scheduler.between(5, 200))
  }

  #strikeAtRandom(point: RandomPoint): void {
    const { below } = this.#scheduler
    const running = this.#running
    const host = running[below(Math.max(1, running.length))]
    if (point === "writer") return this.#writer.crash()
    if (point === "full") return this.#fillDisk()
    if (host === undefined) return
    if (point === "freeze") this.#freeze(host.process)
    else if (point === "clock") host.process.clockAheadMs += below(2 * JUMP_MS) - JUMP_MS
    else if (point === "leave") this.#leave(host)
    else this.#crash(host.process, point)
  }

  #leave(host: SimulatedHost): void {
    host.leave()
    this.#startHost(this.#scheduler.between(5, 50))
  }

  #fillDisk(): void {
    this.#writer.isFull = true
    this.#scheduler.schedule(this.#scheduler.between(20, 400), () => (this.#writer.isFull = false), outside)
  }
}
