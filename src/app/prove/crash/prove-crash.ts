// `turnhouse prove crash`: real hosts in temporary homes, killed while clients of every protocol use them. Ends with the
// first broken promise.
import { messageOf } from "../../app-fault.ts"
import { reportIn } from "../proof-home.ts"
import { runProof, type ProofFolder, type ProofOptions, type ProofResult } from "../run-proof.ts"
import { seeded } from "../seeded.ts"
import type { Report } from "../violation.ts"
import { KillPlanner, TriedCells } from "./kill-plan.ts"
import { createLaneHome } from "./lane-home.ts"
import { backgroundHost, server, stdioChild, type LaneHome, type LaneKind } from "./lane-kind.ts"
import { Lane } from "./lane.ts"
import { Tally, type Point } from "./tally.ts"

export type CrashResult = ProofResult & Pick<Tally, "kills" | "frozen" | "sessions" | "unknown" | "rows">

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

export function proveCrash({ count, seed, signal, onProgress }: ProofOptions): Promise<CrashResult> {
  return runProof({ seed, signal }, async (place) => {
    const tally = new Tally(count, onProgress)
    const cells = new TriedCells()
    const used = plans.filter(({ only }) => only !== "frozen" || count >= KILLS_FOR_FREEZES)
    const lanes = used.map((plan, number) => openLane(plan, { ...place, number, seed, tally, cells }))
    await Promise.all(lanes.map(runLane))
    const { kills, frozen, sessions, unknown, rows } = tally
    return { kills, frozen, sessions, unknown, rows }
  })
}

interface Shared extends ProofFolder {
  readonly number: number
  readonly seed: number
  readonly tally: Tally
  readonly cells: TriedCells
}

function openLane({ kind, only }: LanePlan, { number, seed, tally, cells, ...place }: Shared): RunningLane {
  const home = createLaneHome(place, String(number), kind)
  const below = seeded(seed * plans.length + number)
  const report = reportIn(place, home.workspace)
  const planner = new KillPlanner(below, cells, only)
  return { home, report, lane: new Lane({ home, kind, tally, report, signal: place.signal, below, planner }) }
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
