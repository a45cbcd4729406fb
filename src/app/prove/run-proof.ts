// What every proof does around its work: a temporary folder for its homes, the end at the first violation, and the folder
// kept only then.
import { mkdirSync, rmSync } from "node:fs"
import { join } from "node:path"
import { temporaryFolder } from "../demo/workspace.ts"
import type { Violation } from "./violation.ts"

export interface ProofOptions {
  readonly seed: number
  /** Ends the proof; its reason is thrown when all processes have ended and the homes are removed. */
  readonly signal: AbortSignal
}

export interface ProofPlace {
  /** Of the homes. It has a folder `cache` for compiled code, which they share. */
  readonly root: string
  readonly add: (violation: Violation) => void
  /** Aborted also by the first violation. */
  readonly signal: AbortSignal
}

export interface ProofResult {
  readonly seed: number
  readonly seconds: number
  readonly violations: readonly Violation[]
  /** The folder of the homes, if the proof has failed. */
  readonly kept: string | undefined
}

/** `work` leaves no process behind. */
export async function runProof<Counts extends object>(
  { seed, signal }: ProofOptions,
  work: (place: ProofPlace) => Promise<Counts>,
): Promise<Counts & ProofResult> {
  const startedAt = performance.now()
  const root = temporaryFolder("turnhouse-prove-")
  const violations: Violation[] = []
  const failed = new AbortController()
  const add = (violation: Violation) => {
    violations.push(violation)
    failed.abort()
  }
  mkdirSync(join(root, "cache"))
  const counts = await work({ root, add, signal: AbortSignal.any([signal, failed.signal]) })
  const kept = violations.length === 0 ? undefined : root
  if (kept === undefined) rmSync(root, { recursive: true, force: true, maxRetries: 20, retryDelay: 50 })
  signal.throwIfAborted()
  return { ...counts, seed, seconds: (performance.now() - startedAt) / 1000, violations, kept }
}
