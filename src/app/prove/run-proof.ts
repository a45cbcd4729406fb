// Runs a proof that counts: its work returns the counts.
import { inProofFolder, type ProofEnd, type ProofFolder, type Stopping } from "./in-folder.ts"

export interface ProofOptions extends Stopping {
  readonly seed: number
}

export interface ProofResult extends ProofEnd {
  readonly seed: number
}

/** `work` leaves no process behind. */
export async function runProof<Counts extends object>(
  { seed, signal }: ProofOptions,
  work: (folder: ProofFolder) => Promise<Counts>,
): Promise<Counts & ProofResult> {
  const counted = Promise.withResolvers<Counts>()
  const end = await inProofFolder({ signal }, async (folder) => counted.resolve(await work(folder)))
  return { ...(await counted.promise), ...end, seed }
}
