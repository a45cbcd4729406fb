// Runs all proofs one after another within a time: first a short run of each, then rounds of longer ones, with the rates that
// were measured. Each round has its own seed. Ends with the first broken promise.
import type { Proof } from "./proofs.ts"
import type { Report } from "./report.ts"

export interface RunAllOptions {
  readonly proofs: readonly Proof[]
  readonly seconds: number
  readonly seed: number
  readonly signal: AbortSignal
  readonly onProgress: (at: Progress) => void
  /** Milliseconds. */
  readonly now?: () => number
}

export interface Progress {
  readonly proof: Proof
  readonly count: number
  readonly done: number
  readonly round: number
}

export interface ProofRun {
  readonly proof: Proof
  readonly seed: number
  /** How many of its unit it was to do. */
  readonly count: number
  readonly seconds: number
  readonly report: Report
}

/** Of the usual count, in the first round. */
const FIRST_SHARE = 1 / 50
/** Of the time that is left, in each later round. */
const ROUND_SHARE = 1 / 2
/** A short run says little about a long one. */
const MAX_GROWTH = 10
/** Of the whole time: what is left then is not used. */
const REST_SHARE = 1 / 10

export async function runAll(options: RunAllOptions): Promise<readonly ProofRun[]> {
  const { proofs, seconds, now = () => performance.now() } = options
  const endsAt = now() + seconds * 1000
  const left = () => (endsAt - now()) / 1000
  const runs: ProofRun[] = []
  const run = async (proof: Proof, count: number, round: number) => {
    runs.push(await runOnce(proof, { ...options, now, count, round }))
  }
  for (const proof of proofs) {
    await run(proof, Math.max(1, Math.ceil(proof.usualCount * FIRST_SHARE)), 1)
    if (hasFailed(runs)) return runs
  }
  for (let round = 2; left() > seconds * REST_SHARE; round += 1) {
    const before = runs.length
    const share = (left() * ROUND_SHARE) / proofs.length
    for (const proof of proofs) {
      const count = countFor(proof, runs, Math.min(share, left()))
      if (count > 0) await run(proof, count, round)
      if (hasFailed(runs)) return runs
    }
    if (runs.length === before) break
  }
  return runs
}

function hasFailed(runs: readonly ProofRun[]): boolean {
  return runs.at(-1)?.report.kept !== undefined
}

/** 0: its shortest run would take longer. */
function countFor(proof: Proof, runs: readonly ProofRun[], seconds: number): number {
  const own = runs.filter((run) => run.proof === proof)
  const last = own.at(-1)
  const shortest = Math.min(...own.map((run) => run.seconds))
  if (last === undefined || shortest > seconds) return 0
  const rate = last.count / Math.max(last.seconds, Number.EPSILON)
  return Math.max(1, Math.floor(Math.min(rate * seconds, last.count * MAX_GROWTH)))
}

interface OnceOptions extends RunAllOptions {
  readonly now: () => number
  readonly count: number
  readonly round: number
}

async function runOnce(proof: Proof, { seed, signal, onProgress, now, count, round }: OnceOptions): Promise<ProofRun> {
  const startedAt = now()
  const { prove } = await proof.load()
  const own = seed + round - 1
  const report = await prove({
    count,
    seed: own,
    signal,
    onProgress: (done) => onProgress({ proof, count, done, round }),
  })
  return { proof, seed: own, count, seconds: (now() - startedAt) / 1000, report }
}
