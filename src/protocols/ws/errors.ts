// The errors of the WebSocket API: the code of every refusal, and every error text. End users read the texts, and
// clients match those of `sessionNotFound` and `noPendingConfirmation`.
import type { Refusal } from "../../contract/refusals.ts"
import { mostParts } from "../json-parts.ts"
import type { ErrorCode } from "./frames.ts"

export class WsError {
  readonly code: ErrorCode
  readonly message: string

  constructor(code: ErrorCode, message: string) {
    this.code = code
    this.message = message
  }
}

const invalid = (message: string) => new WsError("VALIDATION_ERROR", message)

export const errors = {
  frameTooComplex: invalid(`a frame may have at most ${mostParts} values`),
  frameNotObject: invalid("a frame must be a JSON object"),
  frameBinary: invalid("binary frames are not supported; send text"),
  actionNotString: invalid("'action' must be a string"),
  fieldMissing: (name: string) => invalid(`'${name}' is required`),
  fieldNotBoolean: (name: string) => invalid(`'${name}' must be a boolean`),
  fieldTooLong: (name: string, limit: number) => invalid(`'${name}' may have at most ${limit} characters`),
  valuesMissing: invalid("'values' or 'declined' is required"),
  cursorUnknown: invalid("'cursor' is unknown; use the 'nextCursor' of an earlier page"),
  modelNotAllowed: (model: string) => invalid(`'model' may not be '${shortened(model)}' for this agent`),
  unsupportedAction: (action: string) => new WsError("UNSUPPORTED_ACTION", `unsupported action '${shortened(action)}'`),
  sessionNotFound: (id: string) => new WsError("SESSION_NOT_FOUND", `session '${shortened(id)}' not found`),
  conversationNotFound: (id: string) =>
    new WsError("CONVERSATION_NOT_FOUND", `conversation '${shortened(id)}' not found`),
  skillNotFound: new WsError("SKILL_NOT_FOUND", "skill not found"),
  turnInProgress: new WsError("TURN_IN_PROGRESS", "a turn is running on this connection"),
  noPendingConfirmation: (sessionId: string) =>
    new WsError(
      "NO_PENDING_CONFIRMATION",
      `no tool action is awaiting confirmation for session '${shortened(sessionId)}'`,
    ),
  noPendingInteraction: (sessionId: string) =>
    new WsError("NO_PENDING_INTERACTION", `no interaction is pending for session '${shortened(sessionId)}'`),
  interactionMismatch: new WsError("INTERACTION_MISMATCH", "another interaction is pending"),
  originNotAllowed: new WsError("ORIGIN_NOT_ALLOWED", "This page may not use this agent."),
  visitorNotVerified: new WsError(
    "AUTH_CONTEXT_INVALID",
    "Your identity could not be verified. Please reload the page.",
  ),
  agentUnavailable: new WsError("AGENT_NOT_AUTHORIZED", "This agent is not available here."),
  tooManyFrames: new WsError("RATE_LIMITED", "too many frames; wait a moment"),
  tooManyActions: new WsError("RATE_LIMITED", "too many requests in progress; wait for responses"),
  tooManyConversations: new WsError("RATE_LIMITED", "Too many new conversations. Please try again later."),
  restarting: new WsError("INTERNAL_ERROR", "The service is being restarted. Please try again in a moment."),
  conversationNotOpened: new WsError("INTERNAL_ERROR", "The conversation could not be opened. Please try again."),
  codeNotChecked: new WsError("INTERNAL_ERROR", "The code could not be checked. Please try again."),
  actionFailed: new WsError("INTERNAL_ERROR", "Something went wrong. Please try again."),
  titleNotStored: new WsError("STORAGE_ERROR", "The title could not be stored. Please try again."),
  replyNotStored: new WsError(
    "STORAGE_ERROR",
    "The answer could not be stored. Please look at the conversation again later.",
  ),
  /** The cause is in the session's log only: it may name addresses and accounts. */
  turnFailed: new WsError("AGENT_ERROR", "Something went wrong while answering. Please try again."),
  turnParked: new WsError("AGENT_ERROR", "The service cannot continue right now. Please try again later."),
  answerMissing: (why: string) => new WsError("AGENT_ERROR", why),
}

/** Code of each refusal. What only an operator can fix is an internal error to a visitor. */
export const refusalCodes = {
  "session.busy": "TURN_IN_PROGRESS",
  "session.unknown": "INTERNAL_ERROR",
  "session.ambiguous": "INTERNAL_ERROR",
  "session.owned": "INTERNAL_ERROR",
  "session.damaged": "INTERNAL_ERROR",
  "session.newer": "INTERNAL_ERROR",
  "session.exists": "INTERNAL_ERROR",
  "prompt.conflict": "INTERNAL_ERROR",
  "prompt.empty": "VALIDATION_ERROR",
  "prompt.too-large": "VALIDATION_ERROR",
  "prompt.repeated": "INTERNAL_ERROR",
  "prompt.unknown": "INTERNAL_ERROR",
  "queue.full": "RATE_LIMITED",
  "approval.unknown": "NO_PENDING_CONFIRMATION",
  "approval.settled": "NO_PENDING_CONFIRMATION",
  "approval.changed": "NO_PENDING_CONFIRMATION",
  "approval.own": "NO_PENDING_CONFIRMATION",
  "approval.person": "NO_PENDING_CONFIRMATION",
  "interaction.unknown": "NO_PENDING_INTERACTION",
  "interaction.invalid": "VALIDATION_ERROR",
  "verification.none": "INTERNAL_ERROR",
  "verification.failed": "INTERNAL_ERROR",
  "escalation.none": "INTERNAL_ERROR",
  "role.missing": "INTERNAL_ERROR",
  "key.bad": "INTERNAL_ERROR",
  "key.narrow": "INTERNAL_ERROR",
  "grant.unknown": "INTERNAL_ERROR",
  "plan.already": "INTERNAL_ERROR",
  "plan.not-in": "INTERNAL_ERROR",
  "plan.not-here": "INTERNAL_ERROR",
  "context.nothing-there": "INTERNAL_ERROR",
  "context.no-turns": "INTERNAL_ERROR",
  "turn.not-parked": "INTERNAL_ERROR",
  "task.unknown": "INTERNAL_ERROR",
  "task.circular": "INTERNAL_ERROR",
  "tasks.too-many": "INTERNAL_ERROR",
  "marks.too-many": "INTERNAL_ERROR",
  "command.unknown": "INTERNAL_ERROR",
  "command.failed": "INTERNAL_ERROR",
  "child.too-deep": "INTERNAL_ERROR",
  "child.too-many": "INTERNAL_ERROR",
  "child.exists": "INTERNAL_ERROR",
  "locks.unavailable": "INTERNAL_ERROR",
  "report.stale": "INTERNAL_ERROR",
  "frame.bad": "INTERNAL_ERROR",
  "agents.too-many": "INTERNAL_ERROR",
  "config.bad": "INTERNAL_ERROR",
  "folder.missing": "INTERNAL_ERROR",
  "host.gone": "INTERNAL_ERROR",
  "host.leaving": "INTERNAL_ERROR",
  "host.unreachable": "INTERNAL_ERROR",
  "host.exists": "INTERNAL_ERROR",
  "log.fenced": "INTERNAL_ERROR",
  "log.conflict": "INTERNAL_ERROR",
  "log.unavailable": "STORAGE_ERROR",
} satisfies Record<Refusal["code"], ErrorCode>

/** The error for a message that was refused. */
export function refusalError(refusal: Refusal): WsError {
  return new WsError(refusalCodes[refusal.code], refusalText(refusal))
}

function refusalText(refusal: Refusal): string {
  switch (refusal.code) {
    case "session.busy":
      return errors.turnInProgress.message
    case "prompt.too-large":
      return `the message is too long; at most ${refusal.limit} bytes are allowed`
    case "prompt.empty":
      return errors.fieldMissing("message").message
    case "queue.full":
      return "too many messages are waiting in this conversation"
    case "log.unavailable":
      return "The message could not be stored. Please try again."
    default:
      return "The message could not be accepted. Please try again."
  }
}

/** Ids of clients are returned as sent, but not at any length. */
function shortened(id: string): string {
  return id.slice(0, 100).toWellFormed()
}
