// Decides whether a visitor may talk to an agent, by the agent's embed policy: web site, signed identity, anonymous
// access. Pure.
import type { Config } from "../contract/config.ts"
import { matchesAnyOrigin } from "./origin-pattern.ts"
import { signedVisitor } from "./signed-visitor.ts"

export type EmbedPolicy = NonNullable<NonNullable<Config["agents"]>[string]["embed"]>

export interface Embedding {
  readonly agents: NonNullable<Config["agents"]>
  /** Refuse agents that are not configured even if none is. */
  readonly isStrict: boolean
  /** Visitors without a token may talk to agents without an embed policy. */
  readonly allowsAnonymous: boolean
}

export interface AccessRequest {
  readonly agentId: string
  readonly origin: string | undefined
  /** As sent in the frame. */
  readonly authContext: unknown
  readonly isAnonymous: boolean
  /** A member of the organisation with a role in it. */
  readonly isStaff: boolean
}

export type AccessDecision =
  | { readonly kind: "no"; readonly code: "ORIGIN_NOT_ALLOWED" | "AUTH_CONTEXT_INVALID" | "AGENT_NOT_AUTHORIZED" }
  /** `org`: the organisation that the policy assigns. `userId`: the visitor whose identity the web site has signed. */
  | { readonly kind: "yes"; readonly org: string | undefined; readonly userId: string | undefined }

/** An agent that is not configured exists only if none is: otherwise it would be unrestricted. */
export function isAgent({ agents, isStrict }: Pick<Embedding, "agents" | "isStrict">, agentId: string): boolean {
  return Object.hasOwn(agents, agentId) || (!isStrict && Object.keys(agents).length === 0)
}

export function decideAccess(embedding: Embedding, request: AccessRequest, now: number): AccessDecision {
  const { agents, allowsAnonymous } = embedding
  const { agentId, isAnonymous, isStaff } = request
  if (!isAgent(embedding, agentId)) return no("AGENT_NOT_AUTHORIZED")
  const profile = Object.hasOwn(agents, agentId) ? agents[agentId] : undefined
  if (profile?.visibility === "internal" && !isStaff) return no("AGENT_NOT_AUTHORIZED")
  if (profile?.embed !== undefined) return applyPolicy(profile.embed, request, now)
  if (isAnonymous && !allowsAnonymous) return no("AGENT_NOT_AUTHORIZED")
  return { kind: "yes", org: undefined, userId: undefined }
}

function applyPolicy(
  { origins, key, org }: EmbedPolicy,
  { origin, authContext }: AccessRequest,
  now: number,
): AccessDecision {
  if (origin === undefined || !matchesAnyOrigin(origins, origin)) return no("ORIGIN_NOT_ALLOWED")
  if (authContext === undefined) return { kind: "yes", org, userId: undefined }
  const userId = signedVisitor(authContext, key, now)
  return userId === undefined ? no("AUTH_CONTEXT_INVALID") : { kind: "yes", org, userId }
}

function no(code: Extract<AccessDecision, { kind: "no" }>["code"]): AccessDecision {
  return { kind: "no", code }
}
