// The host port for a client that is not the owner: only the sessions that its key opens, and what its roles allow. Other
// sessions look as if they did not exist. A table lists every query, so that a new one is refused until it has an entry;
// the session itself checks the role of a command.
import type { SessionCommand } from "../../contract/commands.ts"
import {
  type Answered,
  type HostPort,
  type OpenedHandle,
  type SessionHandle,
  sessionOfQuery,
} from "../../contract/host-port.ts"
import type { SessionId, VisitId } from "../../contract/ids.ts"
import type { HostCommandResults, HostCommands, HostCommandType } from "../../contract/host-commands.ts"
import type { Answers, Queries, QueryType } from "../../contract/queries.ts"
import type { SessionScope } from "../../contract/views/session-lists.ts"
import type { SessionStatus } from "../../contract/views/status.ts"
import type { Refusal } from "../../contract/refusals.ts"
import type { SessionOptions } from "../../contract/session-options.ts"
import type { Role, Who } from "../../contract/values.ts"

export interface Rights {
  readonly roles: readonly Role[]
  /** One session, those of one organisation, or all. */
  readonly sees: { readonly sessionId: SessionId } | OrgRights | "everything"
}

export interface OrgRights {
  readonly org: string
  /** Of the client in its organisation: they decide which documents it may read. */
  readonly groups?: readonly string[]
}

/** A role, a key for all sessions, a member of an organisation, or the owner, whose port is not guarded. */
type Need = Role | "everything" | "member" | "owner"

type Sees = (sessionId: SessionId, known?: SessionStatus) => Promise<boolean>
/** The part of an answer that the client may see. */
type Select<Value> = (value: Value, sees: Sees) => Promise<Value>

/** The query about what the client may see only. */
type Narrow<Query> = <Asked extends Query>(query: Asked, sees: Rights["sees"]) => Asked

interface Rule<Query, Value> {
  readonly need: Need
  readonly select: Select<Value>
  readonly narrow: Narrow<Query>
}

function rule<Value>(need: Need, select: Select<Value> = async (value) => value) {
  return { need, select, narrow: <Asked>(query: Asked) => query }
}

/** For an answer that is computed from many sessions: those that the client may not see must not go into it. */
function scoped<Value>(need: Need) {
  return { ...rule<Value>(need), narrow: inScope }
}

/** Documents of the client's organisation that its groups may read. Share links open sessions, not documents. */
function readable<Value>() {
  return { ...rule<Value>("member"), narrow: asMember }
}

const queryRules: { [Type in QueryType]: Rule<Queries[Type], Answers[Type]> } = {
  sessions: rule("watch", onlySeen),
  session: rule("watch"),
  "session-page": scoped("watch"),
  "session-tree": rule("watch", onlySeen),
  "session-lines": rule("watch", onlySeen),
  "search-sessions": scoped("watch"),
  "usage-history": scoped("watch"),
  transcript: rule("watch"),
  scene: rule("watch"),
  visit: rule("watch"),
  conversations: rule("watch", onlySeen),
  context: rule("watch"),
  "undo-plan": rule("watch"),
  "undo-report": rule("watch"),
  "result-images": rule("watch"),
  approvals: rule("watch", onlySeen),
  tools: rule("watch"),
  models: rule("watch"),
  skills: rule("watch"),
  instructions: rule("watch"),
  "context-usage": rule("watch"),
  commands: rule("watch"),
  documents: readable(),
  document: readable(),
  "search-documents": readable(),
  locks: rule("everything"),
  extensions: rule("everything"),
  "mcp-servers": rule("everything"),
  host: rule("everything"),
  nodes: rule("everything"),
  settings: rule("owner"),
  files: rule("drive"),
  "mentioned-files": rule("owner"), // the agent of others reads files under the rules of its tools
  "stage-files": rule("owner"), // it reads any file of the machine
}

const commandNeeds = {
  "run-command": "drive",
  "acquire-lock": "owner", // it names other holders, and keeps other sessions waiting
  "release-lock": "owner",
  "set-lock-status": "owner",
  "move-session": "owner",
} satisfies Record<HostCommandType, Need>

export class GuardedPort implements HostPort {
  readonly #port: HostPort
  readonly #rights: Rights

  constructor(port: HostPort, rights: Rights) {
    this.#port = port
    this.#rights = rights
  }

  /** The client's shell environment is ignored: it would choose which programs run. */
  async open(sessionId: SessionId, by: Who): Promise<OpenedHandle> {
    if (!(await this.#sees(sessionId))) return unknown(sessionId)
    const { roles } = this.#rights
    const opened = await this.#port.open(sessionId, { ...by, roles: [...roles] })
    return opened.kind === "refused" ? opened : { kind: "opened", handle: guardedHandle(opened.handle) }
  }

  async create(_options: SessionOptions, _by: Who): Promise<OpenedHandle> {
    return narrowKey(newSessions)
  }

  async query<Type extends QueryType>(
    query: Queries[Type] & { readonly type: Type },
  ): Promise<Answered<Answers[Type]>> {
    const { need, select, narrow } = queryRules[query.type]
    const missing = this.#missing(need)
    if (missing !== undefined) return { kind: "refused", refusal: missing }
    const sessionId = sessionOfQuery(query)
    if (sessionId !== undefined && !(await this.#sees(sessionId))) return unknown(sessionId)
    const visitId = "visitId" in query && typeof query.visitId === "string" ? query.visitId : undefined
    if (visitId !== undefined && !(await this.#seesVisit(visitId))) return unknown(visitId)
    const answered = await this.#port.query(narrow(query, this.#rights.sees))
    if (answered.kind === "refused") return answered
    return { kind: "answer", value: await select(answered.value, (...line) => this.#sees(...line)) }
  }

  async perform<Type extends HostCommandType>(
    command: HostCommands[Type] & { readonly type: Type },
  ): Promise<Answered<HostCommandResults[Type]>> {
    const missing = this.#missing(commandNeeds[command.type])
    if (missing !== undefined) return { kind: "refused", refusal: missing }
    return (await this.#sees(command.sessionId)) ? this.#port.perform(command) : unknown(command.sessionId)
  }

  #missing(need: Need): Refusal | undefined {
    const { roles, sees } = this.#rights
    if (need === "owner") return { code: "key.narrow", what: "only the owner may do this" }
    if (need === "member")
      return isMember(sees) ? undefined : { code: "key.narrow", what: "share links do not open documents" }
    if (need === "everything")
      return sees === "everything" ? undefined : { code: "key.narrow", what: "this needs a key for all sessions" }
    return roles.includes(need) ? undefined : { code: "role.missing", role: need }
  }

  /** The owner is checked before anything is read about the visitor. */
  async #seesVisit(visitId: VisitId): Promise<boolean> {
    const found = await this.#port.query({ type: "visit", visitId, brief: true })
    return found.kind === "answer" && this.#sees(found.value.sessionId)
  }

  async #sees(sessionId: SessionId, known?: SessionStatus): Promise<boolean> {
    const { sees } = this.#rights
    if (sees === "everything") return true
    if ("sessionId" in sees) return sees.sessionId === sessionId
    return (known ?? (await this.#statusOf(sessionId)))?.org === sees.org
  }

  async #statusOf(sessionId: SessionId): Promise<SessionStatus | undefined> {
    const line = await this.#port.query({ type: "session", sessionId })
    return line.kind === "answer" ? line.value.status : undefined
  }
}

/** The session checks roles; here only what belongs to the owner is refused. */
function guardedHandle(handle: SessionHandle): SessionHandle {
  return {
    sessionId: handle.sessionId,
    watch: (...args) => handle.watch(...args),
    send: async (command) => {
      const what = ownersRight(command)
      return what === undefined ? handle.send(command) : narrowKey(what)
    },
  }
}

const newSessions = "only the owner may start sessions"

/** Why only the owner may send the command; undefined for all others. */
function ownersRight(command: SessionCommand): string | undefined {
  if (command.type === "open-visit") return "visitors connect through the WebSocket API"
  if (command.type === "prompt" && command.visitId !== undefined) return "only the visitor can send messages of a visit"
  if (command.type === "approve" && command.remember?.scope === "folder")
    return "only the owner may answer for the whole folder"
  if (command.type === "spawn") return newSessions
  if (command.type === "raise-budget") return "only the owner may raise the budget"
  return undefined
}

function inScope<Asked extends { readonly scope?: SessionScope | undefined }>(
  query: Asked,
  sees: Rights["sees"],
): Asked {
  if (sees === "everything") return query
  return {
    ...query,
    scope: { ...query.scope, ...("sessionId" in sees ? { sessionId: sees.sessionId } : { org: sees.org }) },
  }
}

/** Groups that the client does not belong to are left out. */
function asMember<Asked extends { readonly org?: string | undefined; readonly groups?: string[] | undefined }>(
  query: Asked,
  sees: Rights["sees"],
): Asked {
  if (!isMember(sees)) return { ...query, groups: [] }
  const { org, groups = [] } = sees
  return { ...query, org, groups: query.groups?.filter((group) => groups.includes(group)) ?? [...groups] }
}

function isMember(sees: Rights["sees"]): sees is OrgRights {
  return typeof sees === "object" && "org" in sees
}

/** Drops the entries of a list that are about other sessions. */
async function onlySeen<Line extends { readonly sessionId: SessionId; readonly status?: SessionStatus }>(
  lines: readonly Line[],
  sees: Sees,
): Promise<readonly Line[]> {
  const seen: Line[] = []
  for (const line of lines) if (await sees(line.sessionId, line.status)) seen.push(line)
  return seen
}

function unknown(wanted: string) {
  return { kind: "refused", refusal: { code: "session.unknown", wanted } } as const
}

function narrowKey(what: string) {
  return { kind: "refused", refusal: { code: "key.narrow", what } } as const
}
