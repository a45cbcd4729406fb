// The reliability and size of a vote, for independent answers that are each right with a probability above one half.
import type { Votes, Voting } from "../../contract/values.ts"

export const DEFAULT_VOTING: Voting = { ahead: 3, samples: 50, parallel: 4 }

/** The assumed probability that one answer is right. */
const DEFAULT_ODDS = 0.8

/** The lead that makes the answer right with at least this probability. */
export function requiredLead(target: number, odds = DEFAULT_ODDS): number {
  return Math.max(1, Math.ceil(Math.log(1 / target - 1) / Math.log((1 - odds) / odds)))
}

/** The probability that an answer with such a lead is right. */
export function reliability(ahead: number, odds = DEFAULT_ODDS): number {
  return 1 / (1 + ((1 - odds) / odds) ** ahead)
}

/** The expected number of answers. */
export function expectedVotes(ahead: number, odds = DEFAULT_ODDS): number {
  return Math.ceil(ahead / (2 * odds - 1))
}

/** Undefined where the vote was decided. */
export function undecidedSentence({ counted, discarded, ahead, undecided }: Votes): string | undefined {
  if (undecided === undefined) return undefined
  const { best, next } = undecided
  return `The vote is undecided: after ${counted + discarded} answers the best two have ${best} and ${next} votes, and a lead of ${ahead} is needed. The answer shown was the first with ${best}.`
}
