// Decisions about one-time codes. How a code is made and checked is not known here: the stamp checks it.
import type { CommandOf } from "../../../contract/commands.ts"
import type { EventOf, SessionEvent } from "../../../contract/events.ts"
import type { VerificationId, VisitId } from "../../../contract/ids.ts"
import { accepted, refused, stale, type Decision, type Stamp } from "../../../session/decision.ts"
import type { ReportOf } from "../../../session/report.ts"
import { findCall, type CallState, type SessionState } from "../../../session/state.ts"
import {
  isUnsent,
  parkEnd,
  type CodeFailed,
  type CodeNeeded,
  type CodeOffered,
  type CodePrepared,
  type VerificationState,
} from "./state.ts"

/** The call waits until the visitor is verified. */
export function parkForCode(state: SessionState, report: CodeNeeded, stamp: Stamp): Decision {
  const { callId, channels, waitMs } = report
  const call = findCall(state, callId)
  const visitId = state.turn?.visitId
  if (call?.phase !== "called" || visitId === undefined) return stale
  const expiresAt = waitMs === undefined ? undefined : stamp.at + waitMs
  return accepted({ ...requested(visitId, callId, call.tool, channels, stamp), parked: true, expiresAt })
}

/** The model is done and one of its calls was refused: the visitor is offered a code before the turn ends. */
export function offerCode(state: SessionState, { turnId, channels }: CodeOffered, stamp: Stamp): Decision {
  const { turn, unverifiedCall } = state
  if (turn?.id !== turnId || unverifiedCall === undefined || turn.visitId === undefined) return stale
  return accepted(requested(turn.visitId, unverifiedCall.callId, unverifiedCall.tool, channels, stamp))
}

export function codePrepared(state: SessionState, report: CodePrepared): Decision {
  if (findVerification(state, report.verificationId)?.phase !== "requested") return stale
  return accepted({ ...report, type: "verification.prepared" })
}

export function codeSent(state: SessionState, { verificationId }: ReportOf<"code-sent">): Decision {
  const { phase, code } = findVerification(state, verificationId) ?? {}
  if (phase !== "prepared" || code === undefined) return stale
  const { channel, destination } = code
  return accepted({ type: "verification.sent", verificationId, channel, destination })
}

export function codeFailed(state: SessionState, { verificationId, why }: CodeFailed): Decision {
  const open = findVerification(state, verificationId)
  if (open === undefined || !isUnsent(open)) return stale
  return accepted(...failed(open, why, 0))
}

export function verifyCode(state: SessionState, { visitId, code }: CommandOf<"verify">, stamp: Stamp): Decision {
  const open = expectedFrom(state, visitId)
  if (open?.code === undefined) return refused({ code: "verification.none" })
  const { contact, digest, attemptsLeft, expiresAt } = open.code
  if (open.phase === "locked") return rejected("too-many-attempts", 0)
  if (open.phase === "expired") return rejected("expired", 0)
  if (stamp.at >= expiresAt) return rejected("expired", 0, failed(open, "expired", 0, stamp))
  if (stamp.isCode(code, open.id, digest))
    return accepted({ type: "visit.verified", visitId: open.visitId, verificationId: open.id, contact })
  const remainingAttempts = Math.max(0, attemptsLeft - 1)
  const why = remainingAttempts > 0 ? "wrong-code" : "too-many-attempts"
  return rejected(why, remainingAttempts, failed(open, why, remainingAttempts, stamp))
}

/** A code that a call waits for is accepted in any visit: a visitor who lost the connection returns in another one. */
function expectedFrom({ verifications }: SessionState, visitId: VisitId): VerificationState | undefined {
  const issued = verifications.filter(({ code }) => code !== undefined)
  return issued.find(({ parked }) => parked) ?? issued.find((verification) => verification.visitId === visitId)
}

export function expireVerification(
  state: SessionState,
  { verificationId }: ReportOf<"verification-expired">,
  stamp: Stamp,
): Decision {
  const open = findVerification(state, verificationId)
  if (open === undefined || !open.parked || stamp.at < (parkEnd(open) ?? Infinity)) return stale
  return accepted(...failed(open, "expired", 0))
}

function requested(
  visitId: VisitId,
  callId: CallState["id"],
  tool: string,
  channels: CodeOffered["channels"],
  stamp: Stamp,
): EventOf<"verification.requested"> {
  const verificationId = `ver_${stamp.id}` as const
  return { type: "verification.requested", verificationId, visitId, callId, tool, channels: [...channels] }
}

type FailureReason = EventOf<"verification.failed">["why"]

const reasons = {
  "too-many-attempts": "The visitor entered too many wrong codes.",
  expired: "The visitor did not enter the code in time.",
  undelivered: "The code by which the visitor proves who they are could not be sent. They can try again later.",
  "too-many-codes": "Too many codes were sent to the visitor already. They can try again in an hour.",
  void: "It was called off.",
} satisfies Record<Exclude<FailureReason, "wrong-code">, string>

function failed(
  open: VerificationState,
  why: FailureReason,
  attemptsLeft: number,
  stamp?: Stamp,
): readonly SessionEvent[] {
  const { id: verificationId, callId, parked } = open
  const event = { type: "verification.failed", verificationId, why, attemptsLeft, by: stamp?.by } as const
  if (!parked || why === "wrong-code") return [event]
  return [event, { type: "tool.refused", callId, by: "verification", reason: reasons[why] }]
}

/** A refusal with events: attempts are stored, so that they count after a restart. */
function rejected(
  why: "wrong-code" | "too-many-attempts" | "expired",
  attemptsLeft: number,
  events?: readonly SessionEvent[],
): Decision {
  return refused({ code: "verification.failed", why, attemptsLeft }, events)
}

function findVerification(
  { verifications }: SessionState,
  verificationId: VerificationId,
): VerificationState | undefined {
  return verifications.find(({ id }) => id === verificationId)
}
