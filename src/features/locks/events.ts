// Locks that agents take so that they do not disturb each other. Nothing of them is stored in a session's log.
import { z } from "zod"
import { live, refusal } from "../../contract/define.ts"
import { LockType } from "../../contract/values.ts"

/** Somebody in the home took a lock, gave it back, or lost it because they are gone. */
const LockChanged = live("lock.changed", {
  change: z.enum(["acquired", "released", "stale"]),
  lock: LockType,
  scope: z.string(),
  holder: z.string(),
  description: z.string(),
  /** In the holder's own words; a new one is told as if the lock were taken again. */
  status: z.string(),
  heldMs: z.int().min(0),
})

export const locksContract = {
  events: [],
  commands: [],
  refusals: [refusal("locks.unavailable", { what: z.string() })],
  deltas: [LockChanged],
} as const
