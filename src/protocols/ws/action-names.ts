// The actions of a client by name. A module of its own, because clients in browsers use it without the server's decoders.
export type ActionName =
  | "ping"
  | "create_conversation_session"
  | "get_session"
  | "get_conversation_messages"
  | "list_conversations"
  | "rename_conversation"
  | "send_message"
  | "cancel"
  | "confirm_tool_action"
  | "submit_interaction"
  | "verify_otp"
