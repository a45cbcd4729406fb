// Whether an agent lets somebody in, and as whom: what the web site that embeds it may do, and who signs for whom.
import type { Coming, Entry } from "../../doors/ws/ws-door.ts"
import { entryOf, type Embedding } from "../../identity/embedding.ts"

const noEntry = {
  ORIGIN_NOT_ALLOWED: "This page may not talk to this agent.",
  AUTH_CONTEXT_INVALID: "Who you are could not be verified. Please reload the page.",
  AGENT_NOT_AUTHORIZED: "This agent is not available here.",
} as const

export function admission(embedding: Embedding, { agentId, caller, authContext }: Coming, now: number): Entry {
  const { origin, isAnonymous = false, isStaff = false } = caller
  const entry = entryOf(embedding, { agentId, origin, authContext, isAnonymous, isStaff }, now)
  if (entry.kind === "no") return { kind: "no", code: entry.code, message: noEntry[entry.code] }
  const { org = caller.org, userId } = entry
  if (userId === undefined) return { kind: "yes", principal: caller.principal, scope: { org, owner: caller.owner } }
  const scope = { org, owner: `signed:${agentId}:${userId}` } // no e-mail address looks like it
  return { kind: "yes", principal: `signed:${userId}`, scope }
}
