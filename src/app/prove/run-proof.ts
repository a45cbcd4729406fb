// Runs a proof in a temporary folder, which is kept if the proof has failed.
import { mkdirSync } from "node:fs"
import { join } from "node:path"
import { removeFolder, temporaryFolder } from "../demo/workspace.ts"
import type { ProofServers } from "./cluster/proof-database.ts"
import type { Violation } from "./violation.ts"

export interface ProofOptions {
  /** How many of its unit the proof does. */
  readonly count: number
  readonly seed: number
  /** Ends the proof; its reason is thrown when all processes have ended and the folder is removed. */
  readonly signal: AbortSignal
  /** A part of the proof, where it has some; default: all. */
  readonly only?: string | undefined
  /** The hosts are nodes of a cluster on these servers. Only for proofs that can run there. */
  readonly servers?: ProofServers | undefined
  /** Called with the number that is done. */
  readonly onProgress: (done: number) => void
}

export interface ProofFolder {
  readonly root: string
  /** Compiled code, for `home/cache` of all homes. */
  readonly cache: string
  readonly add: (violation: Violation) => void
  /** Aborted when the proof is to end, or has failed. */
  readonly signal: AbortSignal
}

export interface ProofResult {
  readonly seed: number
  readonly seconds: number
  readonly violations: readonly Violation[]
  /** The folder, if the proof has failed. */
  readonly kept: string | undefined
}

/** `work` returns what it has counted. It must leave no process behind. */
export async function runProof<Counted extends object>(
  { seed, signal }: Pick<ProofOptions, "seed" | "signal">,
  work: (folder: ProofFolder) => Promise<Counted>,
): Promise<Counted & ProofResult> {
  const startedAt = performance.now()
  const root = temporaryFolder("turnhouse-prove-")
  const cache = join(root, "cache")
  const violations: Violation[] = []
  const failed = new AbortController()
  const add = (violation: Violation) => {
    violations.push(violation)
    failed.abort()
  }
  mkdirSync(cache)
  let counted: Counted
  try {
    counted = await work({ root, cache, add, signal: AbortSignal.any([signal, failed.signal]) })
  } catch (fault) {
    removeFolder(root)
    throw fault
  }
  if (violations.length === 0) removeFolder(root)
  signal.throwIfAborted()
  const seconds = (performance.now() - startedAt) / 1000
  return { ...counted, seed, seconds, violations, kept: violations.length === 0 ? undefined : root }
}
