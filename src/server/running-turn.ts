// Whether a session has a turn that runs: one that waits for a person or a time uses no model.
import { openChildApprovals } from "../features/agent-tree/state.ts"
import { openApprovals } from "../features/approvals/state.ts"
import type { SessionState } from "../session/state.ts"

/** Also with a message that waits for its turn to start. */
export function hasRunningTurn(state: SessionState): boolean {
  const { turn, waiting, interactions, verifications, life, asleep } = state
  if (asleep || life === "ended") return false
  if (turn === undefined) return waiting.length > 0
  if (turn.parked !== undefined) return false
  if (verifications.some(({ parked, phase }) => parked && phase === "sent")) return false
  return openApprovals(state).length + openChildApprovals(state).length + interactions.length === 0
}
