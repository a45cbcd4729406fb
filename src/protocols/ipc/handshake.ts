// The first line of a viewer, judged. The words of a refusal are the protocol's own. Who may open the socket may also
// have its token, as far as this protocol goes; the token keeps apart the sessions of one person, not two persons.
import { timingSafeEqual } from "node:crypto"
import type { Handshake, HandshakeResponse } from "./frames.ts"

export const protocolVersion = 2
/** Spoken by viewers from before the token; they have no other words that differ. */
const oldVersion = 1

export interface Welcome {
  readonly sessionId: string
  /** Other names of the session that a viewer may come back with. */
  readonly aliases?: readonly string[] | undefined
  readonly token: string
  /** Whether a viewer without the token is let in, and given it. */
  readonly takesNew: boolean
}

export interface Judgement {
  readonly accepted: boolean
  readonly response: HandshakeResponse
}

export function judgeHandshake(handshake: Handshake, welcome: Welcome): Judgement {
  const { version } = handshake
  if (version !== protocolVersion && version !== oldVersion)
    return refuse(`Protocol version mismatch: expected ${protocolVersion}, got ${version}`)
  if (handshake.is_reattach) return judgeReattach(handshake, welcome)
  return welcome.takesNew
    ? accept(welcome, welcome.token)
    : refuse("This session has a viewer: reattach with its token")
}

function judgeReattach({ session_id, session_token }: Handshake, welcome: Welcome): Judgement {
  if (session_token === undefined || session_token === null || session_token === "")
    return refuse("Session token required for reattachment")
  if (!isSame(session_token, welcome.token)) return refuse("Invalid session token")
  const isMeant = session_id === undefined || session_id === null || isNameOf(welcome, session_id)
  return isMeant ? accept(welcome, null) : refuse("Session mismatch")
}

function isNameOf({ sessionId, aliases = [] }: Welcome, name: string): boolean {
  return name === sessionId || aliases.includes(name)
}

/** Takes the same time wherever two texts of one length begin to differ. */
function isSame(given: string, wanted: string): boolean {
  const [a, b] = [Buffer.from(given), Buffer.from(wanted)]
  return a.length === b.length && timingSafeEqual(a, b)
}

function accept({ sessionId }: Welcome, token: string | null): Judgement {
  return { accepted: true, response: { accepted: true, session_id: sessionId, session_token: token, error: null } }
}

function refuse(error: string): Judgement {
  return { accepted: false, response: { accepted: false, session_id: "", session_token: null, error } }
}
