// Runs a proof in a temporary folder, which is kept if the proof has failed.
import { mkdirSync, rmSync } from "node:fs"
import { join } from "node:path"
import { temporaryFolder } from "../demo/workspace.ts"
import type { Violation } from "./violation.ts"

export interface Stopping {
  /** Ends the proof; its reason is thrown when all processes have ended and the folder is removed. */
  readonly signal: AbortSignal
}

export interface ProofFolder {
  readonly root: string
  /** Compiled code, for `home/cache` of all homes. */
  readonly cache: string
  readonly add: (violation: Violation) => void
  /** Aborted when the proof is to end, or has failed. */
  readonly signal: AbortSignal
}

export interface ProofEnd {
  readonly seconds: number
  readonly violations: readonly Violation[]
  /** The folder, if the proof has failed. */
  readonly kept: string | undefined
}

/** `work` must leave no process behind. */
export async function inProofFolder(
  { signal }: Stopping,
  work: (folder: ProofFolder) => Promise<void>,
): Promise<ProofEnd> {
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
  const remove = () => rmSync(root, { recursive: true, force: true, maxRetries: 20, retryDelay: 50 })
  try {
    await work({ root, cache, add, signal: AbortSignal.any([signal, failed.signal]) })
  } catch (fault) {
    remove()
    throw fault
  }
  if (violations.length === 0) remove()
  signal.throwIfAborted()
  const seconds = (performance.now() - startedAt) / 1000
  return { seconds, violations, kept: violations.length === 0 ? undefined : root }
}
