// Visits and conversations as this door knows them: whose they are is looked at on every read, and what is not the
// caller's is answered exactly like what is not there, and no sooner or later.
import type { HousePort } from "../../contract/house-port.ts"
import type { SessionId } from "../../contract/ids.ts"
import type { QueryOf } from "../../contract/queries.ts"
import type { Contact, JsonValue } from "../../contract/values.ts"
import { MessagePages } from "./message-pages.ts"

/** Whose conversations can be read: those of an organisation that belong to nobody, or to this owner. */
export interface Scope {
  readonly org: string
  /** Empty where nobody in particular is meant. */
  readonly owner: string
}

/** Who is at the other end of a socket. */
export interface Caller extends Scope {
  readonly principal: string
  /**
   * What they see in their organisation: usually what is their own, and by its id what is nobody's. Where nobody is told
   * apart, all that is nobody's. Its own people see all of it.
   */
  readonly reach?: "own" | "nobody's" | "all"
  /** Nobody vouches for them. */
  readonly isAnonymous?: boolean
  /** One of the organisation's own people: agents that are for those alone let them in. */
  readonly isStaff?: boolean
  /** What is known of them before they say anything. */
  readonly contact?: Contact
  readonly groups?: readonly string[]
  /** The web site whose page this is. */
  readonly origin?: string | undefined
  /** The one session that a link opens to them, whatever its organisation. They get no other. */
  readonly granted?: string
  /** Whether they may stay: a link can be revoked. */
  readonly isGood?: () => boolean
  /** Whose allowance of frames and visits they use up. */
  readonly account?: string
}

export interface Visit {
  readonly visitId: string
  readonly sessionId: SessionId
  readonly agentId: string
  readonly participants: { readonly user: string; readonly agent: string }
}

export interface Line {
  readonly sessionId: SessionId
  readonly createdAt: number
  readonly updatedAt: number
  readonly status: {
    readonly name?: string
    readonly title?: string
    readonly org: string
    readonly owner: string
    /** Absent in conversations of older releases. */
    readonly agentId?: string
    readonly life: "open" | "ended"
    readonly inTurn: boolean
    readonly messages?: { readonly count?: number }
  }
}

/** Visits that a socket remembers: whose they are never changes. */
const mostKnown = 100

const mostScopes = 50

/** How long a no takes at least: longer than finding out that something is another's. */
const hidingMs = 20

/** The organisation of sessions that were not started over the network. */
const localOrg = "local"

const uuid = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

export class Registry {
  readonly messages: MessagePages
  /** As who they came. */
  readonly caller: Caller
  readonly #port: HousePort
  /** A session exists on this socket. */
  readonly #onVisit: () => void
  readonly #known = new Map<string, Visit>()
  /** What this socket may read: as who it came, and as whom it was let in to agents since. */
  readonly #scopes: Scope[]

  constructor(port: HousePort, caller: Caller, onVisit: () => void = () => {}) {
    this.#port = port
    this.#onVisit = onVisit
    this.messages = new MessagePages(port)
    this.caller = caller
    this.#scopes = [caller]
  }

  /** Of very many the oldest is forgotten: whoever it was comes in again. */
  widen(scope: Scope): void {
    if (this.#scopes.some(({ org, owner }) => org === scope.org && owner === scope.owner)) return
    this.#scopes.push(scope)
    if (this.#scopes.length > mostScopes) this.#scopes.splice(1, 1)
  }

  /** Nothing where there is none, or it is another's. */
  async visit(visitId: string): Promise<Visit | undefined> {
    const known = this.#known.get(visitId)
    if (known !== undefined) return known
    return hidden(async () => {
      const found = uuid.test(visitId) ? await this.#port.query({ type: "visit", visitId, brief: true }) : undefined
      if (found?.kind !== "answer" || !isFoundVisit(found.value)) return undefined
      const { sessionId, visit } = found.value
      return (await this.#line(sessionId)) === undefined ? undefined : this.remember({ ...visit, sessionId })
    })
  }

  remember(visit: Visit): Visit {
    this.#onVisit()
    this.#known.set(visit.visitId, visit)
    const oldest = this.#known.size > mostKnown ? this.#known.keys().next() : undefined
    if (oldest?.done === false) this.#known.delete(oldest.value)
    return visit
  }

  line(sessionId: string): Promise<Line | undefined> {
    return hidden(() => this.#line(sessionId))
  }

  /** Newest first. */
  async lines(limit: number): Promise<readonly Line[]> {
    const { reach, org: home } = this.caller
    if (reach === "all") return this.#linesOf({ org: home, limit })
    const asked = this.#scopes.filter(({ owner }) => owner !== "" || reach === "nobody's")
    const found = await Promise.all(asked.map(({ org, owner }) => this.#linesOf({ org, owner, limit })))
    return found
      .flat()
      .toSorted((one, other) => other.updatedAt - one.updatedAt)
      .slice(0, limit)
  }

  async hasSkill(sessionId: SessionId, name: string): Promise<boolean> {
    const found = await this.#port.query({ type: "skills", sessionId })
    return found.kind === "answer" && Array.isArray(found.value) && found.value.includes(name)
  }

  async #line(sessionId: string): Promise<Line | undefined> {
    if (!uuid.test(sessionId)) return undefined
    const found = await this.#port.query({ type: "session", sessionId })
    return found.kind === "answer" && isLine(found.value) && this.#mayRead(found.value) ? found.value : undefined
  }

  async #linesOf(meant: Omit<QueryOf<"conversations">, "type">): Promise<readonly Line[]> {
    const found = await this.#port.query({ type: "conversations", ...meant })
    return found.kind === "answer" && Array.isArray(found.value) ? found.value.filter(isLine) : []
  }

  /** Sessions of this machine's own users are reported as missing; a new conversation would look like one of them. */
  async isLocal(sessionId: string): Promise<boolean> {
    const found = uuid.test(sessionId) ? await this.#port.query({ type: "session", sessionId }) : undefined
    return found?.kind === "answer" && isLine(found.value) && found.value.status.org === localOrg
  }

  #mayRead({ sessionId, status: { org, owner } }: Line): boolean {
    if (this.caller.granted !== undefined) return sessionId === this.caller.granted
    if (this.caller.reach === "all") return org === this.caller.org
    return this.#scopes.some((scope) => org === scope.org && (owner === "" || owner === scope.owner))
  }
}

/** A no that comes too soon would tell that there is nothing to hide. */
async function hidden<Found>(look: () => Promise<Found | undefined>): Promise<Found | undefined> {
  const begunAt = performance.now()
  const found = await look()
  const left = hidingMs - (performance.now() - begunAt)
  if (found === undefined && left > 0) await new Promise((resolve) => setTimeout(resolve, left))
  return found
}

interface FoundVisit {
  readonly sessionId: SessionId
  readonly visit: Omit<Visit, "sessionId">
}

/** Answers of a house are of its own making; what is looked at here is that it is the answer that was meant. */
function isFoundVisit(value: JsonValue): value is FoundVisit & JsonValue {
  return has(value, "sessionId") && has(value, "visit")
}

function isLine(value: JsonValue): value is Line & JsonValue {
  return has(value, "sessionId") && has(value, "status")
}

function has(value: JsonValue, name: string): boolean {
  return typeof value === "object" && value !== null && !Array.isArray(value) && Object.hasOwn(value, name)
}
