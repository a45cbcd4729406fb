// One-time codes that a visitor hands in. The answer stands under the id of the frame; what a right code sets going comes
// after it. A visitor is told how many tries are left, and never what the right code would have been.
import type { SendOutcome } from "../../../contract/house-port.ts"
import { describeRefusal } from "../../../contract/describe-refusal.ts"
import { otpInvalid, otpVerified } from "../../../protocols/ws/server-events.ts"
import type { ServerEventOf } from "../../../protocols/ws/frames.ts"
import type { ClientAction } from "../../../protocols/ws/codec.ts"
import { requiredWords, visitOf } from "./action-fields.ts"
import type { Connection } from "../connection.ts"

/** Longer than any code. */
const longestCode = 100
const notChecked = "The code could not be checked. Please try again."

export async function verify(connection: Connection, action: ClientAction): Promise<void> {
  const { requestId } = action
  if (requestId === undefined) return connection.fail(undefined, "VALIDATION_ERROR", "'requestId' is required")
  if (requiredWords(connection, action, "sessionId") === undefined) return
  const code = requiredWords(connection, action, "code")?.slice(0, longestCode)
  if (code === undefined) return
  const visit = await visitOf(connection, action)
  if (visit === undefined) return
  const joined = await connection.join(visit.sessionId)
  if ("code" in joined) return connection.fail(requestId, "INTERNAL_ERROR", notChecked)
  await connection.holding(async () => {
    const sent = await joined.handle.send({ type: "verify", visitId: visit.visitId, code })
    const wrong = sent.kind === "accepted" ? undefined : whatIsWrong(sent)
    if (sent.kind === "accepted") connection.say(otpVerified(requestId, connection.now))
    else if (wrong === undefined) connection.fail(requestId, "INTERNAL_ERROR", notChecked)
    else connection.say(otpInvalid(requestId, wrong, connection.now))
  })
}

type Wrong = ServerEventOf<"otp_invalid">["data"]["data"]

const errors = { "wrong-code": "INVALID_CODE", "too-many-attempts": "MAX_ATTEMPTS", expired: "EXPIRED" } as const

/** Nothing where it is no matter of the code. */
function whatIsWrong({ refusal }: Extract<SendOutcome, { kind: "refused" }>): Wrong | undefined {
  if (refusal.code === "verification.none")
    return { error: "NOT_FOUND", attemptsRemaining: 0, message: "No code was sent." }
  if (refusal.code !== "verification.failed") return undefined
  return { error: errors[refusal.why], attemptsRemaining: refusal.attemptsLeft, message: describeRefusal(refusal) }
}
