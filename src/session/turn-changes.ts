// Changes of what is open in a turn, for folds. Where nothing of it is open they change nothing.
import type { CallId } from "../contract/ids.ts"
import type { CallState, SessionState, StepState, TurnState } from "./state.ts"

export function withTurn(state: SessionState, change: Partial<TurnState>): SessionState {
  return state.turn === undefined ? state : { ...state, turn: { ...state.turn, ...change } }
}

export function withStep(state: SessionState, change: Partial<StepState>): SessionState {
  const step = state.turn?.step
  return step === undefined ? state : withTurn(state, { step: { ...step, ...change } })
}

export function withCall(state: SessionState, callId: CallId, change: Partial<CallState>): SessionState {
  const calls = state.turn?.step?.calls ?? []
  return withStep(state, { calls: calls.map((call) => (call.id === callId ? { ...call, ...change } : call)) })
}
