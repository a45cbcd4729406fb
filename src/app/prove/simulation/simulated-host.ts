// One simulated host: the product's own session host, adoption, port and native API, on services that are simulated.
import { HouseConnection } from "../../../doors/house/connection.ts"
import { denyGate, noPaths, noRules, policyGate } from "../../../features/approvals/effects/policy.ts"
import { Ledger } from "../../../features/budget/effects/ledger.ts"
import { LocalPort } from "../../../host/local-port.ts"
import type { NewSession } from "../../../host/open-sessions.ts"
import { noFiles } from "../../../host/queries/session-files.ts"
import { SessionAdoption } from "../../../host/session-adoption.ts"
import { openSessionHost, type HostServices, type SessionHost } from "../../../host/session-host.ts"
import { ok, refused, type HostIdentity } from "../../../log/event-log.ts"
import { SqliteLog } from "../../../log/sqlite/sqlite-log.ts"
import type { ModelSource } from "../../../models/model-source.ts"
import { modeGate } from "../../../runner/tools/gates.ts"
import type { Tool } from "../../../tools/tool.ts"
import { SimulatedProcess, type Scheduler } from "./scheduler.ts"
import { fallbackModel } from "./simulated-models.ts"
import { confirmedTool } from "./simulated-tools.ts"
import type { SimulatedWire } from "./simulated-wire.ts"
import type { SimulatedDisk, SimulatedWriter } from "./simulated-writer.ts"

export interface HostWorld {
  readonly scheduler: Scheduler
  readonly disk: SimulatedDisk
  readonly writer: SimulatedWriter
  readonly models: ModelSource
  readonly tools: readonly Tool[]
  /** Settings of the sessions that clients create. */
  readonly session: NewSession
  /** Whether the process of a host runs: what the system tells other hosts. */
  readonly isAlive: (host: HostIdentity) => boolean
  readonly warn: (host: SimulatedHost, message: string) => void
  /** It has ended by itself. */
  readonly onExit: (host: SimulatedHost) => void
}

/** How long a host that leaves waits for work that must not be cut off. */
const LEAVE_MS = 500

const rules = { ...noRules, confirm: [confirmedTool] }

export class SimulatedHost {
  readonly pid: number
  readonly process: SimulatedProcess
  readonly log: SqliteLog
  readonly #world: HostWorld
  readonly #wires = new Set<SimulatedWire>()
  #host: SessionHost | undefined
  #adoption: SessionAdoption | undefined
  #port: LocalPort | undefined

  constructor(world: HostWorld, pid: number) {
    const { scheduler, disk, writer, isAlive } = world
    this.#world = world
    this.pid = pid
    this.process = new SimulatedProcess(`host ${pid}`)
    const options = { path: ":memory:", now: () => this.#now(), isAlive }
    this.log = new SqliteLog(options, () => disk.connection, writer.portOf(this.process))
    scheduler.schedule(0, () => void this.#start(), this.process)
  }

  /** Of its lease. */
  get epoch(): number | undefined {
    return this.#host?.lease.epoch
  }

  get isRunning(): boolean {
    return this.process.state === "running" && this.#port !== undefined
  }

  /** A client connects. */
  accept(wire: SimulatedWire, principal: string): void {
    const port = this.#port
    if (port === undefined) return wire.cut()
    this.#wires.add(wire)
    const by = { principal, door: "simulation" }
    const options = { port, by, host: `host-${this.pid}`, role: "host", release: "simulated" }
    const connection = new HouseConnection(wire, { ...options, limits: { outboxBytes: 4000 } })
    wire.serve((text) => connection.receive({ kind: "line", text }))
    void wire.closed.then(() => this.#wires.delete(wire))
  }

  /** Dies at once: nothing is released, stored or sent. */
  crash(): void {
    this.#world.scheduler.kill(this.process)
    for (const wire of this.#wires) wire.hostDied()
    this.#wires.clear()
  }

  /** Hands its sessions over and exits. */
  leave(): void {
    this.#world.scheduler.schedule(0, () => void this.#leave(), this.process)
  }

  async #start(): Promise<void> {
    const identity = { hostId: `host-${this.pid}`, role: "host", pid: this.pid, startTime: "1", bootId: "1" }
    const opened = await openSessionHost(this.log, identity, this.#services())
    if (opened.kind === "refused") return this.#exit() // the next one tries again
    const { host } = opened
    this.#host = host
    const warn = (message: string) => this.#world.warn(this, message)
    this.#adoption = new SessionAdoption(host, { now: () => this.#now(), warn })
    this.#adoption.start()
    this.#port = new LocalPort(host, {
      role: "host",
      release: "simulated",
      startedAt: this.#now(),
      opensClosed: true,
      models: async () => [],
      settings: async () => [],
      home: noIndexes,
      files: noFiles,
      configureSession: async () => ok({ session: this.#world.session }),
    })
    await host.lost
    this.#exit() // as the program does: its sessions have other owners
  }

  async #leave(): Promise<void> {
    const host = this.#host
    if (host === undefined) return this.#exit()
    await this.log.changeRole(host.lease, "host, leaving")
    await this.#adoption?.stop()
    await host.leave(LEAVE_MS)
    await this.log.releaseHost(host.lease)
    this.#exit()
  }

  #exit(): void {
    this.crash()
    this.#world.onExit(this)
  }

  #services(): HostServices {
    const { models, tools, warn } = this.#world
    let ids = 0
    return {
      now: () => this.#now(),
      newId: () => `${this.pid}x${(ids += 1)}`,
      models,
      fallback: [fallbackModel],
      tools,
      gates: [modeGate, denyGate(rules, noPaths), policyGate(rules, noPaths)],
      ledger: new Ledger(),
      scrubber: {
        text: (text) => text,
        json: (value) => value,
        stream: () => ({ push: (piece) => piece, end: () => "" }),
      },
      digestKey: new Uint8Array(32),
      leaveSession: async () => {},
      toolEnv: {},
      approvalWaitMs: undefined,
      sweep: async (found) => found.map(() => "It was gone."),
      warn: (message) => warn(this, message),
      adopts: true,
    }
  }

  #now(): number {
    return Math.floor(this.#world.scheduler.now + this.process.clockAheadMs)
  }
}

const noIndex = async () => refused({ code: "log.unavailable", what: "a simulated host has no index" })
const noIndexes = {
  "search-sessions": noIndex,
  "usage-history": noIndex,
  documents: noIndex,
  document: noIndex,
  "search-documents": noIndex,
}
