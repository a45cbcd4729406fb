// Decides whether a visitor may talk to an agent, by the agent's embed policy: web site, signed identity, anonymous
// access. Pure.
import type { Config } from "../contract/config.ts"
import { matchesAnyOrigin } from "./origin-pattern.ts"
import { createHmac, timingSafeEqual } from "node:crypto"

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

/** For the age of a signature. */
const TOLERANCE_MS = 60_000
const MAX_ID_LENGTH = 200
/** Smaller timestamps are seconds. In milliseconds this is the year 1973. */
const MIN_MILLISECONDS = 100_000_000_000

/**
 * The id of a visitor that the web site has signed with the agent's key: HMAC-SHA256 of `userId:timestamp` in lower-case
 * hex. Undefined if the signature is missing, wrong or older than a minute: a copied one soon expires.
 */
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
