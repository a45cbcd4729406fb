// Codes by which a visitor proves that a contact is theirs. A visit has at most one code that counts; it is used once,
// has few attempts and an end, and all of that is stored. Where a call waits for the code, its end is the call's; where
// it does not, the turn ends as soon as the code is on its way. What a code is, and whether one is right, is not known
// here: the stamp says so.
import type { CommandOf } from "../contract/commands.ts"
import type { EventOf, SessionEvent } from "../contract/events.ts"
import type { VerificationId, VisitId } from "../contract/ids.ts"
import type { Contact } from "../contract/values.ts"
import { accepted, refused, type Decision, type Stamp } from "./decision.ts"
import type { CodeFailed, CodeOffered, CodePrepared, NeedsCode, ReportOf } from "./report.ts"
import type { CallState, SessionState, VerificationState } from "./state.ts"

const stale = refused({ code: "report.stale" })

/** What the visitor of the running turn has proved to be theirs; nothing where they have proved nothing. */
export function verifiedContact({ turn, verifiedVisits }: SessionState): Pick<Contact, "email" | "phone"> | undefined {
  return verifiedVisits.find(({ visitId }) => visitId === turn?.visitId)?.contact
}

/** The model is done, and the turn ends when the visitor was offered a code and it is on its way, or cannot be. */
export function owesCode({ turn, verifications, created }: SessionState): boolean {
  if (turn === undefined || turn.step !== undefined) return false
  const isDone = turn.over || turn.steps >= (created?.limits.stepsPerTurn ?? Infinity)
  return isDone && (turn.unverified !== undefined || verifications.some((one) => !one.parked && isUnsent(one)))
}

export function isUnsent({ phase }: VerificationState): boolean {
  return phase === "requested" || phase === "prepared"
}

/** The call waits until the visitor is known. */
export function parkForCode(state: SessionState, call: CallState, verdict: NeedsCode, stamp: Stamp): Decision {
  const visitId = state.turn?.visitId
  if (visitId === undefined) return stale
  const expiresAt = verdict.waitMs === undefined ? undefined : stamp.at + verdict.waitMs
  return accepted({ ...requested(visitId, call.id, call.tool, verdict.channels, stamp), parked: true, expiresAt })
}

/** The model is done, and one of its calls was refused: before the turn ends, the visitor is offered a code. */
export function offerCode(state: SessionState, { turnId, channels }: CodeOffered, stamp: Stamp): Decision {
  const { turn } = state
  if (turn?.id !== turnId || turn.unverified === undefined || turn.visitId === undefined) return stale
  const { callId, tool } = turn.unverified
  return accepted(requested(turn.visitId, callId, tool, channels, stamp))
}

export function codePrepared(state: SessionState, report: CodePrepared): Decision {
  if (withId(state, report.verificationId)?.phase !== "requested") return stale
  return accepted({ ...report, type: "verification.prepared" })
}

export function codeSent(state: SessionState, { verificationId }: ReportOf<"code-sent">): Decision {
  const { phase, code } = withId(state, verificationId) ?? {}
  if (phase !== "prepared" || code === undefined) return stale
  const { channel, destination } = code
  return accepted({ type: "verification.sent", verificationId, channel, destination })
}

export function codeFailed(state: SessionState, { verificationId, why }: CodeFailed): Decision {
  const open = withId(state, verificationId)
  if (open === undefined || !isUnsent(open)) return stale
  return accepted(...failed(open, why, 0))
}

export function verifyCode(state: SessionState, { visitId, code }: CommandOf<"verify">, stamp: Stamp): Decision {
  const open = expectedFrom(state, visitId)
  if (open?.code === undefined) return refused({ code: "verification.none" })
  const { contact, digest, attemptsLeft, expiresAt } = open.code
  if (open.phase === "locked") return no("too-many-attempts", 0)
  if (open.phase === "expired") return no("expired", 0)
  if (stamp.at >= expiresAt) return no("expired", 0, failed(open, "expired", 0, stamp))
  if (stamp.isCode(code, open.id, digest))
    return accepted({ type: "visit.verified", visitId: open.visitId, verificationId: open.id, contact })
  const left = attemptsLeft - 1
  const why = left > 0 ? "wrong-code" : "too-many-attempts"
  return no(why, Math.max(0, left), failed(open, why, Math.max(0, left), stamp))
}

/** What a call waits for can be answered in any visit: whoever lost their connection comes back in another. */
function expectedFrom({ verifications }: SessionState, visitId: VisitId): VerificationState | undefined {
  const made = verifications.filter(({ code }) => code !== undefined)
  return made.find(({ parked }) => parked) ?? made.find((one) => one.visitId === visitId)
}

export function expireVerification(
  state: SessionState,
  { verificationId }: ReportOf<"verification-expired">,
  stamp: Stamp,
): Decision {
  const open = withId(state, verificationId)
  if (open === undefined || !open.parked || stamp.at < (parkEnd(open) ?? Infinity)) return stale
  return accepted(...failed(open, "expired", 0))
}

/** When a call that waits for a code is told that none came. */
export function parkEnd({ parked, expiresAt, code }: VerificationState): number | undefined {
  const end = Math.min(expiresAt ?? Infinity, code?.expiresAt ?? Infinity)
  return parked && end !== Infinity ? end : undefined
}

/** When the turn is cut off nobody waits for them any more; a code that was sent earlier still counts. */
export function voidVerifications(state: SessionState): readonly SessionEvent[] {
  return state.verifications
    .filter((one) => one.parked || isUnsent(one))
    .map(({ id }) => ({ type: "verification.failed", verificationId: id, why: "void", attemptsLeft: 0 }))
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

type Why = EventOf<"verification.failed">["why"]

function failed(open: VerificationState, why: Why, attemptsLeft: number, stamp?: Stamp): readonly SessionEvent[] {
  const { id: verificationId, callId, parked } = open
  const event = { type: "verification.failed", verificationId, why, attemptsLeft, by: stamp?.by } as const
  if (!parked || why === "wrong-code") return [event]
  return [event, { type: "tool.refused", callId, by: "verification", reason: reasons[why] }]
}

const reasons = {
  "too-many-attempts": "The visitor entered too many wrong codes.",
  expired: "The visitor did not enter the code in time.",
  undelivered: "The code by which the visitor proves who they are could not be sent. They can try again later.",
  "too-many-codes": "Too many codes were sent to the visitor already. They can try again in an hour.",
  void: "It was called off.",
} satisfies Record<Exclude<Why, "wrong-code">, string>

/** A no that is remembered: attempts count, also after a restart. */
function no(
  why: "wrong-code" | "too-many-attempts" | "expired",
  attemptsLeft: number,
  events?: readonly SessionEvent[],
) {
  return refused({ code: "verification.failed", why, attemptsLeft }, events)
}

function withId({ verifications }: SessionState, verificationId: VerificationId): VerificationState | undefined {
  return verifications.find(({ id }) => id === verificationId)
}
