// Voting: several answers of which one is taken.
import { z } from "zod"
import { command, durable, live } from "../../contract/define.ts"
import { StepId } from "../../contract/ids.ts"
import { By, Voting } from "../../contract/values.ts"

/** Without `voting` the first answer is taken. */
const VotingSelected = durable("voting.selected", 1, { voting: Voting.optional(), by: By })

/** Applies from the next turn on; without `voting` the first answer is taken again. */
const SelectVoting = command("select-voting", { voting: Voting.optional() })

/** Progress of a vote. */
const VotingProgressed = live("voting.progressed", {
  stepId: StepId,
  message: z.string(),
  fraction: z.number(),
  /** It will probably exceed its cost limit. */
  overLimit: z.boolean().optional(),
})

export const votingContract = {
  events: [VotingSelected],
  commands: [SelectVoting],
  refusals: [],
  deltas: [VotingProgressed],
} as const
