// Visits and conversations that one caller may read. Every read checks the owner; an object of another owner gives the
// same answer, after the same time, as one that does not exist.
import type { HostPort } from "../../contract/host-port.ts"
import type { SessionId } from "../../contract/ids.ts"
import type { Queries } from "../../contract/queries.ts"
import type { Contact } from "../../contract/values.ts"
import type { SessionLine } from "../../contract/views/status.ts"
import { setBounded } from "./sent-messages.ts"
import { MessagePages } from "./message-pages.ts"

/** Conversations that can be read: those of an organisation that have no owner, or this one. */
export interface Scope {
  readonly org: string
  /** Empty for conversations without an owner. */
  readonly owner: string
}

/** The authenticated or anonymous user of a socket. */
export interface Caller extends Scope {
  readonly principal: string
  /**
   * What `list_conversations` shows. Default "own": the caller's conversations; ones without an owner can be read by id.
   * "ownerless", without authentication: all without an owner. "all", for staff: all of the organisation.
   */
  readonly reach?: "own" | "ownerless" | "all"
  readonly isAnonymous?: boolean
  /** Staff of the organisation may use internal agents. */
  readonly isStaff?: boolean
  /** Contact data from the token. */
  readonly contact?: Contact
  readonly groups?: readonly string[]
  /** Origin of the web page, from the handshake. */
  readonly origin?: string | undefined
  /** The only session that a share link opens, whatever its organisation. */
  readonly granted?: string
  /** Whether the socket may stay open: a link can be revoked. */
  readonly isValid?: () => boolean
  /** Account whose allowance of frames and sessions is used. */
  readonly account?: string
}

export interface Visit {
  readonly visitId: string
  readonly sessionId: SessionId
  /** To which the conversation belongs. */
  readonly org: string
  readonly agentId: string
  readonly participants: { readonly user: string; readonly agent: string }
}

/** Visits cached per socket; the owner of a visit never changes. Older ones are looked up again. */
const MAX_CACHED_VISITS = 100

/** Scopes of one socket. The oldest admission is dropped; its visitor must create a session again. */
const MAX_SCOPES = 50

/** Least time of a negative answer: longer than it takes to find that an object has another owner. */
const MIN_NOT_FOUND_MS = 20

/** The organisation of sessions that were not started over the network. */
const localOrg = "local"

const uuid = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

export class ConversationAccess {
  readonly messages: MessagePages
  /** As connected, before any admission. */
  readonly caller: Caller
  readonly #port: HostPort
  /** Called when the socket has a session. */
  readonly #onVisit: () => void
  readonly #visits = new Map<string, Visit>()
  /** Of the caller as connected, and of each admission to an agent. */
  readonly #scopes: Scope[]

  constructor(port: HostPort, caller: Caller, onVisit: () => void = () => {}) {
    this.#port = port
    this.#onVisit = onVisit
    this.messages = new MessagePages(port)
    this.caller = caller
    this.#scopes = [caller]
  }

  /** Adds the scope of an admission. */
  addScope(scope: Scope): void {
    if (this.#scopes.some(({ org, owner }) => org === scope.org && owner === scope.owner)) return
    this.#scopes.push(scope)
    if (this.#scopes.length > MAX_SCOPES) this.#scopes.splice(1, 1)
  }

  /** Undefined if there is none, or it has another owner. */
  async visit(visitId: string): Promise<Visit | undefined> {
    const cached = this.#visits.get(visitId)
    if (cached !== undefined) return cached
    return notFoundAfterDelay(async () => {
      const found = uuid.test(visitId) ? await this.#port.query({ type: "visit", visitId, brief: true }) : undefined
      if (found?.kind !== "answer") return undefined
      const { sessionId, visit } = found.value
      const conversation = await this.#conversation(sessionId)
      if (conversation === undefined) return undefined
      return this.remember({ ...visit, sessionId, org: conversation.status.org })
    })
  }

  remember(visit: Visit): Visit {
    this.#onVisit()
    setBounded(this.#visits, visit.visitId, visit, MAX_CACHED_VISITS)
    return visit
  }

  conversation(sessionId: string): Promise<SessionLine | undefined> {
    return notFoundAfterDelay(() => this.#conversation(sessionId))
  }

  /** Newest first. */
  async conversations(limit: number): Promise<readonly SessionLine[]> {
    const { reach, org: home } = this.caller
    if (reach === "all") return this.#find({ org: home, limit })
    const scopes = this.#scopes.filter(({ owner }) => owner !== "" || reach === "ownerless")
    const found = await Promise.all(scopes.map(({ org, owner }) => this.#find({ org, owner, limit })))
    return found
      .flat()
      .toSorted((one, other) => other.updatedAt - one.updatedAt)
      .slice(0, limit)
  }

  async hasSkill(sessionId: SessionId, name: string): Promise<boolean> {
    const found = await this.#port.query({ type: "skills", sessionId })
    return found.kind === "answer" && found.value.includes(name)
  }

  async #conversation(sessionId: string): Promise<SessionLine | undefined> {
    if (!uuid.test(sessionId)) return undefined
    const found = await this.#port.query({ type: "session", sessionId })
    return found.kind === "answer" && this.#mayRead(found.value) ? found.value : undefined
  }

  async #find(filter: Omit<Queries["conversations"], "type">): Promise<readonly SessionLine[]> {
    const found = await this.#port.query({ type: "conversations", ...filter })
    return found.kind === "answer" ? found.value : []
  }

  /** A session of a local user is reported as missing; a new conversation in its place would look like it. */
  async isLocal(sessionId: string): Promise<boolean> {
    const found = uuid.test(sessionId) ? await this.#port.query({ type: "session", sessionId }) : undefined
    return found?.kind === "answer" && found.value.status.org === localOrg
  }

  #mayRead({ sessionId, status: { org, owner } }: SessionLine): boolean {
    if (this.caller.granted !== undefined) return sessionId === this.caller.granted
    if (this.caller.reach === "all") return org === this.caller.org
    return this.#scopes.some((scope) => org === scope.org && (owner === "" || owner === scope.owner))
  }
}

/** A faster negative answer would reveal that the object does not exist. */
async function notFoundAfterDelay<Found>(find: () => Promise<Found | undefined>): Promise<Found | undefined> {
  const startedAt = performance.now()
  const found = await find()
  const left = MIN_NOT_FOUND_MS - (performance.now() - startedAt)
  if (found === undefined && left > 0) await new Promise((resolve) => setTimeout(resolve, left))
  return found
}
