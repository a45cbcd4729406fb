// What ran when hosts were killed: behaviours by what had started them. Chooses what was tried least.
import { behaviours, type Behaviour } from "./behaviours.ts"

/** What starts the processes. */
export const starters = ["command", "shell", "server", "extension"] as const
export type Starter = (typeof starters)[number]

export const points = {
  ready: "all processes of the run are at work",
  stopping: "the turn was interrupted a moment ago",
  random: "at a random instant, also while the host starts",
} as const
export type Point = keyof typeof points

export interface OrphanRow {
  readonly behaviour: string
  readonly sandbox: boolean
  /** Runs by starter. */
  readonly counts: Readonly<Partial<Record<Starter, number>>>
  /** Runs of which a process was left after the limit, as documented. */
  readonly escaped: number
}

type Counts = Partial<Record<Starter, number>>

export class OrphanTally {
  runs = 0
  processes = 0
  sandboxed = 0
  /** Milliseconds until no process was left, of the slowest run. */
  slowestMs = 0
  readonly byPoint: Partial<Record<Point, number>> = {}
  readonly #rows = new Map<string, { counts: Counts; escaped: number }>()
  readonly #planned = new Map<string, number>()
  readonly #wanted: number
  readonly #onRun: (runs: number) => void
  #started = 0

  constructor(wanted: number, onRun: (runs: number) => void) {
    this.#wanted = wanted
    this.#onRun = onRun
  }

  /** The number of the next run; undefined if there are enough. */
  begin(): number | undefined {
    if (this.#started >= this.#wanted) return undefined
    this.#started += 1
    return this.#started - 1
  }

  /** One behaviour for each starter: one of those that were planned least there. */
  plan(sandbox: boolean, below: (below: number) => number): Readonly<Record<Starter, Behaviour>> {
    const next = (starter: Starter) => {
      const tried = (one: Behaviour) => this.#planned.get(cellOf(one, sandbox, starter)) ?? 0
      const least = Math.min(...behaviours.map(tried))
      const open = behaviours.filter((one) => tried(one) === least)
      const chosen = open[below(open.length)] ?? behaviours[0]
      if (chosen === undefined) throw new Error("there is no behaviour")
      this.#planned.set(cellOf(chosen, sandbox, starter), least + 1)
      return chosen
    }
    return { command: next("command"), shell: next("shell"), server: next("server"), extension: next("extension") }
  }

  /** `running`: the starters of which a process ran at the kill. */
  count(run: {
    readonly sandbox: boolean
    readonly point: Point
    readonly plan: Readonly<Record<Starter, Behaviour>>
    readonly running: ReadonlySet<Starter>
    readonly escaped: ReadonlySet<Starter>
    readonly processes: number
    readonly tookMs: number
  }): void {
    this.runs += 1
    this.processes += run.processes
    if (run.sandbox) this.sandboxed += 1
    this.byPoint[run.point] = (this.byPoint[run.point] ?? 0) + 1
    this.slowestMs = Math.max(this.slowestMs, run.tookMs)
    for (const starter of run.running) {
      const { name } = run.plan[starter]
      const row = this.#rowOf(name, run.sandbox)
      row.counts[starter] = (row.counts[starter] ?? 0) + 1
      if (run.escaped.has(starter)) row.escaped += 1
    }
    this.#onRun(this.runs)
  }

  get rows(): readonly OrphanRow[] {
    return [true, false].flatMap((sandbox) =>
      behaviours.flatMap(({ name }) => {
        const row = this.#rows.get(`${name} ${sandbox}`)
        return row === undefined ? [] : [{ behaviour: name, sandbox, ...row }]
      }),
    )
  }

  #rowOf(name: string, sandbox: boolean): { counts: Counts; escaped: number } {
    const key = `${name} ${sandbox}`
    const row = this.#rows.get(key) ?? { counts: {}, escaped: 0 }
    this.#rows.set(key, row)
    return row
  }
}

function cellOf({ name }: Behaviour, sandbox: boolean, starter: Starter): string {
  return `${name} ${sandbox} ${starter}`
}
