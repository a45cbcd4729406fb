// `turnhouse/client`: client of the WebSocket API (smooth-operator), for browsers and programs. Needs only a WebSocket,
// and works with every server of the protocol.
export type { FieldError, JsonValue } from "../../contract/values.ts"
export { capabilityOf, type ChoicesSpec, type IdentitySpec } from "../../contract/rules/interactions.ts"
export type { Citation, TurnUsage } from "../../protocols/ws/frames.ts"
export { ClientSession, connect, type SessionEvents } from "./client-session.ts"
export * from "./faults.ts"
export type { LinkState, Visit } from "./connection/session-link.ts"
export type * from "./options.ts"
export type { CodeOutcome } from "./connection/read-frame.ts"
export type { ConversationLine, Message, MessagePage } from "./messages.ts"
export type { WebSocketClass, WebSocketLike } from "./connection/text-socket.ts"
export { problemsIn, Turn } from "./turns/turn.ts"
export type { Confirmation, Interaction, TurnEvent, TurnResult } from "./turns/turn-events.ts"
