// Verification: a visitor proves a contact with a one-time code. A visit has at most one valid code; it can be used
// once, expires, and allows few attempts, all of which is stored. If a call waits for the code, its end is the call's
// end; otherwise the turn ends once the code is sent.
import type { Feature } from "../../../session/feature.ts"
import type { SessionState } from "../../../session/state.ts"
import { codeFailed, codePrepared, codeSent, expireVerification, offerCode, parkForCode, verifyCode } from "./decide.ts"
import { verificationFolds } from "./evolve.ts"
import { isUnsent, parkEnd, type VerificationsState } from "./state.ts"

export const verification = {
  initial: { verifications: [], verifiedVisits: [], unverifiedCall: undefined },
  commands: { verify: verifyCode },
  reports: {
    "code-needed": parkForCode,
    "code-offered": offerCode,
    "code-prepared": codePrepared,
    "code-sent": codeSent,
    "code-failed": codeFailed,
    "verification-expired": expireVerification,
  },
  evolve: verificationFolds,
  calls: {
    "verification.requested": (_, { callId, parked = false }) => (parked ? { id: callId, phase: "asked" } : undefined),
    // A call that waited goes through its gates again, now for a verified visitor.
    "visit.verified": (state, { verificationId }) => {
      const { callId, parked = false } = state.verifications.find(({ id }) => id === verificationId) ?? {}
      return parked && callId !== undefined ? { id: callId, phase: "called" } : undefined
    },
  },
  effects: ({ verifications }) => [
    ...verifications
      .filter(isUnsent)
      .map(({ id }) => ({ type: "send-code", id: `code:${id}`, verificationId: id }) as const),
    ...verifications.flatMap((entry) => {
      const at = parkEnd(entry)
      return at === undefined
        ? []
        : [{ type: "expire-verification", id: `expire:${entry.id}`, verificationId: entry.id, at } as const]
    }),
  ],
  holdsTurn: mustSendCode,
  turnEffects: (state) => {
    if (state.turn === undefined || !mustSendCode(state)) return undefined
    const turnId = state.turn.id
    return state.unverifiedCall === undefined ? [] : [{ type: "offer-code", id: `offer:${turnId}`, turnId }]
  },
  // A code that was sent earlier stays valid.
  interrupt: ({ verifications }) =>
    verifications
      .filter((entry) => entry.parked || isUnsent(entry))
      .map(({ id }) => ({ type: "verification.failed", verificationId: id, why: "void", attemptsLeft: 0 })),
  activity: ({ verifications }) => (verifications.some(({ parked }) => parked) ? "waiting for the visitor" : undefined),
} satisfies Feature<VerificationsState>

/** The model is done; the turn ends once a code was offered and sent, or cannot be. */
function mustSendCode({ turn, verifications, unverifiedCall, created }: SessionState): boolean {
  if (turn === undefined || turn.step !== undefined) return false
  const isDone = turn.over || turn.steps >= (created?.limits.stepsPerTurn ?? Infinity)
  return isDone && (unverifiedCall !== undefined || verifications.some((entry) => !entry.parked && isUnsent(entry)))
}
