// Damages copies of one real log, one after the other, and examines each.
import { join } from "node:path"
import { setImmediate } from "node:timers/promises"
import { messageOf } from "../../../app-fault.ts"
import { proofHome } from "../../proof-home.ts"
import type { ProofFolder } from "../../run-proof.ts"
import type { Report } from "../../violation.ts"
import type { DiskTally } from "../disk-tally.ts"
import { cutsOf, damageOf, type Damaged } from "./damage-plan.ts"
import { examine, type Seen } from "./examine.ts"
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
  const reportAt = (where: string): Report => {
    return (kind, event, what) => add({ kind, event, what: `${where}: ${what}`, home })
  }
  let checking: Promise<void> | undefined
  try {
    const specimen = await makeSpecimen(lane, seed, reportAt("no damage"))
    if (specimen === undefined) return
    tally.places = cutsOf(specimen).length
    let done = 0
    for (const damaged of damageOf(specimen, trials, below)) {
      if (signal.aborted) break
      const one = { ...lane, specimen, report: reportAt(damaged.where), home, damaged }
      const isNamed = (await examineOne(one)) === "named"
      if (done++ % COPIES_PER_PROGRAM === 0) {
        await checking
        checking = checkOne(one, isNamed)
      }
      await setImmediate() // hosts of the other lanes are waiting for their clients
    }
  } catch (fault) {
    if (!signal.aborted) reportAt("a damaged copy")("broken", "none", messageOf(fault))
  } finally {
    await checking
  }
}

interface One extends DamageLane {
  readonly specimen: Specimen
  readonly report: Report
  readonly home: string
  readonly damaged: Damaged
}

async function examineOne({ specimen, report, home, damaged, tally }: One): Promise<Seen> {
  const expected = await damaged.expected()
  damaged.apply(copied(specimen.folder, home))
  const seen = await examine(home, { sessions: specimen.sessions, expected, report })
  tally.countDamage(damaged.what, seen)
  if (damaged.isCut) tally.cuts += 1
  return seen
}

/** Beside the next copies; never rejects. */
async function checkOne(one: One, isNamed: boolean): Promise<void> {
  const { specimen, report, damaged, tally, signal } = one
  if (signal.aborted) return
  const number = tally.processes++
  const { sessionId = "" } = specimen.sessions[number % specimen.sessions.length] ?? {}
  const workspace = proofHome(one, `program-${number}`)
  try {
    await checkWithProgram({ workspace, specimen, damaged, isNamed, sessionId, report })
  } catch (fault) {
    if (!signal.aborted) report("broken", "none", messageOf(fault))
  } finally {
    await workspace.close(signal.aborted)
  }
}
