// `turnhouse prove locks`: histories of lock operations and of the ownership of sessions, which must be linearizable, and
// tools that must not act under a number that is not valid any more. Ends with the first broken promise.
import { messageOf } from "../../app-fault.ts"
import { proofHome, reportIn } from "../proof-home.ts"
import { runProof, type ProofFolder, type ProofOptions, type ProofResult } from "../run-proof.ts"
import { seeded } from "../seeded.ts"
import type { Report } from "../violation.ts"
import { LocksTally } from "./locks-tally.ts"
import { simulateLeases } from "./simulation/simulate-leases.ts"
import { LockSimulation } from "./simulation/simulate-locks.ts"

export type LocksResult = ProofResult & Pick<LocksTally, "histories" | "rows">

/** Of ten simulated histories: those of session leases; the others are of locks. */
const LEASES_OF_TEN = 4

export function proveLocks({ count, seed, signal, onProgress }: ProofOptions): Promise<LocksResult> {
  return runProof({ seed, signal }, async (place) => {
    const tally = new LocksTally(onProgress)
    await simulate({ ...place, tally, seed, count })
    const { histories, rows } = tally
    return { histories, rows }
  })
}

interface Lane extends ProofFolder {
  readonly tally: LocksTally
  readonly seed: number
  readonly count: number
}

/** One history after the other; each depends only on the seed and its number. */
async function simulate({ tally, seed, count, ...place }: Lane): Promise<void> {
  const workspace = proofHome(place, "simulated")
  const locks = new LockSimulation(workspace.home)
  const add = reportIn(place, workspace)
  try {
    for (let number = 1; number <= count && !place.signal.aborted; number++) {
      const report: Report = (kind, event, what) => add(kind, event, `history ${number}: ${what}`)
      const below = historySeed(seed, number)
      if (number % 10 < LEASES_OF_TEN) tally.count("leases, simulated", await simulateLeases(below, report))
      else tally.count("locks, simulated", await locks.playOne(below, report))
    }
  } catch (fault) {
    add("broken", "none", messageOf(fault))
  } finally {
    await locks.close()
    await workspace.close(true)
  }
}

function historySeed(seed: number, number: number): (below: number) => number {
  return seeded(Math.imul(seed, 1_000_003) + number)
}
