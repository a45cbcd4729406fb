// Whether somebody may come in to an agent: from this web site, with this proof of who they are, or at all without one.
// Pure: the policies come from the configuration, and what is true of the visitor is told.
import type { Config } from "../contract/config.ts"
import { fitsAny } from "./origin-pattern.ts"
import { signedVisitor } from "./signed-visitor.ts"

export type EmbedPolicy = NonNullable<NonNullable<Config["agents"]>[string]["embed"]>

export interface Embedding {
  readonly agents: NonNullable<Config["agents"]>
  /** Agents must be configured, also where none is. */
  readonly isStrict: boolean
  /** Whether somebody without a token may come to agents that have no policy. */
  readonly takesAnonymous: boolean
}

export interface Coming {
  readonly agentId: string
  readonly origin: string | undefined
  /** As it stands in the frame, if it does. */
  readonly authContext: unknown
  readonly isAnonymous: boolean
  /** One of the organisation's own people. */
  readonly isStaff: boolean
}

export type Entry =
  | { readonly kind: "no"; readonly code: "ORIGIN_NOT_ALLOWED" | "AUTH_CONTEXT_INVALID" | "AGENT_NOT_AUTHORIZED" }
  /** `org` is where the policy puts visitors, `userId` whom their web site vouches for. */
  | { readonly kind: "yes"; readonly org: string | undefined; readonly userId: string | undefined }

/** An agent that the configuration does not name exists only where it names none: else it would have no restriction. */
export function isAgent({ agents, isStrict }: Pick<Embedding, "agents" | "isStrict">, agentId: string): boolean {
  return Object.hasOwn(agents, agentId) || (!isStrict && Object.keys(agents).length === 0)
}

export function entryOf(embedding: Embedding, coming: Coming, now: number): Entry {
  const { agents, takesAnonymous } = embedding
  const { agentId, isAnonymous, isStaff } = coming
  if (!isAgent(embedding, agentId)) return no("AGENT_NOT_AUTHORIZED")
  const profile = Object.hasOwn(agents, agentId) ? agents[agentId] : undefined
  if (profile?.visibility === "internal" && !isStaff) return no("AGENT_NOT_AUTHORIZED")
  if (profile?.embed !== undefined) return embedded(profile.embed, coming, now)
  if (isAnonymous && !takesAnonymous) return no("AGENT_NOT_AUTHORIZED")
  return { kind: "yes", org: undefined, userId: undefined }
}

function embedded({ origins, key, org }: EmbedPolicy, { origin, authContext }: Coming, now: number): Entry {
  if (origin === undefined || !fitsAny(origins, origin)) return no("ORIGIN_NOT_ALLOWED")
  if (authContext === undefined) return { kind: "yes", org, userId: undefined }
  const userId = signedVisitor(authContext, key, now)
  return userId === undefined ? no("AUTH_CONTEXT_INVALID") : { kind: "yes", org, userId }
}

function no(code: Extract<Entry, { kind: "no" }>["code"]): Entry {
  return { kind: "no", code }
}
