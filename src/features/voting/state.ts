import type { Voting } from "../../contract/values.ts"

export interface VotingState {
  /** Absent without voting: the first answer is taken. */
  readonly voting: Voting | undefined
  /** As it was when the open turn started: a selection applies from the next turn on. */
  readonly turnVoting: Voting | undefined
}
