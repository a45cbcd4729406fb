// The caller of the server, as identified by a token, a proxy or not at all. Its role in the organisation decides what
// it may do; the organisation and the e-mail address decide which conversations it sees.
import type { Role } from "../contract/values.ts"

export type OrgRole = "admin" | "curator" | "basic" | "anonymous"

export interface Principal {
  /** Shown in logs and events. */
  readonly name: string
  readonly org: string
  readonly orgRole: OrgRole
  /** In lower case; empty if unknown. Owns the principal's conversations. */
  readonly email: string
  readonly displayName: string | undefined
  /** Decide which documents of the organisation the principal may read. */
  readonly groups: readonly string[]
  /** The principal is not authenticated after this time. */
  readonly expiresAt: number | undefined
}

/** The organisation of callers without one. */
export const publicOrg = "public"
/** The organisation of sessions started on this machine. No caller from the network belongs to it. */
export const localOrg = "local"

export const anonymous: Principal = {
  name: "anonymous",
  org: publicOrg,
  orgRole: "anonymous",
  email: "",
  displayName: undefined,
  groups: [],
  expiresAt: undefined,
}

/** What a principal may do with sessions of its organisation that are not its own conversations. */
export function rolesOf(orgRole: OrgRole): Role[] {
  switch (orgRole) {
    case "admin":
      return ["watch", "drive", "approve"]
    case "curator":
      return ["watch", "approve"]
    case "basic":
    case "anonymous":
      return []
  }
}
