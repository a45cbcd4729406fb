// What a process of `prove locks` and its parent tell each other, one line of JSON each, and the clock that they share.
import type { LockAnswer, LockCommand } from "../play/lock-commands.ts"

export type ProgramRequest =
  | { readonly type: "perform"; readonly id: number; readonly command: LockCommand }
  | { readonly type: "clock"; readonly offsetMs: number }

/** Times are those of the machine's monotonic clock, in milliseconds. */
export type ProgramReply =
  | { readonly type: "ready" }
  | { readonly type: "queued"; readonly id: number; readonly by: string; readonly at: number }
  | { readonly type: "answer"; readonly id: number; readonly answer: LockAnswer }
  /** It did not run, or could not write to the lock table. */
  | { readonly type: "stalled"; readonly from: number; readonly until: number }

export function machineMs(): number {
  return Number(process.hrtime.bigint() / 1000n) / 1000
}
