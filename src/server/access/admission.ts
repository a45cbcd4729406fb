// Whether an agent admits a caller, and as which principal, by its embed policy and the visitor's signature.
import type { Admission, SessionRequest } from "../../doors/ws/door-options.ts"
import { decideAccess, type Embedding } from "../../identity/embedding.ts"
import { errors, type WsError } from "../../protocols/ws/errors.ts"

const refusals = {
  ORIGIN_NOT_ALLOWED: errors.originNotAllowed,
  AUTH_CONTEXT_INVALID: errors.visitorNotVerified,
  AGENT_NOT_AUTHORIZED: errors.agentUnavailable,
}

export function admission(embedding: Embedding, request: SessionRequest, now: number): Admission | WsError {
  const { agentId, caller, authContext } = request
  const { origin, isAnonymous = false, isStaff = false } = caller
  const entry = decideAccess(embedding, { agentId, origin, authContext, isAnonymous, isStaff }, now)
  if (entry.kind === "no") return refusals[entry.code]
  const { org = caller.org, userId } = entry
  if (userId === undefined) return { principal: caller.principal, scope: { org, owner: caller.owner } }
  const scope = { org, owner: `signed:${agentId}:${userId}` } // no e-mail address looks like it
  return { principal: `signed:${userId}`, scope }
}
