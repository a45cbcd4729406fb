// `turnhouse prove secrets`: secrets of every kind that Turnhouse knows, in every spelling that it recognises, come from every
// source into real hosts. None may be in anything that is stored, shown or sent.
import { messageOf } from "../../app-fault.ts"
import { backgroundHost, stdioChild } from "../crash/lane-kind.ts"
import { reportIn } from "../proof-home.ts"
import { runProof, type ProofFolder, type ProofOptions, type ProofResult } from "../run-proof.ts"
import { seeded } from "../seeded.ts"
import type { Report } from "../violation.ts"
import { Needles } from "./needles.ts"
import { Plantings, PlantTally } from "./plantings.ts"
import { createSecretHome, loudServer } from "./secret-home.ts"
import { SecretRun } from "./secret-run.ts"
import { Sinks, SinkTally, type SinkRow } from "./sinks.ts"

export interface SecretsResult extends ProofResult {
  readonly planted: number
  readonly runs: number
  readonly tally: PlantTally
  readonly sinks: readonly SinkRow[]
}

const kinds = [backgroundHost, stdioChild, loudServer]
/** Homes that are used at the same time. */
const AT_ONCE = 3
const TURNS = 4
/** By one run. */
const PLANTED_AT_LEAST = 25
/** Runs of one seed have seeds of their own. */
const MAX_RUNS = 100_000

interface Shared extends ProofFolder {
  readonly seed: number
  readonly tally: PlantTally
  readonly sinkTally: SinkTally
  readonly isEnough: () => boolean
}

export function proveSecrets({ count, seed, signal, onProgress }: ProofOptions): Promise<SecretsResult> {
  return runProof({ seed, signal }, async (place) => {
    const tally = new PlantTally(onProgress)
    const sinkTally = new SinkTally()
    const isEnough = () => tally.planted >= count
    let runs = 0
    const lane = async () => {
      while (!isEnough() && !place.signal.aborted) await runOnce({ ...place, seed, tally, sinkTally, isEnough }, runs++)
    }
    await Promise.all(Array.from({ length: Math.min(AT_ONCE, Math.ceil(count / PLANTED_AT_LEAST)) }, lane))
    return { planted: tally.planted, runs, tally, sinks: sinkTally.rows }
  })
}

/** Leaves no process behind. The folder stays if it shows a violation. */
async function runOnce({ seed, tally, sinkTally, isEnough, ...place }: Shared, number: number): Promise<void> {
  const below = seeded(seed * MAX_RUNS + number)
  const kind = kinds[number % kinds.length] ?? backgroundHost
  const home = await createSecretHome(place, String(number), kind, below)
  let hasFailed = false
  const add = reportIn(place, home.workspace)
  const report: Report = (...violation) => {
    if (hasFailed) return // one leak is in many sinks
    hasFailed = true
    add(...violation)
  }
  const plantings = new Plantings(tally, below)
  const needles = new Needles()
  const sinks = new Sinks(needles, plantings, sinkTally, report)
  const { signal } = place
  try {
    await new SecretRun({ home, kind, plantings, needles, sinks, below, turns: TURNS, isEnough, signal }).run()
    const [missing] = signal.aborted ? [] : plantings.missing
    if (missing !== undefined)
      report("broken", "none", `what was planted as ${missing.source} is nowhere: ${missing.mark}`)
  } catch (fault) {
    if (!signal.aborted) report("broken", "none", messageOf(fault))
  } finally {
    await home.models.close()
    await home.log.close()
    await home.workspace.close(hasFailed)
  }
}
