// What each action of a client does. Members are looked at in the order in which real servers refuse; whatever is wrong
// is answered and never closes the socket.
import { pong } from "../../../protocols/ws/server-events.ts"
import type { ActionName, ClientAction } from "../../../protocols/ws/codec.ts"
import type { Connection } from "../connection.ts"
import { getSession, listConversations, listMessages, renameConversation } from "./read-conversations.ts"
import { createSession } from "./create-session.ts"
import { confirm, submit } from "./confirm-tool-action.ts"
import { cancel, sendMessage } from "./send-message.ts"
import { verify } from "./verify-code.ts"

export type Handler = (connection: Connection, action: ClientAction) => Promise<void>

export const handlers: Readonly<Record<ActionName, Handler>> = {
  ping: async (connection, { requestId }) => connection.say(pong(requestId, connection.now)),
  create_conversation_session: createSession,
  get_session: getSession,
  get_conversation_messages: listMessages,
  list_conversations: listConversations,
  rename_conversation: renameConversation,
  send_message: sendMessage,
  cancel,
  confirm_tool_action: confirm,
  submit_interaction: submit,
  verify_otp: verify,
}
