// Voting: several answers of which one is taken.
import { z } from "zod"
import { command, durable, live } from "../../contract/define.ts"
import { StepId } from "../../contract/ids.ts"
import { By, Voting } from "../../contract/values.ts"

/** Absent: the first answer counts. */
const VotingSelected = durable("voting.selected", 1, { voting: Voting.optional(), by: By })

/** Several answers instead of one from the next turn on; without `voting` the first answer counts again. */
const SelectVoting = command("select-voting", { voting: Voting.optional() })

/** How a vote about an answer stands. */
const VotingProgressed = live("voting.progressed", {
  stepId: StepId,
  message: z.string(),
  fraction: z.number(),
  /** It may cost more than it is allowed to. */
  overLimit: z.boolean().optional(),
})

export const votingContract = {
  events: [VotingSelected],
  commands: [SelectVoting],
  refusals: [],
  deltas: [VotingProgressed],
} as const
