// How visits, their codes and the calls that wait for them change. A session keeps the newest code of a visit: an older
// one does not count any more once there is another. What was locked or has expired is kept as well, so that the visitor
// is told why.
import type { EventOf } from "../contract/events.ts"
import { limits } from "../contract/limits.ts"
import { findCall, type SessionState, type VerificationState } from "./state.ts"
import { withCall, withTurn } from "./turn-changes.ts"

type VerificationEvent = EventOf<
  "visit.verified" | "verification.requested" | "verification.prepared" | "verification.sent" | "verification.failed"
>

export function evolveVerification(state: SessionState, event: VerificationEvent): SessionState {
  switch (event.type) {
    case "verification.requested":
      return requested(state, event)
    case "verification.prepared":
      return prepared(state, event)
    case "verification.sent":
      return changed(state, event.verificationId, { phase: "sent" })
    case "verification.failed":
      return failed(state, event)
    case "visit.verified":
      return verified(state, event)
  }
}

/** Only where somebody visits can somebody be verified when the turn is over. */
export function refusedTo(state: SessionState, { callId, level }: EventOf<"tool.refused">): SessionState {
  const tool = findCall(state, callId)?.tool
  if (level !== "end_user" || tool === undefined || state.turn?.visitId === undefined) return state
  return withTurn(state, { unverified: { callId, tool } })
}

function requested(state: SessionState, event: EventOf<"verification.requested">): SessionState {
  const { verificationId: id, visitId, callId, channels, parked = false, expiresAt } = event
  const next = parked ? withCall(state, callId, { phase: "asked" }) : withTurn(state, { unverified: undefined })
  if (channels.length === 0) return next
  const asked: VerificationState = { id, visitId, callId, parked, phase: "requested", code: undefined, expiresAt }
  return { ...next, verifications: [...state.verifications, asked].slice(-limits.rememberedVisits) }
}

function prepared(state: SessionState, event: EventOf<"verification.prepared">): SessionState {
  const { verificationId, contact, channel, destination, digest, attemptsLeft, expiresAt } = event
  const code = { contact, channel, destination, digest, attemptsLeft, expiresAt }
  const visitId = state.verifications.find(({ id }) => id === verificationId)?.visitId
  const verifications = state.verifications.filter((one) => one.visitId !== visitId || one.id === verificationId)
  return changed({ ...state, verifications }, verificationId, { phase: "prepared", code })
}

function failed(state: SessionState, { verificationId, why, attemptsLeft }: EventOf<"verification.failed">) {
  const code = state.verifications.find(({ id }) => id === verificationId)?.code
  switch (why) {
    case "wrong-code":
      return changed(state, verificationId, { code: code && { ...code, attemptsLeft } })
    case "too-many-attempts":
      return changed(state, verificationId, { phase: "locked", parked: false })
    case "expired":
      return changed(state, verificationId, { phase: "expired", parked: false })
    case "undelivered":
    case "too-many-codes":
    case "void":
      return without(state, verificationId)
  }
}

/** A call that waited for it goes through its gates again, as one of a visitor who is known. */
function verified(state: SessionState, { visitId, verificationId, contact }: EventOf<"visit.verified">): SessionState {
  const { callId, parked = false } = state.verifications.find(({ id }) => id === verificationId) ?? {}
  const others = state.verifiedVisits.filter((other) => other.visitId !== visitId)
  const verifiedVisits = [...others, { visitId, contact }].slice(-limits.rememberedVisits)
  const next = { ...without(state, verificationId), verifiedVisits }
  return parked && callId !== undefined ? withCall(next, callId, { phase: "called" }) : next
}

function changed(state: SessionState, id: VerificationState["id"], change: Partial<VerificationState>): SessionState {
  const verifications = state.verifications.map((one) => (one.id === id ? { ...one, ...change } : one))
  return { ...state, verifications }
}

function without(state: SessionState, id: VerificationState["id"]): SessionState {
  return { ...state, verifications: state.verifications.filter((one) => one.id !== id) }
}
