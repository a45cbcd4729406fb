// `turnhouse prove crash`: real hosts in temporary homes, killed while clients of every protocol use them. Ends with the
// first broken promise.
import { mkdirSync, rmSync } from "node:fs"
import { join } from "node:path"
import { messageOf } from "../../app-fault.ts"
import { temporaryFolder } from "../../demo/workspace.ts"
import { seeded } from "../seeded.ts"
import type { Report, Violation } from "../violation.ts"
import { KillPlanner } from "./kill-plan.ts"
import { createLaneHome } from "./lane-home.ts"
import { backgroundHost, server, stdioChild, type LaneHome, type LaneKind } from "./lane-kind.ts"
import { Lane } from "./lane.ts"
import { Tally, type Point, type TallyRow } from "./tally.ts"

export interface CrashOptions {
  readonly kills: number
  readonly seed: number
  readonly onProgress: (progress: CrashProgress) => void
  /** Ends the proof; its reason is thrown when all processes have ended and the homes are removed. */
  readonly signal: AbortSignal
}

export interface CrashProgress {
  readonly kills: number
  readonly violations: number
}

export interface CrashResult extends Pick<Tally, "kills" | "frozen" | "sessions" | "unknown" | "wanted"> {
  readonly seed: number
  readonly seconds: number
  readonly rows: readonly TallyRow[]
  readonly violations: readonly Violation[]
  /** The folder of the homes, if the proof has failed. */
  readonly kept: string | undefined
}

interface LanePlan {
  readonly kind: LaneKind
  readonly only?: Point
}

interface RunningLane {
  readonly lane: Lane
  readonly home: LaneHome
  readonly report: Report
}

/** The homes that are used at the same time. The last one waits most of the time, for leases to expire. */
const plans: readonly LanePlan[] = [
  { kind: backgroundHost },
  { kind: stdioChild },
  { kind: server },
  { kind: backgroundHost, only: "frozen" },
]

/** A lease takes seconds to expire: with fewer kills no host is suspended. */
const KILLS_FOR_FREEZES = 50

export async function proveCrash({ kills, seed, onProgress, signal }: CrashOptions): Promise<CrashResult> {
  const startedAt = performance.now()
  const root = temporaryFolder("turnhouse-prove-")
  const violations: Violation[] = []
  const failed = new AbortController()
  const tally: Tally = new Tally(kills, () => onProgress({ kills: tally.kills, violations: violations.length }))
  const add = (violation: Violation) => {
    violations.push(violation)
    failed.abort()
  }
  const stop = AbortSignal.any([signal, failed.signal])
  mkdirSync(join(root, "cache"))
  const used = plans.filter(({ only }) => only !== "frozen" || kills >= KILLS_FOR_FREEZES)
  const lanes = used.map((plan, number) => openLane(plan, { root, number, seed, tally, add, signal: stop }))
  await Promise.all(lanes.map(runLane))
  const kept = violations.length === 0 ? undefined : root
  if (kept === undefined) rmSync(root, { recursive: true, force: true, maxRetries: 20, retryDelay: 50 })
  signal.throwIfAborted()
  const { frozen, sessions, unknown, rows, wanted } = tally
  const seconds = (performance.now() - startedAt) / 1000
  return { kills: tally.kills, frozen, sessions, unknown, wanted, rows, seed, seconds, violations, kept }
}

interface Shared {
  readonly root: string
  readonly number: number
  readonly seed: number
  readonly tally: Tally
  readonly add: (violation: Violation) => void
  readonly signal: AbortSignal
}

function openLane({ kind, only }: LanePlan, { root, number, seed, tally, add, signal }: Shared): RunningLane {
  const home = createLaneHome(join(root, String(number)), kind, join(root, "cache"))
  const below = seeded(seed * plans.length + number)
  const report: Report = (type, event, what) => add({ kind: type, event, what, home: home.workspace.home })
  const planner = new KillPlanner(below, only)
  return { home, report, lane: new Lane({ home, kind, tally, report, signal, below, planner }) }
}

/** Leaves no process behind; the folder stays. */
async function runLane({ lane, home, report }: RunningLane): Promise<void> {
  try {
    await lane.run()
  } catch (fault) {
    report("broken", "none", messageOf(fault))
  } finally {
    await lane.close()
    await home.workspace.close(true)
  }
}
