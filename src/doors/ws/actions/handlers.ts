// The handler of each action. A new action is its decoder in protocols/ws/actions.ts, a file here and a line below.
import type { ActionName } from "../../../protocols/ws/actions.ts"
import { pong } from "../../../protocols/ws/server-events.ts"
import type { ActionHandler } from "../connection.ts"
import { cancel } from "./cancel.ts"
import { confirmToolAction } from "./confirm-tool-action.ts"
import { createSession } from "./create-session.ts"
import { getSession, listConversations, listMessages, renameConversation } from "./read-conversations.ts"
import { sendMessage } from "./send-message.ts"
import { submitInteraction } from "./submit-interaction.ts"
import { verifyCode } from "./verify-code.ts"

export const handlers: { readonly [Name in ActionName]: ActionHandler<Name> } = {
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
