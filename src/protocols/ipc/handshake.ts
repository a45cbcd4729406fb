// Accepts or refuses the first line of a viewer, and recognises sealed frames after it. The error texts are the
// protocol's own. Any process that may open the socket may also read its token file: the token distinguishes sessions
// of one user, not users.
import { timingSafeEqual, createHash } from "node:crypto"
import type { Handshake, HandshakeResponse } from "./frames.ts"

export const protocolVersion = 2
/** Of viewers from before the token; no other frame differs. */
const OLD_VERSION = 1

export interface HandshakePolicy {
  readonly sessionId: string
  /** Other names of the session that a reattaching viewer may use. */
  readonly aliases?: readonly string[] | undefined
  readonly token: string
  /** Whether a viewer without the token is accepted and given it. */
  readonly acceptsNew: boolean
}

export interface HandshakeResult {
  readonly accepted: boolean
  readonly response: HandshakeResponse
}

export function checkHandshake(handshake: Handshake, policy: HandshakePolicy): HandshakeResult {
  const { version } = handshake
  if (version !== protocolVersion && version !== OLD_VERSION)
    return refuse(`Protocol version mismatch: expected ${protocolVersion}, got ${version}`)
  if (handshake.is_reattach) return checkReattach(handshake, policy)
  return policy.acceptsNew ? accept(policy, policy.token) : refuse("This session has a viewer: reattach with its token")
}

function checkReattach({ session_id, session_token }: Handshake, policy: HandshakePolicy): HandshakeResult {
  if (session_token === undefined || session_token === null || session_token === "")
    return refuse("Session token required for reattachment")
  if (!isEqual(session_token, policy.token)) return refuse("Invalid session token")
  const { sessionId, aliases = [] } = policy
  const name = session_id ?? sessionId
  return name === sessionId || aliases.includes(name) ? accept(policy, null) : refuse("Session mismatch")
}

/** In constant time for texts of equal length. */
function isEqual(received: string, expected: string): boolean {
  const [a, b] = [Buffer.from(received), Buffer.from(expected)]
  return a.length === b.length && timingSafeEqual(a, b)
}

function accept({ sessionId }: HandshakePolicy, token: string | null): HandshakeResult {
  return { accepted: true, response: { accepted: true, session_id: sessionId, session_token: token, error: null } }
}

function refuse(error: string): HandshakeResult {
  return { accepted: false, response: { accepted: false, session_id: "", session_token: null, error } }
}

export function sealingKey(token: string): Buffer {
  return createHash("sha256").update("brainwires-ipc-v1:").update(token).digest()
}

/**
 * Whether a viewer whose first byte after the handshake is this one sends sealed frames. A sealed frame begins with its
 * length, whose first byte is 0 or 1 within the limits; no line begins with such a byte.
 */
export function isSealedStart(firstByte: number): boolean {
  return firstByte <= 1
}
