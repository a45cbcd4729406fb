// A web site that has the key of an agent says who its visitor is: HMAC-SHA256 of `userId:timestamp` in lower-case hex.
// The signature is good for a minute, so one that is copied from a page is soon worth nothing.
import { createHmac, timingSafeEqual } from "node:crypto"

const toleranceMs = 60_000
const longestId = 200
/** Numbers below are seconds: no clock that counts milliseconds was ever there. */
const firstMilliseconds = 100_000_000_000

/** The id of the visitor, or nothing where it is not proven. */
export function signedVisitor(context: unknown, key: string | undefined, now: number): string | undefined {
  if (key === undefined || !isContext(context)) return undefined
  const { userId, timestamp, signature } = context
  if (userId.trim() === "" || userId.length > longestId || !userId.isWellFormed()) return undefined
  if (Math.abs(now - milliseconds(Number(timestamp))) > toleranceMs) return undefined
  return isSigned(`${userId}:${timestamp}`, signature, key) ? userId : undefined
}

interface Context {
  readonly userId: string
  readonly timestamp: number | string
  readonly signature: string
}

function isContext(value: unknown): value is Context {
  if (typeof value !== "object" || value === null) return false
  if (!("userId" in value && "timestamp" in value && "signature" in value)) return false
  const { userId, timestamp, signature } = value
  return typeof userId === "string" && typeof signature === "string" && isTime(timestamp)
}

function isTime(value: unknown): boolean {
  return Number.isSafeInteger(value) || (typeof value === "string" && /^\d{1,15}$/.test(value))
}

function milliseconds(time: number): number {
  return time < firstMilliseconds ? time * 1000 : time
}

function isSigned(text: string, signature: string, key: string): boolean {
  if (!/^[0-9a-f]{64}$/.test(signature)) return false
  return timingSafeEqual(createHmac("sha256", key).update(text).digest(), Buffer.from(signature, "hex"))
}
