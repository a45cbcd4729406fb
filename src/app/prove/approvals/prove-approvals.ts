// `turnhouse prove approvals`: clients of every protocol answer the same requests at once while hosts are killed, and agents
// try to answer their own. Ends with the first broken promise.
import { messageOf } from "../../app-fault.ts"
import { DoorMemory } from "../crash/doors/door-client.ts"
import { createLaneHome } from "../crash/lane-home.ts"
import { backgroundHost, server, stdioChild, type LaneKind } from "../crash/lane-kind.ts"
import { reportIn } from "../proof-home.ts"
import { runProof, type ProofFolder, type ProofOptions, type ProofResult } from "../run-proof.ts"
import { seeded } from "../seeded.ts"
import { AnswerTally } from "./answer-tally.ts"
import { attackWays, type WayRow } from "./self-approval.ts"
import { runRaces } from "./race-lane.ts"

export interface ApprovalsResult
  extends ProofResult, Pick<AnswerTally, "answers" | "approvals" | "kills" | "raced" | "changed" | "rows"> {
  /** How agents tried to answer their own requests. */
  readonly ways: readonly WayRow[]
}

const kinds: readonly LaneKind[] = [backgroundHost, stdioChild, server]
const STEPS = 200
const CALLS_PER_STEP = 3

export function proveApprovals({ count, seed, signal, onProgress }: ProofOptions): Promise<ApprovalsResult> {
  return runProof({ seed, signal }, async (place) => {
    const tally = new AnswerTally(count, onProgress)
    const races = kinds.map((kind, number) => runLane(kind, number, { ...place, seed, tally }))
    const [ways] = await Promise.all([attackWays(place), ...races])
    const { answers, rows, approvals, kills, raced, changed } = tally
    return { answers, rows, approvals, kills, raced, changed, ways }
  })
}

interface Shared extends ProofFolder {
  readonly seed: number
  readonly tally: AnswerTally
}

/** Leaves no process behind; the folder stays. */
async function runLane(kind: LaneKind, number: number, { seed, tally, ...place }: Shared): Promise<void> {
  const home = createLaneHome(place, String(number), kind, steps)
  const report = reportIn(place, home.workspace)
  const { signal } = place
  const memory = () => new DoorMemory(kind.name, () => {}, true) // what the clients show is the business of other proofs
  const below = seeded(seed * kinds.length + number)
  try {
    await runRaces({ home, kind, below, tally, report, signal, memory })
  } catch (fault) {
    if (!signal.aborted) report("broken", "none", messageOf(fault))
  } finally {
    await home.log.close()
    await home.workspace.close(true)
  }
}

/** All calls differ: the same call again and again would be refused. */
const steps = Array.from({ length: STEPS }, (_, step) =>
  Array.from({ length: CALLS_PER_STEP }, (__, index) => ({
    call: { tool: "risky", input: { number: String(step * CALLS_PER_STEP + index) } },
  })),
)
