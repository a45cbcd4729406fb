// Checks the identity of a visitor that the embedding web site has signed with the agent's key: HMAC-SHA256 of
// `userId:timestamp` in lower-case hex. A signature is valid for a minute, so that a copied one soon expires.
import { createHmac, timingSafeEqual } from "node:crypto"

const TOLERANCE_MS = 60_000
const MAX_ID_LENGTH = 200
/** Smaller timestamps are seconds. In milliseconds this is the year 1973. */
const MIN_MILLISECONDS = 100_000_000_000

/** The id of the visitor; undefined if the signature is missing, wrong or expired. */
export function signedVisitor(context: unknown, key: string | undefined, now: number): string | undefined {
  if (key === undefined || !isContext(context)) return undefined
  const { userId, timestamp, signature } = context
  if (userId.trim() === "" || userId.length > MAX_ID_LENGTH || !userId.isWellFormed()) return undefined
  if (Math.abs(now - milliseconds(Number(timestamp))) > TOLERANCE_MS) return undefined
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
  return time < MIN_MILLISECONDS ? time * 1000 : time
}

function isSigned(text: string, signature: string, key: string): boolean {
  if (!/^[0-9a-f]{64}$/.test(signature)) return false
  return timingSafeEqual(createHmac("sha256", key).update(text).digest(), Buffer.from(signature, "hex"))
}
