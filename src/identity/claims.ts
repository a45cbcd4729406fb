// Reads the claims of a token as a principal. The caller has checked the signature. A missing claim grants nothing: no
// e-mail address, no groups, the lowest role.
import { principalStart } from "../contract/rules/approval-answers.ts"
import { limits } from "../contract/limits.ts"
import { localOrg, publicOrg, type OrgRole, type Principal } from "./principal.ts"
import { isObject } from "../contract/json-object.ts"
import { equalInConstantTime } from "./constant-time.ts"

export type Claims = Readonly<Record<string, unknown>>

const orgRoles: Readonly<Record<string, OrgRole>> = {
  admin: "admin",
  curator: "curator",
  basic: "basic",
  user: "basic",
}
const MAX_GROUPS = 100

/** Undefined for claims without a subject, with a reserved name, or with an organisation that no token may name. */
export function principalFromClaims(claims: Claims): Principal | undefined {
  const email = emailIn(claims)
  const name = plainText(claims["sub"]) ?? (email === "" ? undefined : email)
  const org = orgIn(claims)
  if (name === undefined || name.toLowerCase().startsWith(principalStart) || org === undefined || org === localOrg)
    return undefined
  return {
    name,
    org,
    orgRole: orgRoleIn(claims["role"]),
    email,
    displayName: plainText(claims["name"]),
    groups: groupsIn(claims["groups"]),
    expiresAt: typeof claims["exp"] === "number" ? claims["exp"] * 1000 : undefined,
  }
}

/** Undefined for an invalid one: a member of another organisation must not be taken for a member of the public one. */
function orgIn(claims: Claims): string | undefined {
  const claimed = [claims["org"], claims["org_id"]].find((org) => org !== undefined && org !== null && org !== "")
  return claimed === undefined ? publicOrg : plainText(claimed)
}

/** An unknown role is the lowest. */
function orgRoleIn(role: unknown): OrgRole {
  return typeof role === "string" && Object.hasOwn(orgRoles, role) ? (orgRoles[role] ?? "basic") : "basic"
}

/**
 * Empty unless the address was verified. Only ASCII letters are lowered: beyond ASCII, addresses of two people could
 * become one. An address with a colon is refused, because `signed:ID` owns the conversations of signed visitors.
 */
function emailIn(claims: Claims): string {
  const email = claims["email_verified"] === false ? undefined : plainText(claims["email"])
  if (email === undefined || !/^[^\s:@]+@[^\s:@]+$/.test(email)) return ""
  return email.replaceAll(/[A-Z]+/g, (letters) => letters.toLowerCase())
}

function groupsIn(groups: unknown): readonly string[] {
  if (!Array.isArray(groups)) return []
  return groups.flatMap((group) => plainText(group) ?? []).slice(0, MAX_GROUPS)
}

function plainText(value: unknown): string | undefined {
  if (typeof value !== "string") return undefined
  const text = value.trim()
  return text === "" || text.length > limits.nameLength || !isPlain(text) ? undefined : text
}

/** Control characters break environment variables and log lines. */
function isPlain(text: string): boolean {
  return text.isWellFormed() && !/\p{Cc}/u.test(text)
}

export interface ProxyCredentials {
  /** Base64url of a JSON object. */
  readonly claims: string | undefined
  readonly secret: string | undefined
}

const MAX_CLAIMS_LENGTH = 8192

/**
 * Claims that an authenticating proxy sends in a header or in the URL. They are not signed: they are accepted only where
 * clients cannot reach the server past the proxy, or together with a shared secret.
 */
export function principalFromProxy(
  given: ProxyCredentials,
  secret: string | undefined,
  now: number,
): Principal | undefined {
  if (secret !== undefined && !equalInConstantTime(given.secret ?? "", secret)) return undefined
  const claims = claimsIn(given.claims ?? "")
  const principal = claims === undefined ? undefined : principalFromClaims(claims)
  const isExpired = principal?.expiresAt !== undefined && principal.expiresAt <= now
  return isExpired ? undefined : principal
}

function claimsIn(text: string): Claims | undefined {
  if (text.length > MAX_CLAIMS_LENGTH || !/^[A-Za-z0-9_-]+={0,2}$/.test(text)) return undefined
  try {
    const value: unknown = JSON.parse(Buffer.from(text, "base64url").toString("utf8"))
    return isObject(value) ? value : undefined
  } catch {
    return undefined
  }
}
