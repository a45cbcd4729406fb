// Verification: a visitor proves a contact with a one-time code.
import { z } from "zod"
import { command, durable, refusal } from "../../../contract/define.ts"
import { CallId, VerificationId, VisitId } from "../../../contract/ids.ts"
import { limits } from "../../../contract/limits.ts"
import { By, CodeChannel, Contact } from "../../../contract/values.ts"

const VerifiedContact = Contact.pick({ email: true, phone: true })

const VisitVerified = durable("visit.verified", 1, {
  visitId: VisitId,
  verificationId: VerificationId,
  contact: VerifiedContact,
})
/** A call needs a verified visitor. */
const VerificationRequested = durable("verification.requested", 1, {
  verificationId: VerificationId,
  visitId: VisitId,
  callId: CallId,
  tool: z.string(),
  /** How a code can reach the visitor, the preferred way first; empty if there is none. */
  channels: z.array(CodeChannel),
  /** The call waits for the code. Otherwise it is refused, and the visitor asks again afterwards. */
  parked: z.boolean().optional(),
  expiresAt: z.int().optional(),
})
/** A code was created and is valid from here on. Only its digest is stored, under a key outside the log. */
const VerificationPrepared = durable("verification.prepared", 1, {
  verificationId: VerificationId,
  contact: VerifiedContact,
  channel: CodeChannel,
  /** Masked for display. */
  destination: z.string(),
  digest: z.string(),
  attemptsLeft: z.int().min(0),
  expiresAt: z.int(),
})
/** The code was sent, or may have been when its host was killed. */
const VerificationSent = durable("verification.sent", 1, {
  verificationId: VerificationId,
  channel: CodeChannel,
  destination: z.string(),
})
const VerificationFailed = durable("verification.failed", 1, {
  verificationId: VerificationId,
  why: z.enum(["wrong-code", "too-many-attempts", "expired", "undelivered", "too-many-codes", "void"]),
  attemptsLeft: z.int().min(0),
  by: By.optional(),
})

const Verify = command("verify", { visitId: VisitId, code: z.string().min(1).max(limits.nameLength) })

export const verificationContract = {
  events: [VisitVerified, VerificationRequested, VerificationPrepared, VerificationSent, VerificationFailed],
  commands: [Verify],
  refusals: [
    refusal("verification.none", {}),
    refusal("verification.failed", {
      why: z.enum(["wrong-code", "too-many-attempts", "expired"]),
      attemptsLeft: z.int().min(0),
    }),
  ],
  deltas: [],
} as const
