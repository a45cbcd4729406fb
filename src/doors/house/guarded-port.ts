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
import type { SessionStatus } from "../../contract/views/status.ts"
import type { Refusal } from "../../contract/refusals.ts"
import type { SessionOptions } from "../../contract/session-options.ts"
import type { Role, Who } from "../../contract/values.ts"

export interface Rights {
  readonly roles: readonly Role[]
  /** One session, those of one organisation, or all. */
  readonly sees: { readonly sessionId: SessionId } | { readonly org: string } | "everything"
}

/** A role, a key for all sessions, or the owner, whose port is not guarded. */
type Need = Role | "everything" | "owner"

type Sees = (sessionId: SessionId, known?: SessionStatus) => Promise<boolean>
/** The part of an answer that the client may see. */
type Select<Value> = (value: Value, sees: Sees) => Promise<Value>

function rule<Value>(need: Need, select: Select<Value> = async (value) => value) {
  return { need, select }
}

const queryRules: { [Type in QueryType]: { readonly need: Need; readonly select: Select<Answers[Type]> } } = {
  sessions: rule("watch", onlySeen),
  session: rule("watch"),
  transcript: rule("watch"),
  scene: rule("watch"),
  visit: rule("watch"),
  conversations: rule("watch", onlySeen),
  context: rule("watch"),
  "undo-plan": rule("watch"),
  "undo-report": rule("watch"),
  approvals: rule("watch", onlySeen),
  tools: rule("watch"),
  models: rule("watch"),
  skills: rule("watch"),
  instructions: rule("watch"),
  "context-usage": rule("watch"),
  commands: rule("watch"),
  locks: rule("everything"),
  extensions: rule("everything"),
  host: rule("everything"),
  "stage-files": rule("owner"), // it reads any file of the machine
}

const commandNeeds = {
  "run-command": "drive",
  "acquire-lock": "owner", // it names other holders, and keeps other sessions waiting
  "release-lock": "owner",
  "set-lock-status": "owner",
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
    return narrow(newSessions)
  }

  async query<Type extends QueryType>(
    query: Queries[Type] & { readonly type: Type },
  ): Promise<Answered<Answers[Type]>> {
    const { need, select } = queryRules[query.type]
    const missing = this.#missing(need)
    if (missing !== undefined) return { kind: "refused", refusal: missing }
    const sessionId = sessionOfQuery(query)
    if (sessionId !== undefined && !(await this.#sees(sessionId))) return unknown(sessionId)
    const visitId = "visitId" in query && typeof query.visitId === "string" ? query.visitId : undefined
    if (visitId !== undefined && !(await this.#seesVisit(visitId))) return unknown(visitId)
    const answered = await this.#port.query(query)
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
      return what === undefined ? handle.send(command) : narrow(what)
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

function narrow(what: string) {
  return { kind: "refused", refusal: { code: "key.narrow", what } } as const
}
