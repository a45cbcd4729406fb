// Locks that agents take so that they do not disturb each other. Nothing of them is stored in a session's log.
import { z } from "zod"
import { live, refusal } from "../../contract/define.ts"
import { LockType } from "../../contract/values.ts"

/** An agent of this home took a lock, released it, or lost it because its process is gone. */
const LockChanged = live("lock.changed", {
  change: z.enum(["acquired", "released", "stale"]),
  lock: LockType,
  scope: z.string(),
  holder: z.string(),
  description: z.string(),
  /** Set by the holder; a new status is published like a new lock. */
  status: z.string(),
  heldMs: z.int().min(0),
})

export const locksContract = {
  events: [],
  commands: [],
  refusals: [refusal("locks.unavailable", { what: z.string() })],
  deltas: [LockChanged],
} as const
