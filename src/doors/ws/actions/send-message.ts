// Sends a visitor's message as a prompt, and cancels its turn. A socket has one turn at a time; a message to a
// conversation that is busy with another visitor's turn waits. A message that is sent again, because its client does
// not know whether it arrived, is acknowledged again and stored once.
import type { CommandOf } from "../../../contract/commands.ts"
import { limits } from "../../../contract/limits.ts"
import type { ActionInput } from "../../../protocols/ws/actions.ts"
import { errors, refusalError, WsError } from "../../../protocols/ws/errors.ts"
import type { ActionHandler, Connection, Joined, ActiveTurn } from "../connection.ts"
import type { Visit } from "../conversation-access.ts"
import type { SessionHandle } from "../../../contract/host-port.ts"
import type { PromptId } from "../../../contract/ids.ts"
import { ConversationEncoder } from "../../../protocols/ws/conversation-encoder.ts"
import type { ServerEvent } from "../../../protocols/ws/frames.ts"
import { sentFrames } from "../conversation.ts"
import { Frame } from "../outbox.ts"

type Input = ActionInput<"send_message">
type Prompt = CommandOf<"prompt"> & { readonly reference: string }

const skillName = /^[A-Za-z0-9_-]{1,128}$/

export const sendMessage: ActionHandler<"send_message"> = async (connection, input) => {
  const { activeTurn, deps, access } = connection
  const { requestId, sessionId } = input
  if (activeTurn !== undefined && activeTurn.requestId !== requestId) return errors.turnInProgress
  if (deps.isDraining()) return errors.restarting
  const visit = await access.visit(sessionId)
  if (visit === undefined) return errors.sessionNotFound(sessionId)
  const problem = await contentProblem(connection, visit, input)
  if (problem !== undefined) return problem
  const joined = await connection.join(visit.sessionId)
  if ("code" in joined) return refusalError(joined)
  if (joined.conversation.turn?.isOver === true) return errors.turnParked
  connection.hold()
  const { visitId } = visit
  const promptId = `prm_${deps.newId()}` as const
  const prompt = { type: "prompt", promptId, ifBusy: "wait", reference: requestId, visitId, ...input.prompt } as const
  if (connection.activeTurn !== undefined) return resend(connection, joined, prompt)
  return send(connection, joined, { prompt, org: visit.org })
}

async function contentProblem(
  { access, deps }: Connection,
  { agentId, sessionId }: Visit,
  { prompt: { skill, model } }: Input,
): Promise<WsError | undefined> {
  if (access.caller.granted === undefined && !deps.isAgent(agentId)) return errors.agentUnavailable
  if (skill !== undefined && !(skillName.test(skill) && (await access.hasSkill(sessionId, skill))))
    return errors.skillNotFound
  if (model === undefined) return undefined
  const isAllowed = model.length <= limits.nameLength && (await deps.mayChooseModel(agentId, model))
  return isAllowed ? undefined : errors.modelNotAllowed(model)
}

interface Message {
  readonly prompt: Prompt
  /** Of the conversation. */
  readonly org: string
}

async function send(connection: Connection, joined: Joined, { prompt, org }: Message): Promise<WsError | void> {
  const retries = retriesOf(connection, joined, prompt)
  const message = { prompt: { ...prompt, ...retries }, org }
  // A message that is known to be stored starts no turn.
  const refusal =
    retries.retries === "any"
      ? await start(connection, joined, message.prompt)
      : await startAdmitted(connection, joined, message)
  if (refusal === undefined) return
  if (refusal instanceof WsError) return refusal
  if (refusal.code !== "prompt.repeated") return refusalError(refusal)
  if (await repeatMessage(connection, joined, prompt.reference, refusal)) return remember(connection, joined, prompt)
  if (retries.retries === undefined) return
  // A failed or cancelled turn is not repeated: the same text is a new message.
  const refusedAgain = await startAdmitted(connection, joined, { prompt, org })
  if (refusedAgain !== undefined) return refusedAgain instanceof WsError ? refusedAgain : refusalError(refusedAgain)
}

/** A message that would start a turn is refused if its organisation has as many as it may; one that waits for a turn is not. */
async function startAdmitted(connection: Connection, joined: Joined, { prompt, org }: Message) {
  const { conversation } = joined
  const { turns } = connection.deps.allowances ?? {}
  const leave = turns?.admit(org, conversation.sessionId, conversation.turn !== undefined)
  if (leave === "full") return errors.tooManyTurns
  return start(connection, joined, prompt).finally(leave)
}

/** Sends the prompt as the turn of this socket; returns why it was refused. */
async function start(connection: Connection, joined: Joined, prompt: Prompt) {
  const { conversation, handle } = joined
  const { promptId, reference: requestId } = prompt
  connection.activeTurn = { conversation, handle, requestId, promptId, turnId: undefined }
  const sent = await handle.send(prompt)
  if (sent.kind === "accepted") {
    remember(connection, joined, prompt)
    connection.respond(requestId, "Processing your request...", {}, 202)
    return undefined
  }
  connection.activeTurn = undefined
  return sent.refusal
}

function remember({ deps, traffic, actionFrame }: Connection, { conversation }: Joined, { reference }: Prompt): void {
  deps.sent.add(conversation.sessionId, reference, traffic, actionFrame)
}

/** A message that another process received can only be a retry if it is the newest. */
function retriesOf(
  { deps }: Connection,
  { conversation }: Joined,
  { reference }: Prompt,
): Pick<CommandOf<"prompt">, "retries"> {
  const isRetry = deps.sent.isRetry(conversation.sessionId, reference)
  if (isRetry === false) return {}
  return { retries: isRetry === true ? "any" : "newest" }
}

/** The active turn has the same id: either this is its message again, or the socket is busy. */
async function resend(connection: Connection, joined: Joined, prompt: Prompt): Promise<WsError | void> {
  if (connection.activeTurn?.conversation !== joined.conversation) return errors.turnInProgress
  const sent = await joined.handle.send({ ...prompt, ifBusy: "refuse" })
  const known = sent.kind === "accepted" ? { promptId: prompt.promptId, seq: sent.seq } : sent.refusal
  if ("code" in known && known.code !== "prompt.repeated") return refusalError(known)
  await repeatMessage(connection, joined, prompt.reference, known)
}

/** Where the message is in the log. */
interface StoredPrompt {
  readonly promptId: PromptId
  readonly seq: number
}

/**
 * Delivers a running or waiting turn to this socket from now on, and of an ended one its last frame. Call while frames
 * are held. Returns false and sends nothing if the turn failed or was cancelled.
 */
async function repeatMessage(
  connection: Connection,
  { conversation, handle }: Joined,
  requestId: string,
  { promptId, seq }: StoredPrompt,
): Promise<boolean> {
  const isOpen = conversation.turn?.promptIds.has(promptId) === true || conversation.isWaiting(promptId)
  const end = isOpen ? undefined : await lastFrameOf(handle, { promptId, seq }, connection.now)
  if (end?.type === "error" || end?.type === "cancelled") return false
  connection.respond(requestId, "Processing your request...", {}, 202)
  if (connection.activeTurn !== undefined) return true // this socket receives it already
  connection.activeTurn = { conversation, handle, requestId, promptId, turnId: undefined }
  if (conversation.turn?.promptIds.has(promptId) === true) connection.deliver(sentFrames(conversation), false)
  else if (end !== undefined) connection.deliver([new Frame(end)], true)
  return true
}

/** Undefined if the turn has not ended. */
async function lastFrameOf(
  handle: SessionHandle,
  { promptId, seq }: StoredPrompt,
  now: number,
): Promise<ServerEvent | undefined> {
  const encoder = new ConversationEncoder(handle.sessionId)
  const found = new AbortController()
  let last: ServerEvent | undefined
  const unwatch = await handle.watch(
    seq - 1,
    (item) => {
      const encoded = found.signal.aborted ? undefined : encoder.encode(item, now)
      if (encoded?.ends !== true || !encoded.promptIds.has(promptId)) return
      last = encoded.events.at(-1)
      found.abort()
    },
    found.signal,
  )
  unwatch()
  return last
}

/** Cancels the turn of this socket, whatever id the frame names. Without one nothing is sent. */
export const cancel: ActionHandler<"cancel"> = async (connection) => {
  const { activeTurn } = connection
  if (activeTurn === undefined) return
  if (isRunning(activeTurn)) return interrupt(activeTurn)
  if (activeTurn.promptId === undefined) return
  const withdrawn = await activeTurn.handle.send({ type: "withdraw", promptId: activeTurn.promptId })
  if (withdrawn.kind === "accepted" || connection.activeTurn !== activeTurn) return
  if (isRunning(activeTurn)) return interrupt(activeTurn) // its turn started meanwhile
  activeTurn.cancelRequested = true // its turn started in another process; its events will arrive
}

/** By id, so that another visitor's turn that has just started is not interrupted. */
async function interrupt({ conversation, handle }: ActiveTurn): Promise<void> {
  const turnId = conversation.turn?.turnId
  if (turnId !== undefined) await handle.send({ type: "interrupt", turnId })
}

function isRunning({ conversation, promptId, turnId }: ActiveTurn): boolean {
  const { turn } = conversation
  if (turn === undefined) return false
  return turn.turnId === turnId || (promptId !== undefined && turn.promptIds.has(promptId))
}
