// `turnhouse/client`: the client of the network door, for browsers and programs alike. It needs nothing but a WebSocket,
// and works with every server of the protocol.
export type { FieldError, JsonValue } from "../../contract/values.ts"
export { capabilityOf, type ChoicesSpec, type IdentitySpec } from "../../contract/interactions.ts"
export type { Citation, TurnUsage } from "../../protocols/ws/frames.ts"
export { ClientSession, connect, type SessionEvents } from "./client-session.ts"
export type { ConversationLine } from "./conversations.ts"
export {
  BadAnswer,
  ClientFault,
  ConnectionLost,
  InteractionInvalid,
  NotConnected,
  NotReading,
  QuestionGone,
  RequestRefused,
  RequestTimedOut,
  SessionClosed,
  TurnCancelled,
  TurnFailed,
  TurnFault,
  TurnLost,
  TurnRefused,
  TurnTimedOut,
  TurnTooLong,
} from "./faults.ts"
export type { LinkState, Visit } from "./lifeline.ts"
export type {
  ConfirmOptions,
  ConnectOptions,
  Limits,
  PageOptions,
  Reconnect,
  Resend,
  RequestOptions,
  SendOptions,
  SentFile,
  SentImage,
  Timeouts,
} from "./options.ts"
export type { CodeOutcome } from "./read-frame.ts"
export type { Message, MessagePage } from "./rows.ts"
export type { WebSocketClass, WebSocketLike } from "./text-socket.ts"
export { problemsIn, Turn } from "./turn.ts"
export type { Confirmation, Interaction, TurnEvent, TurnResult } from "./turn-events.ts"
