// Checks a one-time code. The result is sent under the frame's id, before what a correct code continues.
import { describeRefusal } from "../../../contract/text/describe-refusal.ts"
import type { Refusal } from "../../../contract/refusals.ts"
import { errors } from "../../../protocols/ws/errors.ts"
import type { ServerEventOf } from "../../../protocols/ws/frames.ts"
import { notice } from "../../../protocols/ws/server-events.ts"
import type { ActionHandler } from "../connection.ts"

export const verifyCode: ActionHandler<"verify_otp"> = async (connection, { requestId, sessionId, code }) => {
  const visit = await connection.access.visit(sessionId)
  if (visit === undefined) return errors.sessionNotFound(sessionId)
  const joined = await connection.join(visit.sessionId)
  if ("code" in joined) return errors.codeNotChecked
  connection.hold()
  const sent = await joined.handle.send({ type: "verify", visitId: visit.visitId, code })
  if (sent.kind === "accepted") return connection.send(notice("otp_verified", requestId, verified, connection.now))
  const problem = codeProblem(sent.refusal)
  if (problem === undefined) return errors.codeNotChecked
  return connection.send(notice("otp_invalid", requestId, problem, connection.now))
}

const verified = { message: "Identity verified successfully." }
const codeErrors = { "wrong-code": "INVALID_CODE", "too-many-attempts": "MAX_ATTEMPTS", expired: "EXPIRED" } as const

/** Undefined if the code is not the cause. */
function codeProblem(refusal: Refusal): ServerEventOf<"otp_invalid">["data"]["data"] | undefined {
  if (refusal.code === "verification.none")
    return { error: "NOT_FOUND", attemptsRemaining: 0, message: "No code was sent." }
  if (refusal.code !== "verification.failed") return undefined
  const { why, attemptsLeft: attemptsRemaining } = refusal
  return { error: codeErrors[why], attemptsRemaining, message: describeRefusal(refusal) }
}
