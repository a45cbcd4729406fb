// `turnhouse prove simulation`: sessions in simulated time, one seed each, on all processors. Ends with the first broken
// promise.
import { writeFileSync } from "node:fs"
import { availableParallelism } from "node:os"
import { join } from "node:path"
import { Worker } from "node:worker_threads"
import { moduleUrl } from "../../../program/program-files.ts"
import { Counts } from "../counts.ts"
import { runProof, type ProofFolder, type ProofOptions, type ProofResult } from "../run-proof.ts"
import type { Fault } from "./session-plan.ts"
import { addTotals, noTotals, type FailedSession, type ThreadAnswer, type Totals } from "./simulation-thread.ts"

export type Point = Fault["point"]

export interface SimulationResult extends ProofResult, Totals {
  readonly faults: Counts<Point>
  /** Processes that died. */
  readonly crashes: number
  /** The seed of the session that failed. */
  readonly failedSeed: number | undefined
  readonly threads: number
}

/** Sessions that a thread simulates before it reports. */
const CHUNK = 40
/** A thread is replaced after so many chunks: its memory grows with what it compiles and with handles that end with it. */
const CHUNKS_OF_A_THREAD = 12
const MAX_THREADS = 16

/** Points at which no process dies. */
const mild: ReadonlySet<Point> = new Set(["frozen", "freeze", "leave", "clock", "full"])

export function proveSimulation({ count, seed, signal, onProgress }: ProofOptions): Promise<SimulationResult> {
  return runProof({ seed, signal }, async (folder) => {
    const run = new SimulationRun({ count, seed, onProgress }, folder)
    const threads = Math.min(availableParallelism(), MAX_THREADS, Math.ceil(count / CHUNK))
    await Promise.all(Array.from({ length: threads }, () => run.runThreads()))
    const { totals, faults, crashes, failedSeed } = run
    return { ...totals, faults, crashes, failedSeed, threads }
  })
}

class SimulationRun {
  readonly totals = noTotals()
  readonly faults = new Counts<Point>()
  crashes = 0
  failedSeed: number | undefined
  readonly #options: Pick<ProofOptions, "count" | "seed" | "onProgress">
  readonly #folder: ProofFolder
  #planned = 0

  constructor(options: Pick<ProofOptions, "count" | "seed" | "onProgress">, folder: ProofFolder) {
    this.#options = options
    this.#folder = folder
  }

  /** One after another, until all sessions are simulated, one has failed or the proof is ended. */
  async runThreads(): Promise<void> {
    while (this.#isWanted) await this.#runThread()
  }

  async #runThread(): Promise<void> {
    const worker = new Worker(moduleUrl("app/prove/simulation/simulation-thread"), { execArgv: [] })
    const stop = () => void worker.terminate()
    this.#folder.signal.addEventListener("abort", stop, { once: true })
    const ended = Promise.withResolvers<undefined>()
    worker.once("exit", () => ended.resolve(undefined))
    worker.once("error", (fault) => ended.reject(fault))
    try {
      for (let chunk = 0; chunk < CHUNKS_OF_A_THREAD && this.#isWanted; chunk++) {
        const answer = await Promise.race([answerTo(worker, this.#next()), ended.promise])
        if (answer === undefined) return
        this.#take(answer)
      }
    } finally {
      this.#folder.signal.removeEventListener("abort", stop)
      await worker.terminate()
    }
  }

  get #isWanted(): boolean {
    return !this.#folder.signal.aborted && this.#planned < this.#options.count
  }

  #next(): { readonly first: number; readonly count: number } {
    const { count, seed } = this.#options
    const first = seed + this.#planned
    const size = Math.min(CHUNK, count - this.#planned)
    this.#planned += size
    return { first, count: size }
  }

  #take(answer: ThreadAnswer): void {
    if (answer.kind === "fault") throw new Error(answer.message)
    addTotals(this.totals, answer.totals)
    for (const { point, event } of answer.struck) {
      this.faults.add([event], point)
      if (!mild.has(point)) this.crashes += 1
    }
    if (answer.failed !== undefined) this.#fail(answer.failed)
    this.#options.onProgress(this.totals.sessions)
  }

  #fail({ seed, violations, trace }: FailedSession): void {
    this.failedSeed ??= seed
    const home = join(this.#folder.root, `session-${seed}.txt`)
    writeFileSync(home, `${trace.join("\n")}\n`, { mode: 0o600 })
    for (const violation of violations) this.#folder.add({ ...violation, home })
  }
}

function answerTo(worker: Worker, seeds: { readonly first: number; readonly count: number }): Promise<ThreadAnswer> {
  return new Promise((resolve) => {
    worker.once("message", (answer: ThreadAnswer) => resolve(answer))
    worker.postMessage(seeds, [])
  })
}
