// The admin API: the caller, conversations and their messages, as JSON. Objects of another organisation look missing.
import type { HostPort } from "../contract/host-port.ts"
import { bearerToken, type HttpRequest, type Reply } from "./http/request.ts"
import { ConversationAccess, type Caller } from "../doors/ws/conversation-access.ts"
import type { SessionLine } from "../contract/views/status.ts"
import type { KeyHolder } from "../identity/keyring.ts"
import { localOrg, publicOrg, rolesOf, type Principal } from "../identity/principal.ts"
import { titleOf } from "../protocols/ws/message-rows.ts"

export interface AdminDeps {
  /** Undefined while the server starts. */
  readonly port: HostPort | undefined
  /** Without authentication every token is accepted. */
  readonly isOpen: boolean
  readonly holderOf: (key: string) => Promise<KeyHolder | undefined>
  /** The principal of a token or of the proxy's claims. */
  readonly principalOf: () => Promise<Principal | undefined>
}

const DEFAULT_ROWS = 50
const MAX_ROWS = 200
const MAX_CONVERSATIONS = 1000

export async function handleAdmin(deps: AdminDeps, request: HttpRequest): Promise<Reply> {
  if (request.path === "/admin/health") return json(200, { status: "ok" })
  const principal = await identify(deps, request)
  if ("status" in principal) return principal
  return { ...(await route(deps, request, principal)), principal: principal.name }
}

async function route({ port }: AdminDeps, request: HttpRequest, principal: Principal): Promise<Reply> {
  const messages = /^\/admin\/conversations\/([^/]+)\/messages$/.exec(request.path)?.[1]
  if (request.path === "/admin/me")
    return json(200, { userId: principal.name, orgId: principal.org, role: principal.orgRole })
  if (request.path !== "/admin/conversations" && messages === undefined) return notFound
  if (port === undefined) return failed(503, "UNAVAILABLE", "The server is starting. Try again in a moment.")
  if (messages === undefined) return conversations(port, request, principal)
  return messagesOf(port, request, principal, messages)
}

/** The owner's key is valid for every organisation, chosen by `?org=`. */
async function identify(
  { isOpen, holderOf, principalOf }: AdminDeps,
  request: HttpRequest,
): Promise<Principal | Reply> {
  const token = bearerToken(request)
  const holder = token === undefined ? undefined : await holderOf(token)
  if (holder?.roles !== undefined) return failed(403, "FORBIDDEN", "Share links are for /house only.")
  if (holder !== undefined) return ownerPrincipal(holder.name, request.query.get("org") ?? publicOrg)
  if (isOpen && token !== undefined) return ownerPrincipal("visitor", publicOrg)
  const principal = await principalOf()
  if (principal !== undefined) return principal
  if (token !== undefined) return failed(401, "INVALID_TOKEN", "The token is invalid.")
  return failed(401, "UNAUTHENTICATED", "A token is required: Authorization: Bearer TOKEN")
}

function ownerPrincipal(name: string, org: string): Principal | Reply {
  if (org === localOrg) return notFound
  return { name, org, orgRole: "admin", email: "", displayName: undefined, groups: [], expiresAt: undefined }
}

async function conversations(port: HostPort, { query }: HttpRequest, principal: Principal): Promise<Reply> {
  const [limit, from] = [
    numberIn(query, "limit", DEFAULT_ROWS, MAX_ROWS),
    numberIn(query, "cursor", 0, MAX_CONVERSATIONS),
  ]
  const found = await new ConversationAccess(port, callerOf(principal)).conversations(
    Math.min(from + limit + 1, MAX_CONVERSATIONS),
  )
  const page = found.slice(from, from + limit)
  const nextCursor = found.length > from + limit ? String(from + limit) : null
  return json(200, { conversations: page.map(conversation), nextCursor })
}

function conversation({ sessionId, createdAt, updatedAt, status }: SessionLine) {
  const name = status.name ?? titleOf(status.title ?? "")
  return { id: sessionId, name, platform: "web", createdAt: iso(createdAt), updatedAt: iso(updatedAt) }
}

async function messagesOf(
  port: HostPort,
  { query }: HttpRequest,
  principal: Principal,
  sessionId: string,
): Promise<Reply> {
  const access = new ConversationAccess(port, callerOf(principal))
  const line = await access.conversation(sessionId)
  if (line === undefined) return notFound
  const limit = numberIn(query, "limit", DEFAULT_ROWS, MAX_ROWS)
  const page = await access.messages.page(line.sessionId, limit, query.get("cursor") ?? undefined)
  return page === undefined ? failed(400, "VALIDATION_ERROR", "The cursor is unknown.") : json(200, page)
}

/** Principals with the role watch see all conversations of the organisation, others their own. */
function callerOf({ name: principal, org, email: owner, orgRole }: Principal): Caller {
  return { principal, org, owner, reach: rolesOf(orgRole).includes("watch") ? "all" : "own" }
}

function numberIn(query: URLSearchParams, name: string, fallback: number, max: number): number {
  const number = Number(query.get(name) ?? fallback)
  return Number.isSafeInteger(number) && number >= 0 ? Math.min(number || fallback, max) : fallback
}

function iso(time: number): string {
  return new Date(time).toISOString()
}

const notFound = failed(404, "NOT_FOUND", "Not found.")

function failed(status: number, code: string, message: string): Reply {
  const headers = status === 401 ? { "www-authenticate": "Bearer" } : {}
  return { ...json(status, { error: { code, message } }), headers }
}

function json(status: number, value: object): Reply {
  return { status, text: JSON.stringify(value), type: "application/json; charset=utf-8" }
}
