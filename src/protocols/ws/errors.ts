// The errors of the WebSocket API: the code of every refusal, and every error text. End users read the texts, and
// clients match those of `sessionNotFound` and `noConfirmation`.
import type { Refusal } from "../../contract/refusals.ts"
import { MAX_PARTS } from "../json-text.ts"
import type { ErrorCode } from "./frames.ts"

export class WsError {
  readonly code: ErrorCode
  readonly message: string

  constructor(code: ErrorCode, message: string) {
    this.code = code
    this.message = message
  }
}

const error = (code: ErrorCode) => (message: string) => new WsError(code, message)
const invalid = error("VALIDATION_ERROR")
const internal = error("INTERNAL_ERROR")
const limited = error("RATE_LIMITED")
const unstored = error("STORAGE_ERROR")
const failed = error("AGENT_ERROR")
const unconfirmed = error("NO_PENDING_CONFIRMATION")

export const errors = {
  frameTooComplex: invalid(`a frame may have at most ${MAX_PARTS} values`),
  frameNotObject: invalid("a frame must be a JSON object"),
  frameBinary: invalid("binary frames are not supported; send text"),
  actionNotString: invalid("'action' must be a string"),
  fieldMissing: (name: string) => invalid(`'${name}' is required`),
  fieldNotBoolean: (name: string) => invalid(`'${name}' must be a boolean`),
  fieldTooLong: (name: string, limit: number) => invalid(`'${name}' may have at most ${limit} characters`),
  valuesMissing: invalid("'values' or 'declined' is required"),
  cursorUnknown: invalid("'cursor' is unknown; use the 'nextCursor' of an earlier page"),
  modelNotAllowed: (model: string) => invalid(`'model' may not be '${shortened(model)}' for this agent`),
  unsupportedAction: (action: string) => error("UNSUPPORTED_ACTION")(`unsupported action '${shortened(action)}'`),
  sessionNotFound: (id: string) => error("SESSION_NOT_FOUND")(`session '${shortened(id)}' not found`),
  conversationNotFound: (id: string) => error("CONVERSATION_NOT_FOUND")(`conversation '${shortened(id)}' not found`),
  skillNotFound: error("SKILL_NOT_FOUND")("skill not found"),
  turnInProgress: error("TURN_IN_PROGRESS")("a turn is running on this connection"),
  noConfirmation: (id: string) => unconfirmed(`no tool action is awaiting confirmation for session '${shortened(id)}'`),
  noInteraction: (id: string) =>
    error("NO_PENDING_INTERACTION")(`no interaction is pending for session '${shortened(id)}'`),
  interactionMismatch: error("INTERACTION_MISMATCH")("another interaction is pending"),
  originNotAllowed: error("ORIGIN_NOT_ALLOWED")("This page may not use this agent."),
  visitorNotVerified: error("AUTH_CONTEXT_INVALID")("Your identity could not be verified. Please reload the page."),
  agentUnavailable: error("AGENT_NOT_AUTHORIZED")("This agent is not available here."),
  tooManyFrames: limited("too many frames; wait a moment"),
  tooManyActions: limited("too many requests in progress; wait for responses"),
  tooManyConversations: limited("Too many new conversations. Please try again later."),
  tooManyTurns: limited("Too many messages are being answered. Please try again in a moment."),
  restarting: internal("The service is being restarted. Please try again in a moment."),
  conversationNotOpened: internal("The conversation could not be opened. Please try again."),
  codeNotChecked: internal("The code could not be checked. Please try again."),
  actionFailed: internal("Something went wrong. Please try again."),
  titleNotStored: unstored("The title could not be stored. Please try again."),
  replyNotStored: unstored("The answer could not be stored. Please look at the conversation again later."),
  /** The cause is in the session's log only: it may name addresses and accounts. */
  turnFailed: failed("Something went wrong while answering. Please try again."),
  turnParked: failed("The service cannot continue right now. Please try again later."),
  answerMissing: failed,
}

/** Code of each refusal. What only an operator can fix is an internal error to a visitor. */
export const refusalCodes = {
  "session.busy": "TURN_IN_PROGRESS",
  "session.unknown": "INTERNAL_ERROR",
  "session.ambiguous": "INTERNAL_ERROR",
  "session.owned": "INTERNAL_ERROR",
  "session.elsewhere": "INTERNAL_ERROR",
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
  "answer.invalid": "NO_PENDING_CONFIRMATION",
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
  "node.unknown": "INTERNAL_ERROR",
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
