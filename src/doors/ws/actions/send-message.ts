// Messages and their end. A socket has one turn at a time; a message to a conversation that is busy with somebody else's
// turn waits for its own.
import type { CommandOf } from "../../../contract/commands.ts"
import { limits } from "../../../contract/limits.ts"
import type { Refusal } from "../../../contract/refusals.ts"
import { parkedWords } from "../../../protocols/ws/conversation-encoder.ts"
import type { ErrorCode } from "../../../protocols/ws/frames.ts"
import type { ClientAction } from "../../../protocols/ws/codec.ts"
import { requiredWords, shortened, visitOf } from "./action-fields.ts"
import { filesIn, imagesIn } from "../../../protocols/ws/attachments.ts"
import type { Connection, Joined, Slot } from "../connection.ts"
import { tellAgain } from "./repeated-message.ts"
import type { Visit } from "../conversation-access.ts"

export const leavingWords = "The service is being restarted. Please try again in a moment."
const noAgentWords = "This agent is not available here."
const busyWords = "a turn is running on this connection"
const skillName = /^[A-Za-z0-9_-]{1,128}$/

export async function sendMessage(connection: Connection, action: ClientAction): Promise<void> {
  const { requestId } = action
  if (requestId === undefined) return connection.fail(undefined, "VALIDATION_ERROR", "'requestId' is required")
  if (requiredWords(connection, action, "sessionId") === undefined) return
  const message = requiredWords(connection, action, "message")
  if (message === undefined) return
  const { messageCharacters } = connection.deps.limits
  if (message.length > messageCharacters)
    return connection.fail(requestId, "VALIDATION_ERROR", `'message' may have ${messageCharacters} characters`)
  if (connection.slot !== undefined && connection.slot.requestId !== requestId)
    return connection.fail(requestId, "TURN_IN_PROGRESS", busyWords)
  if (connection.deps.isLeaving()) return connection.fail(requestId, "INTERNAL_ERROR", leavingWords)
  const visit = await visitOf(connection, action)
  if (visit === undefined) return
  const isGranted = connection.registry.caller.granted !== undefined
  if (!isGranted && !connection.deps.isAgent(visit.agentId))
    return connection.fail(requestId, "AGENT_NOT_AUTHORIZED", noAgentWords)
  const skill = action.members.words("skill")
  if (skill !== undefined && !(skillName.test(skill) && (await connection.registry.hasSkill(visit.sessionId, skill))))
    return connection.fail(requestId, "SKILL_NOT_FOUND", "there is no such skill")
  const model = action.members.words("model")
  if (model !== undefined && !(await mayChoose(connection, visit, model)))
    return connection.fail(requestId, "VALIDATION_ERROR", `'model' may not be '${shortened(model)}' here`)
  const joined = await connection.join(visit.sessionId)
  if ("code" in joined) return refuse(connection, requestId, joined)
  if (joined.conversation.view.turn?.isOver === true) return connection.fail(requestId, "AGENT_ERROR", parkedWords)
  await connection.holding(() => begin(connection, joined, requestId, promptIn(connection, action, visit.visitId)))
}

async function mayChoose({ deps }: Connection, { agentId }: Visit, model: string): Promise<boolean> {
  return model.length <= limits.nameLength && (await deps.mayChooseModel(agentId, model))
}

async function begin(
  connection: Connection,
  joined: Joined,
  requestId: string,
  prompt: CommandOf<"prompt">,
): Promise<void> {
  if (connection.slot !== undefined) return beginAgain(connection, joined, requestId, prompt)
  const { conversation, handle } = joined
  const retries = retriesOf(connection, conversation.sessionId, requestId)
  connection.slot = { conversation, handle, requestId, promptId: prompt.promptId, turnId: undefined }
  const sent = await handle.send({ ...prompt, ...retries })
  if (sent.kind === "accepted") return taken(connection, conversation.sessionId, requestId)
  connection.slot = undefined
  if (sent.refusal.code !== "prompt.repeated") return refuse(connection, requestId, sent.refusal)
  if (await tellAgain(connection, joined, requestId, sent.refusal))
    return noteSent(connection, conversation.sessionId, requestId)
  return retries.retries === undefined ? undefined : beginAnew(connection, joined, requestId, prompt)
}

/** A turn that failed or was cancelled is not told again: the same words are a new message. */
async function beginAnew(
  connection: Connection,
  { conversation, handle }: Joined,
  requestId: string,
  prompt: CommandOf<"prompt">,
): Promise<void> {
  connection.slot = { conversation, handle, requestId, promptId: prompt.promptId, turnId: undefined }
  const sent = await handle.send(prompt)
  if (sent.kind === "accepted") return taken(connection, conversation.sessionId, requestId)
  connection.slot = undefined
  refuse(connection, requestId, sent.refusal)
}

function taken(connection: Connection, sessionId: string, requestId: string): void {
  noteSent(connection, sessionId, requestId)
  connection.answer(requestId, "Processing your request...", {}, 202)
}

function noteSent({ deps, traffic, actionFrame }: Connection, sessionId: string, requestId: string): void {
  deps.sent.note(sessionId, requestId, traffic, actionFrame)
}

/** What came to another process may be a retry if nothing was said since. */
function retriesOf({ deps }: Connection, sessionId: string, requestId: string): Pick<CommandOf<"prompt">, "retries"> {
  const isRetry = deps.sent.isRetry(sessionId, requestId)
  if (isRetry === false) return {}
  return { retries: isRetry === true ? "any" : "newest" }
}

/** The turn of this socket has the same id. Either this is its message once more, or there is no room for another. */
async function beginAgain(
  connection: Connection,
  joined: Joined,
  requestId: string,
  prompt: CommandOf<"prompt">,
): Promise<void> {
  if (connection.slot?.conversation !== joined.conversation)
    return connection.fail(requestId, "TURN_IN_PROGRESS", busyWords)
  const { promptId } = prompt
  const sent = await joined.handle.send({ ...prompt, ifBusy: "refuse" })
  if (sent.kind === "accepted")
    return void (await tellAgain(connection, joined, requestId, { promptId, seq: sent.seq }))
  if (sent.refusal.code === "prompt.repeated")
    return void (await tellAgain(connection, joined, requestId, sent.refusal))
  if (sent.refusal.code === "session.busy") return connection.fail(requestId, "TURN_IN_PROGRESS", busyWords)
  refuse(connection, requestId, sent.refusal)
}

function promptIn(connection: Connection, action: ClientAction, visitId: string): CommandOf<"prompt"> {
  const { members, requestId: reference } = action
  const images = imagesIn(members.list("images"))
  const files = filesIn(members.list("files"))
  const [model, skill] = [members.words("model"), members.words("skill")]
  return {
    type: "prompt",
    promptId: `prm_${connection.deps.newId()}`,
    text: (members.text("message") ?? "").toWellFormed(),
    ifBusy: "wait",
    reference,
    visitId,
    ...(images.length === 0 ? {} : { attachments: images }),
    ...(files.length === 0 ? {} : { files }),
    ...(model === undefined ? {} : { model }),
    ...(skill === undefined ? {} : { skill }),
  }
}

/** Whatever runs on this socket; nothing running is nothing to say. */
export async function cancel(connection: Connection): Promise<void> {
  const { slot } = connection
  if (slot === undefined) return
  if (isRunning(slot)) return interrupt(slot)
  if (slot.promptId === undefined) return
  const withdrawn = await slot.handle.send({ type: "withdraw", promptId: slot.promptId })
  if (withdrawn.kind === "accepted" || connection.slot !== slot) return
  if (isRunning(slot)) return interrupt(slot) // its turn began meanwhile
  slot.isUnwanted = true // its turn has begun in another process, and we shall hear of it
}

/** By its id: another's turn, which may have begun this very moment, is left alone. */
async function interrupt({ conversation, handle }: Slot): Promise<void> {
  const turnId = conversation.view.turn?.turnId
  if (turnId !== undefined) await handle.send({ type: "interrupt", turnId })
}

function isRunning({ conversation, promptId, turnId }: Slot): boolean {
  const { turn } = conversation.view
  if (turn === undefined) return false
  return turn.turnId === turnId || (promptId !== undefined && turn.promptIds.has(promptId))
}

function refuse(connection: Connection, requestId: string, refusal: Refusal): void {
  const [code, message] = wordsFor(refusal)
  connection.fail(requestId, code, message)
}

function wordsFor(refusal: Refusal): readonly [ErrorCode, string] {
  switch (refusal.code) {
    case "prompt.too-large":
      return ["VALIDATION_ERROR", `the message is too long; ${refusal.limit} bytes are allowed`]
    case "prompt.empty":
      return ["VALIDATION_ERROR", "'message' is required"]
    case "queue.full":
      return ["RATE_LIMITED", "too many messages are waiting in this conversation"]
    case "log.unavailable":
      return ["STORAGE_ERROR", "The message could not be stored. Please try again."]
    default:
      return ["INTERNAL_ERROR", "The message could not be taken. Please try again."]
  }
}
