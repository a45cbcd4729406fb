// Who is calling, as a token, a proxy or nobody at all says it. What they may do follows from their place in their
// organisation; what they may see, from the organisation and their e-mail address.
import type { Role } from "../contract/values.ts"

export type Place = "admin" | "curator" | "basic" | "anonymous"

export interface Principal {
  /** What logs and events call them. */
  readonly name: string
  readonly org: string
  readonly place: Place
  /** In lower case; empty where none is known. Conversations belong to it. */
  readonly email: string
  readonly displayName: string | undefined
  /** Which documents of the organisation they may read. */
  readonly groups: readonly string[]
  /** After this moment they are nobody any more. */
  readonly expiresAt: number | undefined
}

/** The organisation of everybody whom nobody vouches for. */
export const publicOrg = "public"
/** The organisation of sessions that people of this machine started: no caller from the network is ever in it. */
export const localOrg = "local"

export const anonymous: Principal = {
  name: "anonymous",
  org: publicOrg,
  place: "anonymous",
  email: "",
  displayName: undefined,
  groups: [],
  expiresAt: undefined,
}

/** What somebody may do with the sessions of their organisation that are not their own conversations. */
export function rolesIn(place: Place): Role[] {
  switch (place) {
    case "admin":
      return ["watch", "drive", "approve"]
    case "curator":
      return ["watch", "approve"]
    case "basic":
    case "anonymous":
      return []
  }
}
