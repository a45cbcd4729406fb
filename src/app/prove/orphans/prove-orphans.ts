// `turnhouse prove orphans`: hosts are killed with kill -9 while their commands, MCP servers and extensions run processes
// that are hard to end. Ends with the first one that is left after five seconds.
import { bwrapProblem, findBwrap } from "../../../processes/bwrap-trial.ts"
import { AppFault, messageOf } from "../../app-fault.ts"
import { backgroundHost, server, stdioChild, type LaneKind } from "../crash/lane-kind.ts"
import { reportIn } from "../proof-home.ts"
import { runProof, type ProofFolder, type ProofOptions, type ProofResult } from "../run-proof.ts"
import { seeded } from "../seeded.ts"
import type { Report } from "../violation.ts"
import { createOrphanHome } from "./orphan-home.ts"
import { runOrphans } from "./orphan-run.ts"
import { OrphanTally, type Point } from "./orphan-tally.ts"

export interface OrphansResult
  extends ProofResult, Pick<OrphanTally, "runs" | "processes" | "sandboxed" | "slowestMs" | "byPoint" | "rows"> {
  /** Why no run had a sandbox; undefined if bubblewrap works here. */
  readonly noSandbox: string | undefined
}

const kinds: readonly LaneKind[] = [backgroundHost, stdioChild, server]
/** Runs at the same time. */
const AT_ONCE = 3
const MAX_STOPPING_MS = 300
const MAX_RANDOM_MS = 1200

export function proveOrphans({ count, seed, signal, onProgress }: ProofOptions): Promise<OrphansResult> {
  if (process.platform !== "linux") throw new AppFault("'prove orphans' needs Linux: elsewhere only groups are ended")
  return runProof({ seed, signal }, async (place) => {
    const tally = new OrphanTally(count, onProgress)
    const noSandbox = await bwrapProblem(findBwrap(), [])
    const below = seeded(seed)
    const lane = () => runLane({ ...place, tally, below, hasSandbox: noSandbox === undefined })
    await Promise.all(Array.from({ length: AT_ONCE }, lane))
    const { runs, rows, processes, sandboxed, slowestMs, byPoint } = tally
    return { runs, rows, processes, sandboxed, slowestMs, byPoint, noSandbox }
  })
}

interface Lane extends ProofFolder {
  readonly tally: OrphanTally
  readonly below: (below: number) => number
  readonly hasSandbox: boolean
}

async function runLane(lane: Lane): Promise<void> {
  for (;;) {
    const number = lane.signal.aborted ? undefined : lane.tally.begin()
    if (number === undefined) return
    await runOne(lane, number)
  }
}

/** Leaves no process behind. The folder stays if it shows a violation. */
async function runOne({ tally, below, hasSandbox, ...place }: Lane, number: number): Promise<void> {
  const sandbox = hasSandbox && number % 2 === 0
  const plan = tally.plan(sandbox, below)
  const point = pointOf(below(10))
  const waitMs = below(point === "random" ? MAX_RANDOM_MS : MAX_STOPPING_MS)
  const kind = kinds[below(kinds.length)] ?? backgroundHost
  const home = createOrphanHome(place, String(number), { kind, plan, sandbox })
  let hasFailed = false
  const add = reportIn(place, home.workspace)
  const report: Report = (...violation) => {
    hasFailed = true
    add(...violation)
  }
  const { signal } = place
  try {
    const result = await runOrphans({ home, kind, plan, sandbox, point, waitMs, report, signal })
    if (result !== undefined) tally.count({ ...result, plan, sandbox, point })
  } catch (fault) {
    if (!signal.aborted) report("broken", "none", messageOf(fault))
  } finally {
    await home.log.close()
    await home.workspace.close(hasFailed)
  }
}

function pointOf(tenth: number): Point {
  if (tenth < 5) return "ready"
  return tenth < 7 ? "stopping" : "random"
}
