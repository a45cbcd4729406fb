// The faults of one session: watches every point at which a process can die, and strikes at those that the plan names.
import type { EventType } from "../../../contract/events.ts"
import type { WriteAnswer, WriteRequest } from "../../../log/sqlite/writes/write-request.ts"
import type { SimulatedProcess } from "./scheduler.ts"
import { frameOf } from "./frame-texts.ts"
import type { Fault, RandomPoint, RequestPoint } from "./session-plan.ts"
import type { ToolObserver } from "./simulated-tools.ts"
import type { WriterObserver } from "./simulated-writer.ts"
import { eventsIn } from "./stored-sessions.ts"

/** What a fault does. */
export interface FaultActions {
  /** One host, or with it everything that is not on the disk. */
  crash(host: SimulatedProcess, what: "host" | "power"): void
  /** For longer than its lease. */
  freeze(host: SimulatedProcess): void
  random(point: RandomPoint): void
  after(ms: number, run: () => void): void
  /** Counts it: the event is the newest one at that point. */
  count(point: Fault["point"], event?: string): void
}

const requestPoints: Partial<Record<WriteRequest["kind"], RequestPoint>> = {
  claim: "claim",
  release: "release",
  snapshot: "snapshot",
  checkpoint: "checkpoint",
  renew: "renew",
}

const MAX_COMPACTION_MS = 20

export class SimulatedFaults implements WriterObserver, ToolObserver {
  readonly #actions: FaultActions
  readonly #waiting: Set<Fault>
  readonly #seen = new Map<Fault, number>()
  readonly #below: (below: number) => number

  constructor(faults: readonly Fault[], actions: FaultActions, below: (below: number) => number) {
    this.#actions = actions
    this.#waiting = new Set(faults)
    this.#below = below
    for (const fault of faults) {
      if (!("afterMs" in fault)) continue
      const { point } = fault
      actions.after(fault.afterMs, () => this.#strike(fault, () => actions.random(point)))
    }
  }

  /** No fault happens any more. */
  stop(): void {
    this.#waiting.clear()
  }

  get areOver(): boolean {
    return this.#waiting.size === 0
  }

  beforeCommit(request: WriteRequest, host: SimulatedProcess): "continue" | "stop" {
    for (const fault of this.#waiting) {
      const isHit =
        (fault.point === "unwritten" && hasEvent(request, fault.event)) ||
        ("isStored" in fault && !fault.isStored && requestPoints[request.kind] === fault.point)
      if (!isHit || !this.#isDue(fault)) continue
      this.#strike(fault, () => this.#actions.crash(host, "power"))
      return "stop"
    }
    return "continue"
  }

  afterCommit(request: WriteRequest, answer: WriteAnswer, host: SimulatedProcess): void {
    if (answer.kind === "refused") return
    for (const fault of this.#waiting) this.#atStored(fault, request, host)
  }

  #atStored(fault: Fault, request: WriteRequest, host: SimulatedProcess): void {
    if ("event" in fault && fault.point !== "shown" && fault.point !== "unwritten") {
      if (!hasEvent(request, fault.event) || !this.#isDue(fault)) return
      const isFrozen = fault.point === "frozen"
      this.#strike(fault, () => (isFrozen ? this.#actions.freeze(host) : this.#actions.crash(host, this.#what())))
    }
    if ("isStored" in fault && fault.isStored && requestPoints[request.kind] === fault.point && this.#isDue(fault))
      this.#strike(fault, () => this.#actions.crash(host, this.#what()))
    if (fault.point === "compaction" && hasEvent(request, "compaction.started") && this.#isDue(fault))
      this.#actions.after(this.#below(MAX_COMPACTION_MS), () =>
        this.#strike(fault, () => this.#actions.crash(host, this.#what())),
      )
  }

  /** The host has handed a frame to the system; it has started nothing that the event allows. */
  onSent(host: SimulatedProcess, line: string | Uint8Array): void {
    for (const fault of this.#waiting) {
      if (fault.point !== "shown" || typeof line === "string") continue
      if (!isEvent(line, fault.event) || !this.#isDue(fault)) continue
      this.#strike(fault, () => this.#actions.crash(host, this.#what()))
    }
  }

  beforeEffect(host: SimulatedProcess): void {
    this.#atCall("intent", host)
  }

  afterEffect(host: SimulatedProcess): void {
    this.#atCall("effect", host)
  }

  #atCall(point: "intent" | "effect", host: SimulatedProcess): void {
    for (const fault of this.#waiting)
      if (fault.point === point && this.#isDue(fault))
        this.#strike(fault, () => this.#actions.crash(host, this.#what()))
  }

  #what(): "host" | "power" {
    return this.#below(2) === 0 ? "host" : "power"
  }

  #isDue(fault: Fault): boolean {
    const seen = this.#seen.get(fault) ?? 0
    this.#seen.set(fault, seen + 1)
    return "nth" in fault && seen === fault.nth
  }

  #strike(fault: Fault, strike: () => void): void {
    if (!this.#waiting.delete(fault)) return
    this.#actions.count(fault.point, "event" in fault ? fault.event : undefined)
    strike()
  }
}

function hasEvent(request: WriteRequest, type: EventType): boolean {
  return eventsIn(request).some(({ event }) => event.type === type)
}

function isEvent(line: Uint8Array, type: string): boolean {
  const frame = frameOf(line)
  if (frame.type !== "event") return false
  const { event } = frame
  return typeof event === "object" && event !== null && "type" in event && event["type"] === type
}
