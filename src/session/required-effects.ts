// The effects a state asks for, as data. The runner makes sure that each one is under way exactly once; the same
// effect keeps its id for as long as it is wanted, so asking again changes nothing, and one that is not wanted any
// more is stopped.
import type {
  ApprovalId,
  CallId,
  CompactionId,
  InteractionId,
  SessionId,
  StepId,
  TurnId,
  VerificationId,
} from "../contract/ids.ts"
import { findCall, openApprovals, openCalls, type CallState, type ChildState, type SessionState } from "./state.ts"
import { isUnsent, owesCode, parkEnd } from "./verification.ts"

export type Effect =
  | { readonly type: "call-model"; readonly id: string; readonly stepId: StepId }
  | { readonly type: "judge"; readonly id: string; readonly turnId: TurnId }
  | { readonly type: "run-call"; readonly id: string; readonly callId: CallId }
  | { readonly type: "compact"; readonly id: string; readonly compactionId: CompactionId }
  | { readonly type: "expire-approval"; readonly id: string; readonly approvalId: ApprovalId; readonly at: number }
  | {
      readonly type: "expire-interaction"
      readonly id: string
      readonly interactionId: InteractionId
      readonly at: number
    }
  | { readonly type: "offer-code"; readonly id: string; readonly turnId: TurnId }
  | { readonly type: "send-code"; readonly id: string; readonly verificationId: VerificationId }
  | {
      readonly type: "expire-verification"
      readonly id: string
      readonly verificationId: VerificationId
      readonly at: number
    }
  | { readonly type: "end-park"; readonly id: string; readonly turnId: TurnId; readonly at: number }
  | { readonly type: "await-budget"; readonly id: string; readonly turnId: TurnId }
  | { readonly type: "keep-child"; readonly id: string; readonly childId: SessionId }
  | { readonly type: "end-child"; readonly id: string; readonly childId: SessionId; readonly when: "now" | "idle" }
  | { readonly type: "detach-child"; readonly id: string; readonly childId: SessionId }

export function wanted(state: SessionState): readonly Effect[] {
  if (state.asleep) return []
  return [...workEffects(state), ...codeEffects(state), ...expiries(state), ...childEffects(state)]
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
  if (step === undefined) return []
  if (!step.answered) return [{ type: "call-model", id: `model:${step.id}`, stepId: step.id }]
  return runnableCalls(state).map(({ id }) => ({ type: "run-call", id: `call:${id}`, callId: id }))
}

/** Sessions of the network door take their calls one after another; others side by side. */
function runnableCalls(state: SessionState): readonly CallState[] {
  const open = openCalls(state)
  const considered = state.created?.preset === "service" ? open.slice(0, 1) : open
  return considered.filter((call) => call.phase !== "asked")
}

function codeEffects({ verifications }: SessionState): readonly Effect[] {
  return verifications.filter(isUnsent).map(({ id }) => ({ type: "send-code", id: `code:${id}`, verificationId: id }))
}

function expiries(state: SessionState): readonly Effect[] {
  const approvals = openApprovals(state).flatMap(({ id, expiresAt: at }) =>
    at === undefined ? [] : [{ type: "expire-approval", id: `expire:${id}`, approvalId: id, at } as const],
  )
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
  return [...approvals, ...interactions, ...verifications]
}

function childEffects(state: SessionState): readonly Effect[] {
  return state.children.flatMap((child): readonly Effect[] => {
    const childId = child.id
    const ending = endingOf(state, child)
    if (ending === "leave") return [{ type: "detach-child", id: `detach:${childId}`, childId }]
    const keep = { type: "keep-child", id: `child:${childId}`, childId } as const
    if (ending === undefined) return [keep]
    return [keep, { type: "end-child", id: `end:${childId}:${ending}`, childId, when: ending }]
  })
}

/** A child whose answer a call was waiting for has nobody to answer once the call is over. */
export function endingOf(state: SessionState, { ending, callId }: ChildState): ChildState["ending"] {
  if (ending === "leave" || callId === undefined || findCall(state, callId) !== undefined) return ending
  return "now"
}
