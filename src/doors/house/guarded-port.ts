// The house as somebody sees it who is not its owner: only the sessions that they may see, and what their roles allow.
// What they may not see looks as if it were not there. Every question stands in a table, so a new one is not let through
// before somebody has decided who may ask it; which role a command takes is known to the session.
import type { SessionCommand } from "../../contract/commands.ts"
import type { Answered, HostPort, OpenedHandle, SendOutcome, SessionHandle, Watcher } from "../../contract/host-port.ts"
import type { SessionId } from "../../contract/ids.ts"
import type { HostQuery } from "../../contract/queries.ts"
import type { Refusal } from "../../contract/refusals.ts"
import type { SessionOptions } from "../../contract/session-options.ts"
import type { JsonValue, Role, Who } from "../../contract/values.ts"
import { memberOf } from "../../protocols/house/members.ts"

export interface Rights {
  readonly roles: readonly Role[]
  /** One session, those of one organisation, or all. */
  readonly sees: { readonly sessionId: SessionId } | { readonly org: string } | "everything"
}

/** A role; or to see everything, or to be the owner, which nobody is here. */
type Need = Role | "everything" | "owner"

const queryNeeds = {
  sessions: "watch",
  session: "watch",
  transcript: "watch",
  scene: "watch",
  visit: "watch",
  conversations: "watch",
  context: "watch",
  approvals: "watch",
  tools: "watch",
  models: "watch",
  skills: "watch",
  commands: "watch",
  "run-command": "drive",
  "acquire-lock": "owner", // it says who else has one, and keeps the sessions of others waiting
  "release-lock": "owner",
  "set-lock-status": "owner",
  locks: "everything",
  extensions: "everything",
  host: "everything",
  "stage-files": "owner", // it reads any file of the machine
} satisfies Record<HostQuery["type"], Need>

export class GuardedPort implements HostPort {
  readonly #port: HostPort
  readonly #rights: Rights

  constructor(port: HostPort, rights: Rights) {
    this.#port = port
    this.#rights = rights
  }

  /** Variables of their shell do not count here: they would choose which programs run. */
  async open(sessionId: SessionId, by: Who): Promise<OpenedHandle> {
    if (!(await this.#sees(sessionId))) return unknown(sessionId)
    const { roles } = this.#rights
    const opened = await this.#port.open(sessionId, { ...by, roles: [...roles] })
    return opened.kind === "refused" ? opened : { kind: "opened", handle: new GuardedHandle(opened.handle) }
  }

  async create(_wish: SessionOptions, _by: Who): Promise<OpenedHandle> {
    return narrow(newSessions)
  }

  async query(query: HostQuery): Promise<Answered> {
    const missing = this.#missing(queryNeeds[query.type])
    if (missing !== undefined) return { kind: "refused", refusal: missing }
    if ("sessionId" in query && !(await this.#sees(query.sessionId))) return unknown(query.sessionId)
    if (query.type === "visit") return this.#visit(query)
    const answered = await this.#port.query(query)
    return answered.kind === "answer" && isList(query) ? this.#onlySeen(answered.value) : answered
  }

  #missing(need: Need): Refusal | undefined {
    const { roles, sees } = this.#rights
    if (need === "owner") return { code: "key.narrow", what: "only the owner may" }
    if (need === "everything")
      return sees === "everything" ? undefined : { code: "key.narrow", what: "it is about all sessions" }
    return roles.includes(need) ? undefined : { code: "role.missing", role: need }
  }

  async #visit(query: HostQuery & { readonly type: "visit" }): Promise<Answered> {
    const found = await this.#port.query({ ...query, brief: true }) // whose it is comes before what is known of it
    const sessionId = found.kind === "answer" ? memberOf(found.value, "sessionId") : undefined
    if (typeof sessionId !== "string" || !(await this.#sees(sessionId))) return unknown(query.visitId)
    return this.#port.query(query)
  }

  async #onlySeen(lines: JsonValue): Promise<Answered> {
    const seen: JsonValue[] = []
    for (const line of isArray(lines) ? lines : []) {
      const sessionId = memberOf(line, "sessionId")
      if (typeof sessionId === "string" && (await this.#sees(sessionId, line))) seen.push(line)
    }
    return { kind: "answer", value: seen }
  }

  /** The line of a session says whose it is; where none is at hand it is asked for. */
  async #sees(sessionId: SessionId, line?: JsonValue): Promise<boolean> {
    const { sees } = this.#rights
    if (sees === "everything") return true
    if ("sessionId" in sees) return sees.sessionId === sessionId
    const known = line === undefined ? undefined : memberOf(line, "status")
    const status = known ?? (await this.#statusOf(sessionId))
    return status !== undefined && memberOf(status, "org") === sees.org
  }

  async #statusOf(sessionId: SessionId): Promise<JsonValue | undefined> {
    const line = await this.#port.query({ type: "session", sessionId })
    return line.kind === "answer" ? memberOf(line.value, "status") : undefined
  }
}

/** Roles are the session's own business; here it is only kept from them what is the owner's. */
class GuardedHandle implements SessionHandle {
  readonly sessionId: SessionId
  readonly #handle: SessionHandle

  constructor(handle: SessionHandle) {
    this.sessionId = handle.sessionId
    this.#handle = handle
  }

  async send(command: SessionCommand): Promise<SendOutcome> {
    const what = whatIsTheOwners(command)
    return what === undefined ? this.#handle.send(command) : narrow(what)
  }

  watch(cursor: number, watcher: Watcher, signal?: AbortSignal): Promise<() => void> {
    return this.#handle.watch(cursor, watcher, signal)
  }
}

const newSessions = "new sessions are begun by the owner"

function whatIsTheOwners(command: SessionCommand): string | undefined {
  if (command.type === "open-visit") return "visitors come in through their own door"
  if (command.type === "prompt" && command.visitId !== undefined) return "whoever visits speaks for themselves"
  if (command.type === "approve" && command.remember?.scope === "folder")
    return "an answer for the whole folder is the owner's"
  if (command.type === "spawn") return newSessions
  if (command.type === "raise-budget") return "what may be spent is the owner's to say"
  return undefined
}

const lists: ReadonlySet<string> = new Set(["sessions", "conversations", "approvals"] satisfies HostQuery["type"][])

function isList({ type }: HostQuery): boolean {
  return lists.has(type)
}

function isArray(value: JsonValue): value is readonly JsonValue[] {
  return Array.isArray(value)
}

function unknown(wanted: string) {
  return { kind: "refused", refusal: { code: "session.unknown", wanted } } as const
}

function narrow(what: string) {
  return { kind: "refused", refusal: { code: "key.narrow", what } } as const
}
