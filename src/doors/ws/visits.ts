// Visits and conversations as this door knows them: whose they are is looked at on every read, and what is not the
// caller's is answered exactly like what is not there.
import type { HousePort } from "../../contract/house-port.ts"
import type { SessionId } from "../../contract/ids.ts"
import type { JsonValue } from "../../contract/values.ts"
import type { MessageRow } from "../../protocols/ws/frames.ts"
import { rowsIn } from "../../protocols/ws/rows.ts"

/** Who is at the other end of a socket. */
export interface Caller {
  readonly principal: string
  readonly org: string
  /** To whom their conversations belong; empty where everybody of the organisation may read them. */
  readonly owner: string
}

export interface Visit {
  readonly visitId: string
  readonly sessionId: SessionId
  readonly agentId: string
  readonly participants: { readonly user: string; readonly agent: string }
}

export interface Line {
  readonly sessionId: SessionId
  readonly updatedAt: number
  readonly status: {
    readonly name?: string
    readonly title?: string
    readonly org: string
    readonly owner: string
    readonly life: "open" | "ended"
    readonly inTurn: boolean
  }
}

/** Visits that a socket remembers: whose they are never changes. */
const mostKnown = 100

const uuid = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

export class Registry {
  readonly #port: HousePort
  readonly #caller: Caller
  readonly #known = new Map<string, Visit>()

  constructor(port: HousePort, caller: Caller) {
    this.#port = port
    this.#caller = caller
  }

  /** Nothing where there is none, or it is another's. */
  async visit(visitId: string): Promise<Visit | undefined> {
    const known = this.#known.get(visitId)
    if (known !== undefined || !uuid.test(visitId)) return known
    const found = await this.#port.query({ type: "visit", visitId })
    if (found.kind === "refused" || !isFoundVisit(found.value)) return undefined
    const { sessionId, visit } = found.value
    if ((await this.line(sessionId)) === undefined) return undefined
    return this.remember({ ...visit, sessionId })
  }

  remember(visit: Visit): Visit {
    this.#known.set(visit.visitId, visit)
    const oldest = this.#known.size > mostKnown ? this.#known.keys().next() : undefined
    if (oldest?.done === false) this.#known.delete(oldest.value)
    return visit
  }

  async line(sessionId: string): Promise<Line | undefined> {
    if (!uuid.test(sessionId)) return undefined
    const found = await this.#port.query({ type: "session", sessionId })
    return found.kind === "answer" && isLine(found.value) && this.#mayRead(found.value) ? found.value : undefined
  }

  async lines(limit: number): Promise<readonly Line[]> {
    const { org, owner } = this.#caller
    const mine = owner === "" ? { org } : { org, owner }
    const found = await this.#port.query({ type: "conversations", ...mine, limit })
    return found.kind === "answer" && Array.isArray(found.value) ? found.value.filter(isLine) : []
  }

  /** Of the newest turns, newest first. */
  async rows(sessionId: SessionId, turns: number): Promise<readonly MessageRow[]> {
    const found = await this.#port.query({ type: "scene", sessionId, turns })
    return found.kind === "answer" ? rowsIn(sessionId, found.value) : []
  }

  async hasSkill(sessionId: SessionId, name: string): Promise<boolean> {
    const found = await this.#port.query({ type: "skills", sessionId })
    return found.kind === "answer" && Array.isArray(found.value) && found.value.includes(name)
  }

  #mayRead({ status: { org, owner } }: Line): boolean {
    return org === this.#caller.org && (owner === "" || owner === this.#caller.owner)
  }
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
