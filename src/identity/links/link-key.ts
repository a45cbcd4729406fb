// The key in a share link: its rights, signed with a key derived from the home's console key. A bearer token, so it
// expires and can be revoked by its id.
import { createHmac, randomBytes } from "node:crypto"
import type { Role } from "../../contract/values.ts"
import { equalInConstantTime } from "../constant-time.ts"

export interface Link {
  readonly id: string
  /** `owner`: a browser that signed in with a code. */
  readonly role: Role | "owner"
  /** The only session that it gives access to. */
  readonly sessionId?: string | undefined
  /** `ws`: valid at /ws, for a visitor of its session. Absent: valid at /house. */
  readonly door?: "ws" | undefined
  readonly issuedAt: number
  readonly expiresAt: number
}

const PREFIX = "lnk_"
const MAX_KEY_LENGTH = 1000
const roles: ReadonlySet<unknown> = new Set(["watch", "drive", "approve", "owner"] satisfies Link["role"][])

export function newLinkId(): string {
  return PREFIX + randomBytes(9).toString("hex")
}

export function isLinkId(text: string): boolean {
  return /^lnk_[0-9a-f]{18}$/.test(text)
}

export function createLinkKey(consoleKey: string, link: Link): string {
  const payload = `${link.id}.${Buffer.from(JSON.stringify(link)).toString("base64url")}`
  return `${payload}.${signature(consoleKey, payload)}`
}

/** Undefined for a key with a wrong signature or an expired one. Revocation is checked by the caller. */
export function parseLinkKey(consoleKey: string, key: string, now: number): Link | undefined {
  const [id = "", body = "", signed = "", ...more] = key.length > MAX_KEY_LENGTH ? [] : key.split(".")
  if (more.length > 0 || !equalInConstantTime(signature(consoleKey, `${id}.${body}`), signed)) return undefined
  const link: unknown = JSON.parse(Buffer.from(body, "base64url").toString("utf8")) // signed by us
  return isLink(link) && link.id === id && link.expiresAt > now ? link : undefined
}

/** Driving and approving include watching. Undefined for the owner, who has all of them. */
export function linkRoles({ role }: Link): Role[] | undefined {
  if (role === "owner") return undefined
  return role === "watch" ? ["watch"] : ["watch", role]
}

export function isLink(value: unknown): value is Link {
  if (typeof value !== "object" || value === null) return false
  if (!("id" in value && "role" in value && "issuedAt" in value && "expiresAt" in value)) return false
  const { id, role, issuedAt, expiresAt } = value
  const isBound = !("sessionId" in value) || typeof value.sessionId === "string"
  const isPlaced = !("door" in value) || value.door === "ws"
  return (
    typeof id === "string" &&
    roles.has(role) &&
    typeof issuedAt === "number" &&
    typeof expiresAt === "number" &&
    isBound &&
    isPlaced
  )
}

function signature(consoleKey: string, payload: string): string {
  const key = createHmac("sha256", consoleKey).update("turnhouse link").digest()
  return createHmac("sha256", key).update(payload).digest("base64url")
}
