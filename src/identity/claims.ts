// The claims of a token as a principal. Nothing here looks at a signature: whoever calls has done that, or trusts where
// the claims come from. What is missing is read as the least: no e-mail address, no groups, no rights.
import { principalStart } from "../contract/approval-policy.ts"
import { limits } from "../contract/limits.ts"
import { localOrg, publicOrg, type Place, type Principal } from "./principal.ts"

export type Claims = Readonly<Record<string, unknown>>

const places: Readonly<Record<string, Place>> = { admin: "admin", curator: "curator", basic: "basic", user: "basic" }
const mostGroups = 100

/** Undefined for claims without a subject, with a reserved name, or with an organisation that no token may have. */
export function principalIn(claims: Claims): Principal | undefined {
  const email = emailIn(claims)
  const name = words(claims["sub"]) ?? (email === "" ? undefined : email)
  const org = orgIn(claims)
  if (name === undefined || name.toLowerCase().startsWith(principalStart) || org === undefined || org === localOrg)
    return undefined
  return {
    name,
    org,
    place: placeIn(claims["role"]),
    email,
    displayName: words(claims["name"]),
    groups: groupsIn(claims["groups"]),
    expiresAt: typeof claims["exp"] === "number" ? claims["exp"] * 1000 : undefined,
  }
}

/** One that cannot be read is none of ours: whoever is somewhere else must not land among those who are nowhere. */
function orgIn(claims: Claims): string | undefined {
  const given = [claims["org"], claims["org_id"]].find((org) => org !== undefined && org !== null && org !== "")
  return given === undefined ? publicOrg : words(given)
}

/** A place that is not known is the lowest. */
function placeIn(role: unknown): Place {
  return typeof role === "string" && Object.hasOwn(places, role) ? (places[role] ?? "basic") : "basic"
}

/**
 * Somebody else may have typed in an address that its owner never confirmed. Letters are the same in both cases only
 * within ASCII: beyond it two addresses of two people would become one. What has a colon is not an address, and might
 * be what conversations of signed visitors belong to.
 */
function emailIn(claims: Claims): string {
  const email = claims["email_verified"] === false ? undefined : words(claims["email"])
  if (email === undefined || !/^[^\s:@]+@[^\s:@]+$/.test(email)) return ""
  return email.replaceAll(/[A-Z]+/g, (letters) => letters.toLowerCase())
}

function groupsIn(groups: unknown): readonly string[] {
  if (!Array.isArray(groups)) return []
  return groups.flatMap((group) => words(group) ?? []).slice(0, mostGroups)
}

function words(value: unknown): string | undefined {
  if (typeof value !== "string") return undefined
  const text = value.trim()
  return text === "" || text.length > limits.nameLength || !isPlain(text) ? undefined : text
}

/** No program's environment and no line of a log takes control characters. */
function isPlain(text: string): boolean {
  return text.isWellFormed() && !/\p{Cc}/u.test(text)
}
