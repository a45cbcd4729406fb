// The part of the admin API that others build on: who am I, which conversations are there, what was said in one. Answers
// are JSON; whatever is another organisation's is not there.
import type { HostPort } from "../contract/host-port.ts"
import { bearerIn, type Asked, type Reply } from "./http/request.ts"
import { ConversationAccess, type Caller, type ConversationStatus } from "../doors/ws/conversation-access.ts"
import type { KeyHolder } from "../identity/keyring.ts"
import { localOrg, publicOrg, rolesOf, type Principal } from "../identity/principal.ts"
import { titleOf } from "../protocols/ws/message-rows.ts"

export interface AdminDeps {
  /** Not there while the server starts. */
  readonly port: HostPort | undefined
  /** Nobody is told apart here: every token will do. */
  readonly isOpen: boolean
  readonly holderOf: (key: string) => KeyHolder | undefined
  /** Whoever a token or a proxy vouches for. */
  readonly principalOf: () => Promise<Principal | undefined>
}

const usualLimit = 50
const mostRows = 200
const mostConversations = 1000

export async function answerAdmin(deps: AdminDeps, asked: Asked): Promise<Reply> {
  if (asked.path === "/admin/health") return json(200, { status: "ok" })
  const who = await whoAsks(deps, asked)
  if ("status" in who) return who
  return { ...(await answerTo(deps, asked, who)), principal: who.name }
}

async function answerTo({ port }: AdminDeps, asked: Asked, who: Principal): Promise<Reply> {
  const messages = /^\/admin\/conversations\/([^/]+)\/messages$/.exec(asked.path)?.[1]
  if (asked.path === "/admin/me") return json(200, { userId: who.name, orgId: who.org, role: who.orgRole })
  if (asked.path !== "/admin/conversations" && messages === undefined) return notFound
  if (port === undefined) return failed(503, "UNAVAILABLE", "The server is starting. Try again in a moment.")
  if (messages === undefined) return conversations(port, asked, who)
  return messagesOf(port, asked, who, messages)
}

/** The owner's key is good for every organisation; it says which by `?org=`. */
async function whoAsks({ isOpen, holderOf, principalOf }: AdminDeps, asked: Asked): Promise<Principal | Reply> {
  const token = bearerIn(asked)
  const holder = token === undefined ? undefined : holderOf(token)
  if (holder?.roles !== undefined) return failed(403, "FORBIDDEN", "A link is for /house.")
  if (holder !== undefined) return ownerAsking(holder.name, asked.query.get("org") ?? publicOrg)
  if (isOpen && token !== undefined) return ownerAsking("visitor", publicOrg)
  const principal = await principalOf()
  if (principal !== undefined) return principal
  if (token !== undefined) return failed(401, "INVALID_TOKEN", "The token does not count here.")
  return failed(401, "UNAUTHENTICATED", "A token is needed: Authorization: Bearer …")
}

function ownerAsking(name: string, org: string): Principal | Reply {
  if (org === localOrg) return notFound
  return { name, org, orgRole: "admin", email: "", displayName: undefined, groups: [], expiresAt: undefined }
}

async function conversations(port: HostPort, { query }: Asked, who: Principal): Promise<Reply> {
  const [limit, from] = [
    numberIn(query, "limit", usualLimit, mostRows),
    numberIn(query, "cursor", 0, mostConversations),
  ]
  const lines = await new ConversationAccess(port, callerOf(who)).conversations(
    Math.min(from + limit + 1, mostConversations),
  )
  const page = lines.slice(from, from + limit)
  const nextCursor = lines.length > from + limit ? String(from + limit) : null
  return json(200, { conversations: page.map(conversation), nextCursor })
}

function conversation({ sessionId, createdAt, updatedAt, status }: ConversationStatus) {
  const name = status.name ?? titleOf(status.title ?? "")
  return { id: sessionId, name, platform: "web", createdAt: iso(createdAt), updatedAt: iso(updatedAt) }
}

async function messagesOf(port: HostPort, { query }: Asked, who: Principal, sessionId: string): Promise<Reply> {
  const access = new ConversationAccess(port, callerOf(who))
  const line = await access.conversation(sessionId)
  if (line === undefined) return notFound
  const limit = numberIn(query, "limit", usualLimit, mostRows)
  const page = await access.messages.page(line.sessionId, limit, query.get("cursor") ?? undefined)
  return page === undefined ? failed(400, "VALIDATION_ERROR", "The cursor is not known.") : json(200, page)
}

/** Whoever may look at the sessions of the organisation sees all of them, everybody else their own. */
function callerOf({ name: principal, org, email: owner, orgRole }: Principal): Caller {
  return { principal, org, owner, reach: rolesOf(orgRole).includes("watch") ? "all" : "own" }
}

function numberIn(query: URLSearchParams, name: string, usual: number, most: number): number {
  const number = Number(query.get(name) ?? usual)
  return Number.isSafeInteger(number) && number >= 0 ? Math.min(number || usual, most) : usual
}

function iso(time: number): string {
  return new Date(time).toISOString()
}

const notFound = failed(404, "NOT_FOUND", "There is nothing here.")

function failed(status: number, code: string, message: string): Reply {
  const headers = status === 401 ? { "www-authenticate": "Bearer" } : {}
  return { ...json(status, { error: { code, message } }), headers }
}

function json(status: number, value: object): Reply {
  return { status, text: JSON.stringify(value), type: "application/json; charset=utf-8" }
}
