// Folds of verifications. A session keeps the newest code of a visit; a locked or expired one is kept too, so that the
// visitor learns why it is not accepted.
import type { EventOf } from "../../../contract/events.ts"
import { limits } from "../../../contract/limits.ts"
import type { Feature } from "../../../session/feature.ts"
import { findCall, type SessionState } from "../../../session/state.ts"
import type { VerificationsState, VerificationState } from "./state.ts"

export const verificationFolds = {
  "turn.started": () => ({ unverifiedCall: undefined }),
  "turn.ended": () => ({ unverifiedCall: undefined }),
  // Without a visit there is no visitor to verify when the turn is over.
  "tool.refused": (state, { callId, level }) => {
    const tool = findCall(state, callId)?.tool
    if (level !== "end_user" || tool === undefined || state.turn?.visitId === undefined) return {}
    return { unverifiedCall: { callId, tool } }
  },
  "verification.requested": requested,
  "verification.prepared": prepared,
  "verification.sent": (state, { verificationId }) => changed(state, verificationId, { phase: "sent" }),
  "verification.failed": failed,
  "visit.verified": (state, { visitId, verificationId, contact }) => {
    const others = state.verifiedVisits.filter((other) => other.visitId !== visitId)
    const verifiedVisits = [...others, { visitId, contact }].slice(-limits.rememberedVisits)
    return { ...without(state, verificationId), verifiedVisits }
  },
} satisfies Feature<VerificationsState>["evolve"]

type Change = Partial<VerificationsState>

function requested(state: SessionState, event: EventOf<"verification.requested">): Change {
  const { verificationId: id, visitId, callId, channels, parked = false, expiresAt } = event
  const offered: Change = parked ? {} : { unverifiedCall: undefined }
  if (channels.length === 0) return offered
  const open: VerificationState = { id, visitId, callId, parked, phase: "requested", code: undefined, expiresAt }
  return { ...offered, verifications: [...state.verifications, open].slice(-limits.rememberedVisits) }
}

function prepared(state: SessionState, event: EventOf<"verification.prepared">): Change {
  const { verificationId, contact, channel, destination, digest, attemptsLeft, expiresAt } = event
  const code = { contact, channel, destination, digest, attemptsLeft, expiresAt }
  const visitId = state.verifications.find(({ id }) => id === verificationId)?.visitId
  const verifications = state.verifications.filter(
    (verification) => verification.visitId !== visitId || verification.id === verificationId,
  )
  return changed({ verifications }, verificationId, { phase: "prepared", code })
}

function failed(state: SessionState, { verificationId, why, attemptsLeft }: EventOf<"verification.failed">): Change {
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

type Verifications = Pick<VerificationsState, "verifications">

function changed(
  { verifications }: Verifications,
  verificationId: VerificationState["id"],
  change: Partial<VerificationState>,
): Verifications {
  return {
    verifications: verifications.map((verification) =>
      verification.id === verificationId ? { ...verification, ...change } : verification,
    ),
  }
}

function without({ verifications }: Verifications, verificationId: VerificationState["id"]): Verifications {
  return { verifications: verifications.filter(({ id }) => id !== verificationId) }
}
