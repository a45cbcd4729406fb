import type { Voting } from "../../contract/values.ts"

export interface VotingState {
  /** How answers are voted on; absent where the first answer counts. */
  readonly voting: Voting | undefined
  /** As it was when the open turn started: a selection counts from the next turn on. */
  readonly turnVoting: Voting | undefined
}
