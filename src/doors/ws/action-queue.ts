// Runs the actions of one socket in the order of their frames, one at a time. An error is sent and never closes the
// socket. A new action is a decoder in protocols/ws/actions.ts, a handler in actions/ and a line in `handlers`.
import type { ActionName } from "../../protocols/ws/action-names.ts"
import { actions, type ClientAction } from "../../protocols/ws/actions.ts"
import { pong } from "../../protocols/ws/server-events.ts"
import type { ActionHandler, Connection } from "./connection.ts"
import { cancel, sendMessage } from "./actions/send-message.ts"
import { confirmToolAction, submitInteraction, verifyCode } from "./actions/answer-requests.ts"
import { createSession } from "./actions/create-session.ts"
import { getSession, listConversations, listMessages, renameConversation } from "./actions/read-conversations.ts"
import { decodeFrame } from "../../protocols/ws/codec.ts"
import { errors, WsError } from "../../protocols/ws/errors.ts"

const handlers: { readonly [Name in ActionName]: ActionHandler<Name> } = {
  ping: async (connection, _input, requestId) => connection.send(pong(requestId, connection.now)),
  create_conversation_session: createSession,
  get_session: getSession,
  get_conversation_messages: listMessages,
  list_conversations: listConversations,
  rename_conversation: renameConversation,
  send_message: sendMessage,
  cancel,
  confirm_tool_action: confirmToolAction,
  submit_interaction: submitInteraction,
  verify_otp: verifyCode,
}

export class ActionQueue {
  readonly #connection: Connection
  #last: Promise<void> = Promise.resolve()

  constructor(connection: Connection) {
    this.#connection = connection
  }

  receive(text: string | undefined): void {
    const connection = this.#connection
    connection.traffic.frames += 1
    if (text === undefined) return connection.sendError(undefined, errors.frameBinary)
    const decoded = decodeFrame(text)
    if (decoded.kind === "error") return connection.sendError(decoded.requestId, decoded.error)
    const { action } = decoded
    if (connection.pendingActions >= connection.deps.limits.actionsAtOnce)
      return connection.sendError(action.requestId, errors.tooManyActions)
    connection.pendingActions += 1
    const frame = connection.traffic.frames
    this.#last = this.#last.then(() => this.#run(action, frame))
  }

  async #run(action: ClientAction, frame: number): Promise<void> {
    const connection = this.#connection
    const { deps } = connection
    const startedAt = deps.now()
    connection.actionFrame = frame
    const error = connection.isClosed ? undefined : await this.#handle(action.action, action)
    if (error !== undefined) connection.sendError(action.requestId, error)
    connection.release()
    connection.pendingActions -= 1
    deps.record({
      connection: connection.id,
      principal: connection.caller.principal,
      action: action.action,
      requestId: action.requestId,
      outcome: error?.code ?? "ok",
      ms: deps.now() - startedAt,
    })
  }

  async #handle<Name extends ActionName>(name: Name, action: ClientAction<Name>): Promise<WsError | undefined> {
    const connection = this.#connection
    try {
      const input = actions[name](action, connection.deps.limits)
      if (input instanceof WsError) return input
      return (await handlers[name](connection, input, action.requestId)) ?? undefined
    } catch (fault) {
      const detail = fault instanceof Error ? (fault.stack ?? fault.message) : String(fault)
      connection.deps.warn(`the action '${name}' failed: ${detail}`)
      return errors.actionFailed
    }
  }
}
