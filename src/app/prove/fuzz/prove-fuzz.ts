// `turnhouse prove fuzz`: feeds doors and decoders with mutated inputs, guided by what code they reach.
import { availableParallelism } from "node:os"
import { runProof, type ProofFolder, type ProofOptions, type ProofResult } from "../run-proof.ts"
import { runTarget, type TargetResult } from "./target-run.ts"
import { targets, type TargetEntry } from "./targets.ts"

export interface FuzzRow extends TargetResult {
  readonly target: string
  readonly title: string
}

export interface FuzzResult extends ProofResult {
  readonly frames: number
  readonly rows: readonly FuzzRow[]
}

const MAX_PARALLEL = 2

export function proveFuzz({ count, seed, signal, onProgress, only }: ProofOptions): Promise<FuzzResult> {
  return runProof({ seed, signal }, async (folder) => {
    const chosen = targets.filter(({ name }) => only === undefined || name === only)
    const done = new Map<string, number>()
    const frames = () => [...done.values()].reduce((sum, one) => sum + one, 0)
    const progress = (name: string, fed: number) => {
      done.set(name, fed)
      if (!folder.signal.aborted) onProgress(frames())
    }
    const rows = await inParallel(withCounts(chosen, count), (entry, wanted) =>
      fuzz(folder, entry, wanted, seed, progress),
    )
    return { frames: frames(), rows }
  })
}

async function fuzz(
  folder: ProofFolder,
  entry: TargetEntry,
  frames: number,
  seed: number,
  progress: (name: string, fed: number) => void,
): Promise<FuzzRow | undefined> {
  const { name, title } = entry
  if (folder.signal.aborted) return undefined
  const onProgress = (fed: number) => progress(name, fed)
  return { target: name, title, ...(await runTarget({ entry, folder, frames, seed, onProgress })) }
}

/** Each gets its share; together at least the count. */
function withCounts(chosen: readonly TargetEntry[], count: number): readonly (readonly [TargetEntry, number])[] {
  const shares = chosen.reduce((sum, { share }) => sum + share, 0)
  return chosen.map((entry) => [entry, Math.ceil((count * entry.share) / shares)] as const)
}

/** In the order of the entries. */
async function inParallel(
  entries: readonly (readonly [TargetEntry, number])[],
  run: (entry: TargetEntry, frames: number) => Promise<FuzzRow | undefined>,
): Promise<readonly FuzzRow[]> {
  const rows: (FuzzRow | undefined)[] = []
  const waiting = [...entries.entries()]
  const work = async () => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      const [index, [entry, frames]] = next
      rows[index] = await run(entry, frames)
    }
  }
  await Promise.all(Array.from({ length: Math.min(MAX_PARALLEL, availableParallelism()) }, work))
  return rows.flatMap((row) => row ?? [])
}
