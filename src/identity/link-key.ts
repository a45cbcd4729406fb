// The key in a link: what it is good for, signed. Whoever has it needs nothing else, so it has an end, and it can be
// called back by its id. The signature is made with a key of its own, derived from the home's console key.
import { createHmac, randomBytes } from "node:crypto"
import type { Role } from "../contract/values.ts"
import { isSameText } from "./same-text.ts"

export interface Link {
  readonly id: string
  readonly role: Role
  /** The only session that can be seen with it. */
  readonly sessionId?: string | undefined
  /** Where it counts: /ws for a visitor of its session. Absent: /house. */
  readonly door?: "ws" | undefined
  readonly issuedAt: number
  readonly expiresAt: number
}

const prefix = "lnk_"
const longestKey = 1000
const roles: ReadonlySet<unknown> = new Set(["watch", "drive", "approve"] satisfies Role[])

export function newLinkId(): string {
  return prefix + randomBytes(9).toString("hex")
}

export function isLinkId(text: string): boolean {
  return /^lnk_[0-9a-f]{18}$/.test(text)
}

export function linkKey(consoleKey: string, link: Link): string {
  const words = `${link.id}.${Buffer.from(JSON.stringify(link)).toString("base64url")}`
  return `${words}.${signature(consoleKey, words)}`
}

/** Nothing for a key that is not ours, or over. Whether it was called back is not known here. */
export function linkIn(consoleKey: string, key: string, now: number): Link | undefined {
  const [id = "", body = "", signed = "", ...more] = key.length > longestKey ? [] : key.split(".")
  if (more.length > 0 || !isSameText(signature(consoleKey, `${id}.${body}`), signed)) return undefined
  const link: unknown = JSON.parse(Buffer.from(body, "base64url").toString("utf8")) // of our own making
  return isLink(link) && link.id === id && link.expiresAt > now ? link : undefined
}

/** What comes with a role: who may speak or approve must see what it is about. */
export function rolesOfLink({ role }: Link): Role[] {
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

function signature(consoleKey: string, words: string): string {
  const key = createHmac("sha256", consoleKey).update("turnhouse link").digest()
  return createHmac("sha256", key).update(words).digest("base64url")
}
