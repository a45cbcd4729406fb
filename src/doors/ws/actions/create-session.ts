// Opens a visit: in a new conversation, or in an existing one of the caller. A running turn is sent from its beginning
// under its own id, and this socket may confirm and cancel it.
import type { SessionHandle } from "../../../contract/host-port.ts"
import type { SessionId } from "../../../contract/ids.ts"
import type { ActionInput } from "../../../protocols/ws/actions.ts"
import { errors, WsError } from "../../../protocols/ws/errors.ts"
import type { ActionHandler, Connection } from "../connection.ts"
import type { SessionLine } from "../../../contract/views/status.ts"
import type { Scope } from "../conversation-access.ts"
import { sentFrames } from "../conversation.ts"
import { visitFields } from "./read-conversations.ts"

type Input = ActionInput<"create_conversation_session">

export const createSession: ActionHandler<"create_conversation_session"> = async (connection, input, requestId) => {
  const { deps, access } = connection
  const { agentId, supports } = input
  if (deps.isDraining()) return errors.restarting
  const owner = await authorize(connection, input)
  if (owner instanceof WsError) return owner
  const existing = await findOwnConversation(connection, input)
  if (existing === "missing") return errors.conversationNotFound(input.conversationId ?? access.caller.granted ?? "")
  const handle =
    existing === undefined ? await startSession(connection, agentId, owner) : await resumeSession(connection, existing)
  if (handle === undefined) return errors.conversationNotOpened
  const { newUuid } = deps
  const visit = { visitId: newUuid(), agentId, participants: { user: newUuid(), agent: newUuid() } }
  const opened = await handle.send({ type: "open-visit", ...visit, ...callerFacts(connection, input), supports })
  if (opened.kind === "refused") return errors.conversationNotOpened
  const { org } = existing?.status ?? owner
  const known = access.remember({ ...visit, sessionId: handle.sessionId, org })
  connection.hold()
  connection.respond(requestId, "Session created", { ...visitFields(connection, known) })
  return existing?.status.inTurn === true ? joinRunningTurn(connection, handle.sessionId) : undefined
}

/** The owner of a new conversation, or why the agent does not admit the caller. */
async function authorize(connection: Connection, { agentId, authContext }: Input): Promise<Scope | WsError> {
  const { deps, access } = connection
  const { caller } = access
  const admission =
    caller.granted === undefined
      ? deps.admit({ agentId, caller, authContext })
      : { principal: caller.principal, scope: caller }
  if (admission instanceof WsError) return admission
  const taken = await takeSession(connection, admission.scope)
  if (taken === "used-up") return errors.tooManyConversations
  if (taken === "unavailable") return errors.conversationNotOpened
  connection.caller = { ...caller, principal: admission.principal }
  access.addScope(admission.scope)
  return admission.scope
}

/** The holder of a share link belongs to no organisation. */
async function takeSession({ deps, access: { caller } }: Connection, { org }: Scope) {
  const { account, granted } = caller
  return account === undefined
    ? "taken"
    : deps.allowances?.takeSession(account, granted === undefined ? org : undefined)
}

function callerFacts({ caller, deps }: Connection, input: Input) {
  const { contact, groups, account } = caller
  return {
    contact: { ...contact, ...input.contact },
    ...(groups === undefined ? {} : { groups: [...groups] }),
    ...(account === undefined ? {} : { caller: deps.callerDigest(account) }),
  }
}

async function joinRunningTurn(connection: Connection, sessionId: SessionId): Promise<void> {
  if (connection.activeTurn !== undefined) return
  const joined = await connection.join(sessionId)
  if ("code" in joined) return
  const { conversation, handle } = joined
  const { turn } = conversation
  if (turn === undefined || turn.isOver) return
  const { requestId, turnId } = turn
  connection.activeTurn = { conversation, handle, requestId, promptId: undefined, turnId }
  joined.firstShown = conversation.approval
  connection.deliver(sentFrames(conversation), false)
}

/**
 * Undefined starts a new conversation, as for an id that does not exist: also for a conversation of another visitor, or
 * of another agent, because admission was checked for the agent that the frame names. A local session is an error, and
 * so is any other session for a visitor with a share link.
 */
async function findOwnConversation({ access }: Connection, input: Input): Promise<SessionLine | "missing" | undefined> {
  const { granted } = access.caller
  const conversationId = input.conversationId ?? granted
  const found = conversationId === undefined ? undefined : await access.conversation(conversationId)
  if (granted !== undefined) return found ?? "missing"
  if (found !== undefined) return (found.status.agentId ?? input.agentId) === input.agentId ? found : undefined
  return conversationId !== undefined && (await access.isLocal(conversationId)) ? "missing" : undefined
}

async function resumeSession({ deps, by }: Connection, { sessionId }: SessionLine): Promise<SessionHandle | undefined> {
  const opened = await deps.port.open(sessionId, by)
  return opened.kind === "opened" ? opened.handle : undefined
}

async function startSession(
  { deps, by }: Connection,
  agentId: string,
  { org, owner }: Scope,
): Promise<SessionHandle | undefined> {
  const settings = { ...deps.place, origin: "ws", preset: "service", service: { org, owner, agentId } } as const
  const created = await deps.port.create(settings, by)
  if (created.kind === "opened") return created.handle
  deps.warn(`a conversation could not be started: ${created.refusal.code}`)
  return undefined
}
