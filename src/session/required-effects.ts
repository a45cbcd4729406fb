// The effects that a state requires, as data. The runner performs each exactly once: an effect keeps its id while it is
// required, and one that is no longer required is stopped.
import { settingsOf } from "../contract/session-settings.ts"
import type { Effect } from "./effect.ts"
import { features } from "./features.ts"
import { openCalls, type CallState, type SessionState } from "./state.ts"
import { isUnsent, owesCode, parkEnd } from "./verification.ts"

export function requiredEffects(state: SessionState): readonly Effect[] {
  if (isSuspended(state)) return []
  return [
    ...workEffects(state),
    ...codeEffects(state),
    ...expiries(state),
    ...features.flatMap(({ effects }) => effects?.(state) ?? []),
  ]
}

export function isSuspended(state: SessionState): boolean {
  return features.some((feature) => feature.isSuspended?.(state) === true)
}

function workEffects(state: SessionState): readonly Effect[] {
  if (state.compaction !== undefined) {
    return [{ type: "compact", id: `compact:${state.compaction}`, compactionId: state.compaction }]
  }
  if (state.turn === undefined) return []
  const { parked, step, over, id: turnId } = state.turn
  if (parked?.waitsFor === "reservation") return [{ type: "await-budget", id: `budget:${turnId}`, turnId }]
  if (parked !== undefined) {
    return parked.until === undefined ? [] : [{ type: "end-park", id: `park:${turnId}`, turnId, at: parked.until }]
  }
  if (owesCode(state))
    return state.turn.unverified === undefined ? [] : [{ type: "offer-code", id: `offer:${turnId}`, turnId }]
  if (over) return [{ type: "judge", id: `judge:${turnId}`, turnId }] // it has its answer, and only this holds its end
  for (const feature of features) {
    const effects = feature.turnEffects?.(state)
    if (effects !== undefined) return effects
  }
  if (step === undefined) return []
  if (!step.answered) return [{ type: "call-model", id: `model:${step.id}`, stepId: step.id }]
  return runnableCalls(state).map(({ id }) => ({ type: "run-call", id: `call:${id}`, callId: id }))
}

function runnableCalls(state: SessionState): readonly CallState[] {
  const considered = openCalls(state).slice(0, settingsOf(state.created).parallelCalls)
  return considered.filter((call) => call.phase !== "asked")
}

function codeEffects({ verifications }: SessionState): readonly Effect[] {
  return verifications.filter(isUnsent).map(({ id }) => ({ type: "send-code", id: `code:${id}`, verificationId: id }))
}

function expiries(state: SessionState): readonly Effect[] {
  const interactions = state.interactions.flatMap(({ id, expiresAt: at }) =>
    at === undefined ? [] : [{ type: "expire-interaction", id: `expire:${id}`, interactionId: id, at } as const],
  )
  const verifications = state.verifications.flatMap((one) => {
    const at = parkEnd(one)
    const { id: verificationId } = one
    return at === undefined
      ? []
      : [{ type: "expire-verification", id: `expire:${verificationId}`, verificationId, at } as const]
  })
  return [...interactions, ...verifications]
}
