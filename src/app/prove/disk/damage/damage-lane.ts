// Damages copies of one real log, one after the other, and examines each.
import { join } from "node:path"
import { setImmediate } from "node:timers/promises"
import { messageOf } from "../../../app-fault.ts"
import { proofHome } from "../../proof-home.ts"
import type { ProofFolder } from "../../run-proof.ts"
import type { Report } from "../../violation.ts"
import type { DiskTally } from "../disk-tally.ts"
import { cutsOf, damageOf, type Damaged } from "./damage-plan.ts"
import { examine } from "./examine.ts"
import { checkWithProgram } from "./program-check.ts"
import { makeSpecimen } from "./make-specimen.ts"
import { copied, type Specimen } from "./specimen.ts"

/** One in so many copies is also examined by the real program. */
const COPIES_PER_PROGRAM = 100

export interface DamageLane extends ProofFolder {
  readonly trials: number
  readonly seed: number
  readonly below: (below: number) => number
  readonly tally: DiskTally
}

export async function damageCopies(lane: DamageLane): Promise<void> {
  const { root, add, trials, seed, below, tally, signal } = lane
  const home = join(root, "copy")
  let where = "no damage"
  const report: Report = (kind, event, what) => add({ kind, event, what: `${where}: ${what}`, home })
  try {
    const specimen = await makeSpecimen(lane, seed, report)
    if (specimen === undefined) return
    tally.places = cutsOf(specimen).length
    let done = 0
    for (const damaged of damageOf(specimen, trials, below)) {
      if (signal.aborted) return
      where = damaged.where
      const isForProgram = done++ % COPIES_PER_PROGRAM === 0
      await examineOne({ ...lane, specimen, report, home, damaged, isForProgram })
      await setImmediate() // hosts of the other lanes are waiting for their clients
    }
  } catch (fault) {
    if (!signal.aborted) report("broken", "none", messageOf(fault))
  }
}

interface One extends DamageLane {
  readonly specimen: Specimen
  readonly report: Report
  readonly home: string
  readonly damaged: Damaged
  readonly isForProgram: boolean
}

async function examineOne({
  specimen,
  report,
  home,
  damaged,
  isForProgram,
  below,
  tally,
  ...place
}: One): Promise<void> {
  const expected = await damaged.expected()
  damaged.apply(copied(specimen.folder, home))
  const seen = await examine(home, { sessions: specimen.sessions, expected, report })
  tally.countDamage(damaged.what, seen)
  if (damaged.isCut) tally.cuts += 1
  if (!isForProgram || place.signal.aborted) return
  const workspace = proofHome(place, `program-${tally.processes}`)
  tally.processes += 1
  try {
    await checkWithProgram({ workspace, specimen, damaged, isNamed: seen === "named", below, report })
  } finally {
    await workspace.close(place.signal.aborted)
  }
}
