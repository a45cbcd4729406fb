// `turnhouse prove locks`: histories of lock operations and of the ownership of sessions, which must be linearizable, and
// tools that must not act under a number that is not valid any more. Ends with the first broken promise.
import { untilAborted } from "../../../runner/waiting.ts"
import { messageOf } from "../../app-fault.ts"
import { proofHome, reportIn } from "../proof-home.ts"
import { runProof, type ProofFolder, type ProofOptions, type ProofResult } from "../run-proof.ts"
import { seeded } from "../seeded.ts"
import type { Report } from "../violation.ts"
import { checkLocks } from "./check/check-locks.ts"
import { LocksTally } from "./locks-tally.ts"
import { LockPlay } from "./play/lock-play.ts"
import { ProcessStage } from "./processes/process-stage.ts"
import { simulateLeases } from "./simulation/simulate-leases.ts"
import { LockSimulation } from "./simulation/simulate-locks.ts"

export type LocksResult = ProofResult & Pick<LocksTally, "histories" | "rows">

/** Of ten simulated histories: those of session leases; the others are of locks. */
const LEASES_OF_TEN = 4
/** One history in so many is played by real processes. */
const REAL_EVERY = 50
/** Lock tables with real processes at the same time, which mostly wait. */
const REAL_TABLES = 4

export function proveLocks({ count, seed, signal, onProgress }: ProofOptions): Promise<LocksResult> {
  return runProof({ seed, signal }, async (place) => {
    const tally = new LocksTally(onProgress)
    const real = Math.ceil(count / REAL_EVERY)
    const numbers = Array.from({ length: real }, (_, index) => index + 1)
    const tables = Array.from({ length: Math.min(real, REAL_TABLES) }, (_, table) => table)
    const lane = { ...place, tally, seed }
    await Promise.all([
      simulate({ ...lane, count: count - real }),
      ...tables.map((table) => playReal({ ...lane, numbers }, table)),
    ])
    const { histories, rows } = tally
    return { histories, rows }
  })
}

interface Lane extends ProofFolder {
  readonly tally: LocksTally
  readonly seed: number
}

/** One history after the other; each depends only on the seed and its number. */
async function simulate({ tally, seed, count, ...place }: Lane & { readonly count: number }): Promise<void> {
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

/** `numbers`: of the histories that are left, which the tables share. */
async function playReal({ tally, seed, numbers, ...place }: Lane & { readonly numbers: number[] }, table: number) {
  const workspace = proofHome(place, `processes-${table}`)
  const report = reportIn(place, workspace)
  const stage = await ProcessStage.open(workspace)
  try {
    for (let next = numbers.shift(); next !== undefined && !place.signal.aborted; next = numbers.shift()) {
      const play = new LockPlay({ stage, below: historySeed(seed, -next), place: `/${next}` })
      const played = play.run()
      played.catch(() => {}) // it fails when its processes are ended
      await Promise.race([played, untilAborted(place.signal)])
      if (place.signal.aborted) return
      const { recorder } = play
      checkLocks({ recorder, hasCertainFiles: stage.hasCertainFiles, effects: await stage.effects() }, report)
      tally.count("locks, processes", play.facts)
    }
  } catch (fault) {
    if (!place.signal.aborted) report("broken", "none", messageOf(fault))
  } finally {
    await stage.close()
    await workspace.close(true)
  }
}

function historySeed(seed: number, number: number): (below: number) => number {
  return seeded(Math.imul(seed, 1_000_003) + number)
}
