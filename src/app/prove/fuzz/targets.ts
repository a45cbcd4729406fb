// The targets of `turnhouse prove fuzz`. Their code is loaded when they run.
import type { OpenTarget } from "./fuzz-target.ts"

export interface TargetEntry {
  readonly name: string
  /** What is fed, in a few words, for the help. */
  readonly title: string
  /** Frames that it gets of 1000 when all targets run; slow targets get fewer. */
  readonly share: number
  readonly load: () => Promise<{ readonly openTarget: OpenTarget }>
}

export const targets: readonly TargetEntry[] = []
