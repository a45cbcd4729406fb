// A thread that simulates sessions, one seed after the other. Its clocks, timers and random numbers are simulated ones.
import { parentPort, type MessagePort } from "node:worker_threads"
import { messageOf } from "../../../contract/faults.ts"
import type { Violation } from "../violation.ts"
import { Scheduler } from "./scheduler.ts"
import type { StruckFault } from "./simulated-home.ts"
import type { SimulatedDisk } from "./simulated-writer.ts"
import { installVirtualRuntime } from "./virtual-runtime.ts"

export interface Seeds {
  readonly first: number
  readonly count: number
}

export interface Totals {
  sessions: number
  cuts: number
  answers: number
  handOvers: number
  fenced: number
  unknown: number
  events: number
  /** Of all traces, in any order. */
  hash: number
}

export interface FailedSession {
  readonly seed: number
  readonly violations: readonly Omit<Violation, "home">[]
  readonly trace: readonly string[]
}

export type ThreadAnswer =
  | {
      readonly kind: "done"
      readonly totals: Totals
      readonly struck: readonly StruckFault[]
      readonly failed: FailedSession | undefined
    }
  | { readonly kind: "fault"; readonly message: string }

export function noTotals(): Totals {
  return { sessions: 0, cuts: 0, answers: 0, handOvers: 0, fenced: 0, unknown: 0, events: 0, hash: 0 }
}

/** Adds to the first. */
export function addTotals(totals: Totals, more: Totals): void {
  totals.sessions += more.sessions
  totals.cuts += more.cuts
  totals.answers += more.answers
  totals.handOvers += more.handOvers
  totals.fenced += more.fenced
  totals.unknown += more.unknown
  totals.events += more.events
  totals.hash = (totals.hash + more.hash) >>> 0
}

/** The program is loaded after the clocks are replaced: parts of it keep them from when they are loaded. */
async function serve(port: MessagePort): Promise<void> {
  const scheduler = new Scheduler()
  installVirtualRuntime(scheduler)
  const { SimulatedDisk } = await import("./simulated-writer.ts")
  const disk = new SimulatedDisk()
  port.on("message", (seeds: Seeds) => {
    simulate(seeds, scheduler, disk).then(
      (answer) => port.postMessage(answer, []),
      (fault: unknown) => port.postMessage({ kind: "fault", message: messageOf(fault) }, []),
    )
  })
}

/** Ends with the first session that breaks a promise. */
async function simulate({ first, count }: Seeds, scheduler: Scheduler, disk: SimulatedDisk): Promise<ThreadAnswer> {
  const { simulatedEvents } = await import("./event-types.ts")
  const { simulateSession } = await import("./simulated-session.ts")
  const { shrink } = await import("./shrink.ts")
  const totals = noTotals()
  const struck: StruckFault[] = []
  for (let seed = first; seed < first + count; seed++) {
    const options = { scheduler, disk, seed, targets: simulatedEvents }
    const outcome = await simulateSession(options)
    addTotals(totals, { ...outcome, sessions: 1 })
    struck.push(...outcome.struck)
    if (outcome.violations.length === 0) continue
    const { violations, trace } = await shrink(options)
    return { kind: "done", totals, struck, failed: { seed, violations, trace } }
  }
  return { kind: "done", totals, struck, failed: undefined }
}

if (parentPort !== null) void serve(parentPort)
