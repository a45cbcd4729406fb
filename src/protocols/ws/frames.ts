// Every event of the smooth-operator protocol that the server sends, as closed objects: real clients refuse a frame with
// an extra key. Optional fields are absent, never null.
import { z } from "zod"
import { FieldError, InteractionKind, JsonValue } from "../../contract/values.ts"

const text = z.string()
const requestId = z.string()
const timestamp = z.int().min(0)

function event<Type extends string, Shape extends z.ZodRawShape>(type: Type, shape: Shape) {
  return z.strictObject({ type: z.literal(type), ...shape, timestamp }).meta({ title: type })
}

/** A token is in the envelope and in its data. */
function token<Type extends string>(type: Type) {
  return event(type, { requestId, token: text, data: z.strictObject({ requestId, token: text }) })
}

/** A request to the user or its result: nested twice. */
function notice<Type extends string, Shape extends z.ZodRawShape>(type: Type, shape: Shape) {
  return event(type, { requestId, data: z.strictObject({ requestId, data: z.strictObject(shape) }) })
}

export const ErrorCode = z.enum([
  "VALIDATION_ERROR",
  "UNSUPPORTED_ACTION",
  "SESSION_NOT_FOUND",
  "CONVERSATION_NOT_FOUND",
  "TURN_IN_PROGRESS",
  "SKILL_NOT_FOUND",
  "LLM_UNAVAILABLE",
  "AGENT_ERROR",
  "INTERNAL_ERROR",
  "STORAGE_ERROR",
  "NO_PENDING_CONFIRMATION",
  "NO_PENDING_INTERACTION",
  "INTERACTION_MISMATCH",
  "OTP_SEND_FAILED",
  "ORIGIN_NOT_ALLOWED",
  "AUTH_CONTEXT_INVALID",
  "AGENT_NOT_AUTHORIZED",
  "RATE_LIMITED",
])
export type ErrorCode = z.infer<typeof ErrorCode>

const WireError = z.strictObject({ code: ErrorCode, message: text })

export const Citation = z.strictObject({
  id: text,
  title: text,
  url: text.optional(),
  snippet: text,
  score: z.number(),
})
export type Citation = z.infer<typeof Citation>

export const TurnUsage = z.strictObject({
  costUsd: z.number(),
  promptTokens: z.int().min(0),
  completionTokens: z.int().min(0),
})
export type TurnUsage = z.infer<typeof TurnUsage>

export const AgentResponse = z.strictObject({
  responseParts: z.array(text),
  customerHappinessScore: z.number(),
  needsSatisfactionScore: z.number(),
  requestSummary: text,
  resolutionStatus: z.enum(["in_progress", "resolved", "requires_escalation", "needs_more_info", "blocked"]),
  suggestedNextActions: z.array(text),
})
export type AgentResponse = z.infer<typeof AgentResponse>

export const TurnResult = z.strictObject({
  messageId: text,
  response: AgentResponse,
  needsEscalation: z.boolean(),
  escalationReason: text.optional(),
  citations: z.array(Citation).min(1).optional(),
  usage: TurnUsage.optional(),
  directive: JsonValue.optional(),
})
export type TurnResult = z.infer<typeof TurnResult>

/** A tool call or its result; they are paired by order and name. */
export const RawResponse = z.union([
  z.strictObject({ toolCall: z.strictObject({ name: text, arguments: JsonValue }) }),
  z.strictObject({ toolResult: z.strictObject({ name: text, isError: z.boolean(), result: text }) }),
])
export type RawResponse = z.infer<typeof RawResponse>

const status = z.int()

export const ServerEvent = z.discriminatedUnion("type", [
  event("pong", { requestId: requestId.optional(), data: z.strictObject({ timestamp }) }),
  event("immediate_response", {
    requestId: requestId.optional(),
    status,
    message: text,
    data: z.record(z.string(), JsonValue),
  }),
  token("stream_token"),
  token("stream_reasoning"),
  token("stream_preamble"),
  event("stream_chunk", {
    requestId,
    node: text,
    data: z.strictObject({ requestId, node: text, state: z.strictObject({ rawResponse: RawResponse.optional() }) }),
  }),
  event("eventual_response", {
    requestId,
    status: z.literal(200),
    data: z.strictObject({ requestId, status: z.literal(200), data: TurnResult }),
  }),
  event("cancelled", {
    requestId: requestId.optional(),
    status: z.literal(499),
    data: z.strictObject({ status: z.literal(499), requestId: requestId.optional() }),
  }),
  notice("write_confirmation_required", { toolId: text, actionDescription: text }),
  notice("interaction_required", { interactionId: text, kind: InteractionKind, spec: JsonValue, reason: text }),
  notice("interaction_invalid", {
    interactionId: text,
    kind: InteractionKind,
    errors: z.array(FieldError).min(1),
    message: text,
  }),
  notice("otp_verification_required", {
    toolId: text,
    actionDescription: text,
    availableChannels: z.array(z.enum(["email", "sms"])).min(1),
    authLevel: z.enum(["end_user", "admin"]),
  }),
  notice("otp_sent", { channel: z.enum(["email", "sms"]), maskedDestination: text }),
  notice("otp_verified", { message: text }),
  notice("otp_invalid", {
    error: z.enum(["INVALID_CODE", "MAX_ATTEMPTS", "NOT_FOUND", "EXPIRED"]).optional(),
    attemptsRemaining: z.int().min(0),
    message: text,
  }),
  event("error", {
    requestId: requestId.optional(),
    error: WireError,
    data: z.strictObject({ error: WireError, requestId: requestId.optional(), details: JsonValue.optional() }),
  }),
  event("keepalive", { requestId: requestId.optional(), data: z.strictObject({ requestId }) }),
])
export type ServerEvent = z.infer<typeof ServerEvent>
export type ServerEventOf<Type extends ServerEvent["type"]> = Extract<ServerEvent, { type: Type }>

/** The response to `create_conversation_session`: exactly these fields. */
export const CreatedSession = z.strictObject({
  sessionId: z.uuid(),
  conversationId: z.uuid(),
  /** As requested. */
  agentId: text,
  agentName: text,
  userParticipantId: z.uuid(),
  agentParticipantId: z.uuid(),
})
export type CreatedSession = z.infer<typeof CreatedSession>

export const SessionFacts = z.strictObject({
  ...CreatedSession.shape,
  threadId: z.uuid(),
  status: z.enum(["active", "idle", "ended"]),
})
export type SessionFacts = z.infer<typeof SessionFacts>

export const MessageRow = z.strictObject({
  id: z.uuid(),
  direction: z.enum(["inbound", "outbound"]),
  content: z.strictObject({ text }),
  createdAt: z.iso.datetime({ offset: true }),
})
export type MessageRow = z.infer<typeof MessageRow>

export const MessagePage = z.strictObject({
  messages: z.array(MessageRow),
  nextCursor: text.nullable(),
  hasMore: z.boolean(),
})
export type MessagePage = z.infer<typeof MessagePage>

export const ConversationLine = z.strictObject({
  conversationId: z.uuid(),
  title: text,
  updatedAt: z.iso.datetime({ offset: true }),
  messageCount: z.int().min(0),
})
export type ConversationLine = z.infer<typeof ConversationLine>
