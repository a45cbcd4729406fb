// Rewinding: hides the newest turns. Marks are named places to rewind to.
import { z } from "zod"
import { command, durable, refusal } from "../../contract/define.ts"
import { limits } from "../../contract/limits.ts"
import { By } from "../../contract/values.ts"

const ContextRewound = durable("context.rewound", 1, { toSeq: z.int(), by: By })
/** A name for the place before the next turn. */
const ContextMarked = durable("context.marked", 1, { name: z.string(), toSeq: z.int(), by: By })

/** Hides everything that came after the given event, or the newest turns. */
const Rewind = command("rewind", {
  toSeq: z.int().min(1).optional(),
  turns: z.int().min(1).optional(),
})
/** Names the current place, so that the user can rewind to it. */
const Mark = command("mark", { name: z.string().min(1).max(limits.nameLength) })

export const rewindingContract = {
  events: [ContextRewound, ContextMarked],
  commands: [Rewind, Mark],
  refusals: [
    refusal("context.nothing-there", { toSeq: z.int() }),
    refusal("context.no-turns", { turns: z.int() }),
    refusal("marks.too-many", { limit: z.int() }),
  ],
  deltas: [],
} as const
