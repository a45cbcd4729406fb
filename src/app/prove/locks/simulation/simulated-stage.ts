// Simulated processes: each has the real locks on one real lock table; their timers, clocks and deaths are simulated.
// A frozen process does nothing until it is continued, a dead one nothing ever.
import { existsSync } from "node:fs"
import { join } from "node:path"
import type { LockProcess } from "../../../../features/locks/lock-table.ts"
import { fenceFolder } from "../../../../features/locks/store/fence-folder.ts"
import type { LockTimers } from "../../../../features/locks/store/lock-timers.ts"
import { Locks, type Hold } from "../../../../features/locks/store/locks.ts"
import { sqliteLocks } from "../../../../features/locks/store/sqlite/sqlite-store.ts"
import { LockServant, type LockAnswer, type LockCommand } from "../play/lock-commands.ts"
import type { Stage, StagedProcess } from "../play/stage.ts"
import { SimulatedLife } from "./life.ts"
import { VirtualTime } from "./virtual-time.ts"

export interface SimulationOptions {
  /** The lock table. */
  readonly file: string
  readonly below: (below: number) => number
  /** A pid that no earlier process of this table had. */
  readonly newPid: () => number
}

/** Of a message between a client and its process. */
const MAX_MESSAGE_MS = 8
/** A busy machine wakes a process later than it wanted. */
const MAX_LATE_MS = 400
/** How long processes of a dead one may take to end. */
const MAX_END_MS = 1500

export class SimulatedStage implements Stage {
  readonly speed = 1
  readonly lateMs = MAX_LATE_MS + MAX_MESSAGE_MS
  readonly hasCertainFiles = true
  readonly time: VirtualTime
  readonly options: SimulationOptions
  readonly #dead = new Set<number>()
  readonly #effects = new Map<string, number[]>()
  readonly #processes: SimulatedProcess[] = []
  readonly #freed = new Map<string, number>()
  #clockOffset = 0

  constructor(options: SimulationOptions) {
    this.options = options
    this.time = new VirtualTime(options.below)
  }

  now(): number {
    return this.time.now
  }

  pause(ms: number): Promise<void> {
    return this.time.pause(ms)
  }

  async start(): Promise<SimulatedProcess> {
    const process = new SimulatedProcess(this, this.options.newPid())
    this.#processes.push(process)
    return process
  }

  async dismiss(process: StagedProcess): Promise<void> {
    await process.perform({ type: "close" })
    await process.kill()
  }

  setClock(offsetMs: number): void {
    this.#clockOffset = offsetMs
  }

  freedAt(process: string): number | undefined {
    return this.#freed.get(process)
  }

  free(process: string): void {
    if (!this.#freed.has(process)) this.#freed.set(process, this.now())
  }

  stallsOf() {
    return []
  }

  async effects(): Promise<ReadonlyMap<string, readonly number[]>> {
    return this.#effects
  }

  /** Closes the files of processes that died. */
  async close(): Promise<void> {
    for (const process of this.#processes) await process.close()
  }

  moment() {
    const ticks = Math.floor(this.time.now)
    return { now: 1_700_000_000_000 + ticks + this.#clockOffset, ticks }
  }

  die(pid: number): void {
    this.#dead.add(pid)
  }

  isAlive({ pid }: Pick<LockProcess, "pid">): boolean {
    return !this.#dead.has(pid)
  }

  /** A tool that looks at its numbers, as the git hook does, and adds them to what it has done. */
  act(hold: Hold): boolean {
    const { locks } = hold
    const tokens = hold.environment({})["TURNHOUSE_FENCE"]?.split(" ") ?? []
    const held = join(fenceFolder(this.options.file), "held")
    if (!tokens.every((token) => existsSync(join(held, token)))) return false
    for (const { id, fence } of locks) this.#effects.set(id, [...(this.#effects.get(id) ?? []), fence])
    return true
  }
}

class SimulatedProcess implements StagedProcess {
  readonly name: string
  readonly #stage: SimulatedStage
  readonly #pid: number
  readonly #locks: Locks
  readonly #servant: LockServant
  readonly #life: SimulatedLife

  constructor(stage: SimulatedStage, pid: number) {
    this.name = `process ${pid}`
    this.#stage = stage
    this.#pid = pid
    this.#life = new SimulatedLife(stage.time)
    this.#locks = this.#openLocks()
    this.#servant = new LockServant(this.#locks, async (hold) => stage.act(hold))
  }

  perform(
    command: LockCommand,
    onQueued: (by: string, at: number) => void = () => {},
  ): Promise<LockAnswer | undefined> {
    const answered = new Promise<LockAnswer>((resolve) => {
      const answer = (value: LockAnswer) => this.#life.schedule(this.#below(MAX_MESSAGE_MS), () => resolve(value))
      this.#life.schedule(
        this.#below(MAX_MESSAGE_MS),
        () => void this.#servant.perform(command, (by) => onQueued(by, this.#stage.now())).then(answer),
      )
    })
    return Promise.race([answered, this.#life.died])
  }

  freeze(): void {
    this.#life.freeze()
  }

  thaw(): void {
    this.#life.thaw()
  }

  async kill(): Promise<void> {
    this.#stage.die(this.#pid)
    this.#life.kill()
  }

  close(): Promise<void> {
    return this.#locks.close()
  }

  #openLocks(): Locks {
    const stage = this.#stage
    return new Locks({
      openStore: sqliteLocks({
        file: stage.options.file,
        moment: () => stage.moment(),
        mark: () => this.name,
      }),
      machine: {
        self: { pid: this.#pid, startTime: "", bootId: "boot" },
        hostname: "here",
        isAlive: (process) => stage.isAlive(process),
        isPidAlive: (pid) => stage.isAlive({ pid }),
      },
      timers: this.#timers(),
      end: ({ mark }) => this.#endProcesses(mark),
      warn: (sentence) => {
        throw new Error(sentence)
      },
    })
  }

  #timers(): LockTimers {
    return {
      now: () => this.#stage.now(),
      pause: (ms, signal) => this.#pause(ms, signal),
      every: (ms, act) => this.#every(ms, act),
    }
  }

  #pause(ms: number, signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const end = () => {
        signal.removeEventListener("abort", end)
        resolve()
      }
      signal.addEventListener("abort", end)
      this.#life.schedule(ms + this.#below(MAX_LATE_MS), end)
    })
  }

  #every(ms: number, act: () => void): () => void {
    let stop: (() => void) | undefined
    const next = () => {
      stop = this.#life.schedule(ms + this.#below(MAX_LATE_MS), () => {
        next()
        act()
      })
    }
    next()
    return () => stop?.()
  }

  /** Sometimes it does not succeed at once. */
  async #endProcesses(mark: string): Promise<boolean> {
    await this.#life.pause(this.#below(MAX_END_MS))
    if (this.#below(4) === 0) return false
    this.#stage.free(mark)
    return true
  }

  #below(below: number): number {
    return this.#stage.options.below(below)
  }
}
