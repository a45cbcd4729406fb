// `turnhouse prove crash`: real hosts in temporary homes, killed while clients of every protocol use them. Ends with the
// first broken promise.
import { messageOf } from "../../app-fault.ts"
import { killedInTurn, openClusterLane } from "../cluster/cluster-lane.ts"
import type { ProofServers } from "../cluster/proof-database.ts"
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
  readonly only?: readonly Point[]
}

interface RunningLane {
  readonly lane: Lane
  readonly report: Report
  /** Leaves no process behind; the folders stay. */
  readonly close: () => Promise<void>
}

/** The homes that are used at the same time. The last one waits most of the time, for leases to expire. */
const plans: readonly LanePlan[] = [
  { kind: backgroundHost },
  { kind: stdioChild },
  { kind: server },
  { kind: backgroundHost, only: ["frozen"] },
]

/** A lease takes seconds to expire: with fewer kills no host is suspended. */
const KILLS_FOR_FREEZES = 50

/** Clusters that are used at the same time, each with two nodes. */
const CLUSTERS = 2
/** There is no log file whose growth could be watched, and a suspended node rejoins instead of exiting. */
const clusterPoints: readonly Point[] = ["shown", "effect", "random", "handover"]

export function proveCrash({ count, seed, signal, servers, onProgress }: ProofOptions): Promise<CrashResult> {
  return runProof({ seed, signal }, async (place) => {
    const tally = new Tally(count, onProgress)
    const cells = new TriedCells()
    const shared = { ...place, seed, tally, cells }
    const used = plans.filter(({ only }) => only === undefined || count >= KILLS_FOR_FREEZES)
    const lanes =
      servers === undefined
        ? used.map((plan, number) => openLane(plan, { ...shared, number }))
        : await openClusters(servers, shared, signal)
    await Promise.all(lanes.map(runLane))
    const { kills, frozen, sessions, unknown, rows } = tally
    return { kills, frozen, sessions, unknown, rows }
  })
}

interface Shared extends ProofFolder {
  /** Of the lane. */
  readonly number: number
  readonly seed: number
  readonly tally: Tally
  readonly cells: TriedCells
}

function openLane(plan: LanePlan, shared: Shared): RunningLane {
  const home = createLaneHome(shared, String(shared.number), plan.kind)
  return laneIn(home, plan, shared, () => home.workspace.close(true))
}

/** The database of a lane is kept only with its homes. */
async function openClusters(
  servers: ProofServers,
  shared: Omit<Shared, "number">,
  interrupted: AbortSignal,
): Promise<readonly RunningLane[]> {
  const lanes: RunningLane[] = []
  const hasFailed = () => shared.signal.aborted && !interrupted.aborted
  try {
    for (let number = 0; number < CLUSTERS; number += 1) {
      const { kind, home, close } = await openClusterLane(shared, String(number), servers, killedInTurn)
      lanes.push(laneIn(home, { kind, only: clusterPoints }, { ...shared, number }, () => close(hasFailed())))
    }
    return lanes
  } catch (fault) {
    await Promise.all(lanes.map(({ close }) => close()))
    throw fault
  }
}

function laneIn(
  home: LaneHome,
  { kind, only }: LanePlan,
  { number, seed, tally, cells, ...place }: Shared,
  close: () => Promise<void>,
): RunningLane {
  const below = seeded(seed * plans.length + number)
  const report = reportIn(place, home.workspace)
  const planner = new KillPlanner(below, cells, only)
  return { report, close, lane: new Lane({ home, kind, tally, report, signal: place.signal, below, planner }) }
}

async function runLane({ lane, close, report }: RunningLane): Promise<void> {
  try {
    await lane.run()
  } catch (fault) {
    report("broken", "none", messageOf(fault))
  } finally {
    await lane.close()
    await close()
  }
}
