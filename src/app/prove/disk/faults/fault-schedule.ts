// When the disk of a running host fails, and what follows: it works again after a moment, or everything is killed.
import { setTimeout as sleep } from "node:timers/promises"
import type { Rig } from "./rig.ts"

export interface ScheduleOptions {
  readonly rig: Rig
  /** Everything is killed while the disk fails. */
  readonly isLasting: boolean
  readonly below: (below: number) => number
  /** The disk has failed, and works again. */
  readonly onFault: () => void
}

/** Events between two failures, at most. */
const MAX_EVENTS = 40
const MAX_FAULTS = 4
const MIN_FAULT_MS = 100
const MAX_FAULT_MS = 1200
const MAX_SOON_MS = 100
const LOOK_MS = 5

export class FaultSchedule {
  /** Resolves when everything is to be killed. */
  readonly kill: Promise<void>
  /** The disk fails now. */
  isFailing = false
  isKilled = false
  readonly #options: ScheduleOptions
  readonly #kill = Promise.withResolvers<void>()
  #countdown: number
  #faults = 0
  #isClosed = false

  constructor(options: ScheduleOptions) {
    this.#options = options
    this.kill = this.#kill.promise
    this.#countdown = 1 + options.below(MAX_EVENTS)
    if (options.rig.isByItself && options.isLasting) void this.#watchCalls()
  }

  /** Called after each event that a client was shown. */
  onEvent(): void {
    this.#countdown -= 1
    if (this.#countdown > 0 || this.isFailing || this.#options.rig.isByItself || this.#faults >= MAX_FAULTS) return
    void this.#fail()
  }

  close(): void {
    this.#isClosed = true
  }

  async #fail(): Promise<void> {
    const { rig, isLasting, below, onFault } = this.#options
    this.#faults += 1
    this.isFailing = true
    rig.begin()
    await sleep(MIN_FAULT_MS + below(MAX_FAULT_MS))
    if (this.#isClosed) return
    if (isLasting) return this.#strike()
    rig.end()
    this.isFailing = false
    this.#countdown = 1 + below(MAX_EVENTS)
    onFault()
  }

  async #watchCalls(): Promise<void> {
    const { rig, below } = this.#options
    while (!this.#isClosed && rig.failedCalls() === 0) await sleep(LOOK_MS)
    await sleep(rig.killsSoon ? below(MAX_SOON_MS) : MIN_FAULT_MS + below(MAX_FAULT_MS))
    this.#strike()
  }

  #strike(): void {
    this.isKilled = true
    this.#kill.resolve()
  }
}
