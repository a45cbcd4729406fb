// Sending codes. A code is made in memory, what proves it is stored, and only then it leaves the house: a crash in
// between costs a mail and never leaves somebody with a code that does not count. Nothing is sent twice.
import type { OwnCode } from "../code-service.ts"
import type { VerificationId, TurnId } from "../../../../contract/ids.ts"
import type { CodeChannel } from "../../../../contract/values.ts"
import { verifiedContact } from "../../../../session/verification.ts"
import type { SessionContext } from "../../../../runner/session-context.ts"
import { untilAborted } from "../../../../runner/waiting.ts"

/** How the visitor of the running turn can be sent a code, the preferred way first. */
export function codeChannels({ state, services }: SessionContext): readonly CodeChannel[] {
  return state.turn?.visitId === undefined ? [] : (services.codes?.channels(state.contact) ?? [])
}

export async function offerCode(session: SessionContext, turnId: TurnId): Promise<void> {
  const isKnown = verifiedContact(session.state) !== undefined // by a code that was entered meanwhile
  await session.report({ type: "code-offered", turnId, channels: isKnown ? [] : codeChannels(session) })
}

export async function sendCode(
  session: SessionContext,
  verificationId: VerificationId,
  signal: AbortSignal,
): Promise<void> {
  const open = session.state.verifications.find(({ id }) => id === verificationId)
  if (open === undefined) return
  if (open.phase === "prepared") return tellSent(session, verificationId) // by a host that is gone, as far as it came
  const made = await makeCode(session, verificationId).catch((fault: unknown) => undelivered(session, fault))
  if (typeof made === "string") return tellFailed(session, verificationId, made)
  const { deliver, ...facts } = made
  const stored = await session.report({ type: "code-prepared", verificationId, ...facts })
  if (stored.kind === "refused") return
  const delivery = deliver().catch((fault: unknown) => undelivered(session, fault))
  const failure = await Promise.race([delivery, untilAborted(signal)])
  if (signal.aborted) return
  if (failure === undefined) await tellSent(session, verificationId)
  else await tellFailed(session, verificationId, failure)
}

type Failure = "undelivered" | "too-many-codes"

async function makeCode(session: SessionContext, verificationId: VerificationId): Promise<OwnCode | Failure> {
  const { state, services } = session
  const visitId = state.verifications.find(({ id }) => id === verificationId)?.visitId
  const channel = services.codes?.channels(state.contact)[0]
  if (services.codes === undefined || channel === undefined || visitId === undefined) return "undelivered"
  const org = state.created?.org ?? ""
  const { contact, visit } = state
  const order = { verificationId, visitId, org, caller: visit?.caller, channel, contact, at: services.now() }
  return (await services.codes.make(order)) ?? "too-many-codes"
}

/** What a mail server complains of is for whoever runs the house; the visitor is told nothing, and can ask again. */
function undelivered({ services, id }: SessionContext, fault: unknown): Failure {
  services.warn(`a code could not be sent: ${String(fault)}`, id)
  return "undelivered"
}

async function tellSent(session: SessionContext, verificationId: VerificationId): Promise<void> {
  await session.report({ type: "code-sent", verificationId })
}

async function tellFailed(session: SessionContext, verificationId: VerificationId, why: Failure): Promise<void> {
  await session.report({ type: "code-failed", verificationId, why })
}
