// Sends one-time codes. The digest is stored before the code is sent: after a crash in between, the mail is lost, but no
// visitor holds a code that is not accepted. No code is sent twice.
import type { IssuedCode } from "./codes.ts"
import type { VerificationId, TurnId } from "../../../../contract/ids.ts"
import type { CodeChannel } from "../../../../contract/values.ts"
import { verifiedContact } from "../state.ts"
import type { SessionContext } from "../../../../runner/session-context.ts"
import { untilAborted } from "../../../../runner/waiting.ts"

/** How a code can reach the visitor of the running turn, the preferred way first. */
export function codeChannels({ state, services }: SessionContext): readonly CodeChannel[] {
  return state.turn?.visitId === undefined ? [] : (services.codes?.channels(state.contact) ?? [])
}

export async function offerCode(session: SessionContext, turnId: TurnId): Promise<void> {
  const isVerified = verifiedContact(session.state) !== undefined // by a code that was entered in the meantime
  await session.report({ type: "code-offered", turnId, channels: isVerified ? [] : codeChannels(session) })
}

export async function sendCode(
  session: SessionContext,
  verificationId: VerificationId,
  signal: AbortSignal,
): Promise<void> {
  const open = session.state.verifications.find(({ id }) => id === verificationId)
  if (open === undefined) return
  // A host that died may have sent a code that was prepared.
  const outcome = open.phase === "prepared" ? "sent" : await deliverCode(session, verificationId, signal)
  if (outcome === "sent") await session.report({ type: "code-sent", verificationId })
  else if (outcome !== undefined) await session.report({ type: "code-failed", verificationId, why: outcome })
}

type Failure = "undelivered" | "too-many-codes"

/** Undefined where the code is no longer needed. */
async function deliverCode(
  session: SessionContext,
  verificationId: VerificationId,
  signal: AbortSignal,
): Promise<"sent" | Failure | undefined> {
  const issued = await issueCode(session, verificationId).catch((fault: unknown) => undelivered(session, fault))
  if (typeof issued === "string") return issued
  const { deliver, ...facts } = issued
  const stored = await session.report({ type: "code-prepared", verificationId, ...facts })
  if (stored.kind === "refused") return undefined
  const delivery = deliver().then(
    () => "sent" as const,
    (fault: unknown) => undelivered(session, fault),
  )
  const outcome = await Promise.race([delivery, untilAborted(signal)])
  return signal.aborted || outcome === undefined ? undefined : outcome
}

async function issueCode(session: SessionContext, verificationId: VerificationId): Promise<IssuedCode | Failure> {
  const { state, services } = session
  const visitId = state.verifications.find(({ id }) => id === verificationId)?.visitId
  const channel = services.codes?.channels(state.contact)[0]
  if (services.codes === undefined || channel === undefined || visitId === undefined) return "undelivered"
  const org = state.created?.org ?? ""
  const { contact, visit } = state
  const request = { verificationId, visitId, org, caller: visit?.caller, channel, contact, at: services.now() }
  return (await services.codes.issue(request)) ?? "too-many-codes"
}

/** The operator reads the mail server's error; the visitor does not, and can ask again. */
function undelivered({ services, id }: SessionContext, fault: unknown): Failure {
  services.warn(`a code could not be sent: ${String(fault)}`, id)
  return "undelivered"
}
