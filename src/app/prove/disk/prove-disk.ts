// `turnhouse prove disk`: real hosts whose disk fails or is full, and copies of a real log that are cut and flipped.
import { mkdirSync } from "node:fs"
import { join } from "node:path"
import { messageOf } from "../../app-fault.ts"
import { createLaneHome } from "../crash/lane-home.ts"
import { backgroundHost } from "../crash/lane-kind.ts"
import { reportIn } from "../proof-home.ts"
import { runProof, type ProofFolder, type ProofOptions, type ProofResult } from "../run-proof.ts"
import { seeded } from "../seeded.ts"
import type { Report } from "../violation.ts"
import { damageCopies } from "./damage/damage-lane.ts"
import { DiskTally } from "./disk-tally.ts"
import { FaultRun } from "./faults/fault-run.ts"
import { findFaultTools, type LeftOut, type UsableFault } from "./faults/fault-tools.ts"

type Counted = Pick<
  DiskTally,
  "trials" | "faults" | "conversations" | "refused" | "cutOff" | "copies" | "places" | "cuts" | "processes" | "rows"
>

export interface DiskResult extends ProofResult, Counted {
  readonly leftOut: readonly LeftOut[]
}

/** Of the trials, one in so many is a fault of a running host, but at least some. */
const TRIALS_PER_FAULT = 200
const MIN_FAULTS = 2
const LANES = 4

export function proveDisk({ count, seed, signal, onProgress }: ProofOptions): Promise<DiskResult> {
  return runProof({ seed, signal }, async (place) => {
    const tally = new DiskTally(onProgress)
    const tools = join(place.root, "tools")
    mkdirSync(tools)
    const { usable, leftOut } = await findFaultTools(tools)
    const wanted = usable.length === 0 ? 0 : Math.max(MIN_FAULTS, Math.round(count / TRIALS_PER_FAULT))
    let runs = 0
    const next = () => (tally.faults < wanted ? runs++ : undefined) // a conversation may have several, or none
    const lane = () => runLane({ ...place, usable, seed, tally, next })
    const below = seeded(seed)
    const damage = damageCopies({ ...place, trials: Math.max(0, count - wanted), seed, below, tally })
    await Promise.all([damage, ...Array.from({ length: Math.min(LANES, wanted) }, lane)])
    const { trials, faults, conversations, refused, cutOff, copies, places, cuts, processes, rows } = tally
    return { trials, faults, conversations, refused, cutOff, copies, places, cuts, processes, rows, leftOut }
  })
}

interface Lane extends ProofFolder {
  readonly usable: readonly UsableFault[]
  readonly seed: number
  readonly tally: DiskTally
  /** The number of the next conversation; undefined if there were enough. */
  readonly next: () => number | undefined
}

async function runLane(lane: Lane): Promise<void> {
  for (;;) {
    const number = lane.signal.aborted ? undefined : lane.next()
    const fault = number === undefined ? undefined : lane.usable[(lane.seed + number) % lane.usable.length]
    if (number === undefined || fault === undefined) return
    await runFault(lane, fault, number)
  }
}

/** Leaves no process behind. The folder stays if it shows a violation. */
async function runFault({ tally, seed, ...place }: Lane, { kind, open }: UsableFault, number: number): Promise<void> {
  const below = seeded(seed * 1000 + number)
  const home = createLaneHome(place, `fault-${number}`, backgroundHost)
  const isLasting = below(2) === 0
  let hasFailed = false
  const add = reportIn(place, home.workspace)
  const report: Report = (violation, event, what) => {
    hasFailed = true
    add(violation, event, `${what} (fault: ${kind}${isLasting ? ", until the kill" : ""})`)
  }
  const onFault = ({ isKilled }: { readonly isKilled: boolean }) => tally.countFault(kind, isKilled)
  try {
    const rig = await open({ home, below, isLasting })
    try {
      const options = { home, rig, isLasting, below, report, signal: place.signal, onFault }
      const { refused, cutOff } = await new FaultRun(options).run()
      tally.refused += refused
      tally.cutOff += cutOff
      tally.conversations += 1
    } finally {
      await rig.close()
    }
  } catch (fault) {
    if (!place.signal.aborted) report("broken", "none", messageOf(fault))
  } finally {
    await home.log.close()
    await home.workspace.close(hasFailed)
  }
}
