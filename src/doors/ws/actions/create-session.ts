// Somebody comes in to an agent that lets them in: to a new conversation, or back to one of theirs. If a turn runs there
// they are told it from its beginning, under the id that it has, and it is theirs to confirm and to cancel.
import type { SessionHandle } from "../../../contract/house-port.ts"
import type { SessionId } from "../../../contract/ids.ts"
import { limits } from "../../../contract/limits.ts"
import type { Contact, JsonValue } from "../../../contract/values.ts"
import type { ClientAction, Members } from "../../../protocols/ws/codec.ts"
import { requiredWords, shortened } from "./action-fields.ts"
import type { Connection } from "../connection.ts"
import { created } from "./read-conversations.ts"
import { leavingWords } from "./send-message.ts"
import type { Line, Scope } from "../conversation-access.ts"

const notOpened = "The conversation could not be opened. Please try again."
const mostSupports = 100
const longestSupport = 100

export async function createSession(connection: Connection, action: ClientAction): Promise<void> {
  const { requestId, members } = action
  const agentId = requiredWords(connection, action, "agentId")
  if (agentId === undefined) return
  if (agentId.length > limits.nameLength || !agentId.isWellFormed())
    return connection.fail(requestId, "VALIDATION_ERROR", `'agentId' may have ${limits.nameLength} characters`)
  if (connection.deps.isLeaving()) return connection.fail(requestId, "INTERNAL_ERROR", leavingWords)
  const scope = letIn(connection, action, agentId)
  if (scope === undefined) return
  const line = await theirs(connection, members, agentId)
  if (line === "missing") return connection.fail(requestId, "CONVERSATION_NOT_FOUND", missingWords(connection, members))
  const handle = line === undefined ? await begun(connection, agentId, scope) : await resumed(connection, line)
  if (handle === undefined) return connection.fail(requestId, "INTERNAL_ERROR", notOpened)
  const { newUuid } = connection.deps
  const visit = { visitId: newUuid(), agentId, participants: { user: newUuid(), agent: newUuid() } }
  const supports = supportsIn(members.list("supports"))
  const { contact, groups, account } = connection.caller
  const told = {
    contact: { ...contact, ...contactIn(members) },
    ...(groups === undefined ? {} : { groups: [...groups] }),
    ...(account === undefined ? {} : { caller: connection.deps.callerDigest(account) }),
  }
  const opened = await handle.send({ type: "open-visit", ...visit, ...told, supports })
  if (opened.kind === "refused") return connection.fail(requestId, "INTERNAL_ERROR", notOpened)
  const known = { ...visit, sessionId: handle.sessionId }
  connection.registry.remember(known)
  await connection.holding(async () => {
    connection.answer(requestId, "Session created", { ...created(connection, known) })
    if (line?.status.inTurn === true) await joinRunning(connection, handle.sessionId)
  })
}

/** Whose conversation a new one is; nothing where they may not come in, which has been answered then. */
function letIn(connection: Connection, { requestId, members }: ClientAction, agentId: string): Scope | undefined {
  const { deps, registry } = connection
  const { caller } = registry
  const entry =
    caller.granted === undefined
      ? deps.admit({ agentId, caller, authContext: members.get("authContext") })
      : ({ kind: "yes", principal: caller.principal, scope: caller } as const)
  if (entry.kind === "no") {
    connection.fail(requestId, entry.code, entry.message)
    return undefined
  }
  if (caller.account !== undefined && deps.allowances?.takeSession(caller.account) === false) {
    connection.fail(requestId, "RATE_LIMITED", "Too many conversations were begun. Please try again later.")
    return undefined
  }
  connection.caller = { ...caller, principal: entry.principal }
  registry.widen(entry.scope)
  return entry.scope
}

/** Words that a turn has said so far are told before those that follow. */
async function joinRunning(connection: Connection, sessionId: SessionId): Promise<void> {
  if (connection.slot !== undefined) return
  const joined = await connection.join(sessionId)
  if ("code" in joined) return
  const { conversation, handle } = joined
  const { turn } = conversation.view
  if (turn === undefined || turn.isOver) return
  connection.slot = { conversation, handle, requestId: turn.requestId, promptId: undefined, turnId: turn.turnId }
  connection.tell(conversation.soFar(), false)
}

/**
 * A conversation of another visitor or of another agent gives a new one, as one that does not exist. The agent's embed
 * policy, tools and models were checked for the agent that the frame names, so no other agent's conversation may open.
 * A local session is an error, and so is any other session for a visitor with a link.
 */
async function theirs(
  { registry }: Connection,
  members: Members,
  agentId: string,
): Promise<Line | "missing" | undefined> {
  const { granted } = registry.caller
  const conversationId = members.words("conversationId") ?? granted
  const line = conversationId === undefined ? undefined : await registry.line(conversationId)
  if (granted !== undefined) return line ?? "missing"
  if (line !== undefined) return (line.status.agentId ?? agentId) === agentId ? line : undefined
  return conversationId !== undefined && (await registry.isLocal(conversationId)) ? "missing" : undefined
}

function missingWords({ registry }: Connection, members: Members): string {
  const conversationId = members.words("conversationId") ?? registry.caller.granted ?? ""
  return `conversation '${shortened(conversationId)}' not found`
}

async function resumed({ deps, by }: Connection, { sessionId }: Line): Promise<SessionHandle | undefined> {
  const opened = await deps.port.open(sessionId, by)
  return opened.kind === "opened" ? opened.handle : undefined
}

async function begun(
  { deps, by }: Connection,
  agentId: string,
  { org, owner }: Scope,
): Promise<SessionHandle | undefined> {
  const wish = { ...deps.place, origin: "ws", preset: "service", service: { org, owner, agentId } } as const
  const made = await deps.port.create(wish, by)
  if (made.kind === "refused") deps.warn(`a conversation could not be begun: ${made.refusal.code}`)
  return made.kind === "opened" ? made.handle : undefined
}

/** Only what is said: somebody who comes back without a name keeps the one they had. */
function contactIn(members: Members): Contact {
  const name = members.words("userName")
  const email = members.words("userEmail")
  const phone = members.object("metadata")?.words("userPhone")
  return {
    ...(name === undefined ? {} : { name: bounded(name) }),
    ...(email === undefined ? {} : { email: bounded(email) }),
    ...(phone === undefined ? {} : { phone: bounded(phone) }),
  }
}

/** A list replaces what was said before, an empty one too; anything else says nothing. */
function supportsIn(list: readonly JsonValue[] | undefined): string[] | undefined {
  return list
    ?.filter((entry) => typeof entry === "string")
    .slice(0, mostSupports)
    .map((name) => name.slice(0, longestSupport).toWellFormed())
}

function bounded(text: string): string {
  return text.slice(0, limits.nameLength).toWellFormed()
}
