// The time of a simulation: one queue of tasks, each of a simulated process. A task runs when its time has come and
// everything that earlier tasks have resolved has run. Tasks of a dead process never run, those of a frozen one wait.
import { AsyncLocalStorage } from "node:async_hooks"
import { seeded } from "../seeded.ts"

/** Kept before any clock is replaced. */
const nextTurn = globalThis.setImmediate

/** Tasks that run in one turn of the real event loop; promises are settled after each. */
const TASKS_PER_TURN = 64

const START = 1_700_000_000_000

export class SimulatedProcess {
  readonly name: string
  /** What its clock is ahead of the true time. */
  clockAheadMs = 0
  state: "running" | "frozen" | "dead" = "running"
  /** Tasks that came due while it was frozen. */
  readonly held: Task[] = []

  constructor(name: string) {
    this.name = name
  }
}

export class Task {
  at: number
  order: number
  readonly process: SimulatedProcess
  readonly run: () => void
  isCancelled = false

  constructor(at: number, order: number, process: SimulatedProcess, run: () => void) {
    this.at = at
    this.order = order
    this.process = process
    this.run = run
  }
}

export class Scheduler {
  /** Milliseconds, with fractions. */
  now = START
  /** Tasks that have run. */
  steps = 0
  below: (below: number) => number = seeded(0)
  #queue: Task[] = []
  #order = 0
  readonly #outside = new SimulatedProcess("outside")
  readonly #current = new AsyncLocalStorage<SimulatedProcess>()

  /** Forgets all tasks and starts again. */
  reset(seed: number): void {
    this.now = START
    this.steps = 0
    this.below = seeded(seed)
    this.#queue = []
    this.#order = 0
  }

  /** The process whose task is running, or has started what is running. */
  get process(): SimulatedProcess {
    return this.#current.getStore() ?? this.#outside
  }

  /** As the running process sees it. */
  get clock(): number {
    return this.now + this.process.clockAheadMs
  }

  schedule(delayMs: number, run: () => void, process = this.process): Task {
    this.#order += 1
    const task = new Task(this.now + Math.max(0, delayMs), this.#order, process, run)
    this.#push(task)
    return task
  }

  /** A time between 0 and the given one, in thousandths. */
  between(fromMs: number, toMs: number): number {
    return fromMs + this.below(Math.round((toMs - fromMs) * 1000) + 1) / 1000
  }

  kill(process: SimulatedProcess): void {
    process.state = "dead"
    process.held.length = 0
  }

  freeze(process: SimulatedProcess): void {
    if (process.state === "running") process.state = "frozen"
  }

  thaw(process: SimulatedProcess): void {
    if (process.state !== "frozen") return
    process.state = "running"
    for (const task of process.held.splice(0)) {
      task.at = this.now
      this.#order += 1
      task.order = this.#order
      this.#push(task)
    }
  }

  /** Runs tasks until this is true, or none is left. */
  run(isOver: () => boolean): Promise<void> {
    return new Promise((resolve, reject) => {
      let isDone = false
      const end = (settle: () => void) => {
        isDone = true
        settle()
      }
      const step = () => {
        if (isDone) return
        try {
          if (isOver() || !this.#runNext()) end(resolve)
        } catch (fault) {
          end(() => reject(fault))
        }
      }
      const turn = () => {
        for (let count = 0; count < TASKS_PER_TURN; count++) nextTurn(step)
        nextTurn(() => isDone || turn())
      }
      turn()
    })
  }

  /** False if no task is left. */
  #runNext(): boolean {
    const task = this.#pop()
    if (task === undefined) return false
    this.now = Math.max(this.now, task.at)
    if (task.isCancelled || task.process.state === "dead") return true
    if (task.process.state === "frozen") {
      task.process.held.push(task)
      return true
    }
    this.steps += 1
    this.#current.run(task.process, task.run)
    return true
  }

  #push(task: Task): void {
    const queue = this.#queue
    let at = queue.length
    while (at > 0) {
      const above = (at - 1) >> 1
      const parent = queue[above]
      if (parent === undefined || !isBefore(task, parent)) break
      queue[at] = parent
      at = above
    }
    queue[at] = task
  }

  #pop(): Task | undefined {
    const queue = this.#queue
    const first = queue[0]
    const last = queue.pop()
    if (last !== undefined && last !== first) this.#sink(last)
    return first
  }

  #sink(task: Task): void {
    const queue = this.#queue
    let at = 0
    for (;;) {
      const below = 2 * at + 1
      const [left, right] = [queue[below], queue[below + 1]]
      if (left === undefined) break
      const next = right !== undefined && isBefore(right, left) ? below + 1 : below
      const child = next === below ? left : right
      if (child === undefined || !isBefore(child, task)) break
      queue[at] = child
      at = next
    }
    queue[at] = task
  }
}

function isBefore(one: Task, other: Task): boolean {
  return one.at < other.at || (one.at === other.at && one.order < other.order)
}
