// One maker for each event of the server, so that no frame is put together anywhere else. A member that is not given is
// not there: real clients refuse a null where they expect nothing.
import type { CodeChannel, FieldError, InteractionKind, JsonValue } from "../../contract/values.ts"
import type { ErrorCode, RawResponse, ServerEvent, ServerEventOf, TurnResult } from "./frames.ts"

export function pong(requestId: string | undefined, timestamp: number): ServerEventOf<"pong"> {
  return { type: "pong", ...named(requestId), data: { timestamp }, timestamp }
}

export function answered(
  requestId: string | undefined,
  status: number,
  message: string,
  data: Record<string, JsonValue>,
  timestamp: number,
): ServerEventOf<"immediate_response"> {
  return { type: "immediate_response", ...named(requestId), status, message, data, timestamp }
}

export function word<Type extends "stream_token" | "stream_reasoning" | "stream_preamble">(
  type: Type,
  requestId: string,
  token: string,
  timestamp: number,
) {
  return { type, requestId, token, data: { requestId, token }, timestamp }
}

export function chunk(
  requestId: string,
  node: string,
  rawResponse: RawResponse,
  timestamp: number,
): ServerEventOf<"stream_chunk"> {
  return { type: "stream_chunk", requestId, node, data: { requestId, node, state: { rawResponse } }, timestamp }
}

export function eventualResponse(
  requestId: string,
  data: TurnResult,
  timestamp: number,
): ServerEventOf<"eventual_response"> {
  return { type: "eventual_response", requestId, status: 200, data: { requestId, status: 200, data }, timestamp }
}

export function cancelled(requestId: string, timestamp: number): ServerEventOf<"cancelled"> {
  return { type: "cancelled", requestId, status: 499, data: { status: 499, requestId }, timestamp }
}

export function confirmationRequired(
  requestId: string,
  toolId: string,
  actionDescription: string,
  timestamp: number,
): ServerEventOf<"write_confirmation_required"> {
  const data = { requestId, data: { toolId, actionDescription } }
  return { type: "write_confirmation_required", requestId, data, timestamp }
}

export interface RaisedInteraction {
  readonly interactionId: string
  readonly kind: InteractionKind
  readonly spec: JsonValue
  readonly reason: string
}

export function interactionRequired(
  requestId: string,
  { interactionId, kind, spec, reason }: RaisedInteraction,
  timestamp: number,
): ServerEventOf<"interaction_required"> {
  const data = { requestId, data: { interactionId, kind, spec, reason } }
  return { type: "interaction_required", requestId, data, timestamp }
}

export function interactionInvalid(
  requestId: string,
  { interactionId, kind }: Pick<RaisedInteraction, "interactionId" | "kind">,
  errors: FieldError[],
  timestamp: number,
): ServerEventOf<"interaction_invalid"> {
  const data = { requestId, data: { interactionId, kind, errors, message: "Some fields need attention." } }
  return { type: "interaction_invalid", requestId, data, timestamp }
}

export function verificationRequired(
  requestId: string,
  toolId: string,
  availableChannels: CodeChannel[],
  timestamp: number,
): ServerEventOf<"otp_verification_required"> {
  const actionDescription = `Verify your identity to continue using '${toolId}'.`
  const data = { requestId, data: { toolId, actionDescription, availableChannels, authLevel: "end_user" as const } }
  return { type: "otp_verification_required", requestId, data, timestamp }
}

export function otpSent(
  requestId: string,
  channel: CodeChannel,
  maskedDestination: string,
  timestamp: number,
): ServerEventOf<"otp_sent"> {
  return { type: "otp_sent", requestId, data: { requestId, data: { channel, maskedDestination } }, timestamp }
}

export function otpVerified(requestId: string, timestamp: number): ServerEventOf<"otp_verified"> {
  const message = "Identity verified successfully."
  return { type: "otp_verified", requestId, data: { requestId, data: { message } }, timestamp }
}

type OtpInvalid = ServerEventOf<"otp_invalid">

export function otpInvalid(requestId: string, data: OtpInvalid["data"]["data"], timestamp: number): OtpInvalid {
  return { type: "otp_invalid", requestId, data: { requestId, data }, timestamp }
}

export function failure(
  requestId: string | undefined,
  code: ErrorCode,
  message: string,
  timestamp: number,
): ServerEventOf<"error"> {
  const error = { code, message }
  return { type: "error", ...named(requestId), error, data: { error, ...named(requestId) }, timestamp }
}

export function keepalive(requestId: string, timestamp: number): ServerEventOf<"keepalive"> {
  return { type: "keepalive", requestId, data: { requestId }, timestamp }
}

/** One text frame. JSON is well formed also where half a surrogate pair is in it: that half is written as an escape. */
export function encode(event: ServerEvent): string {
  return event.type === "stream_token" || event.type === "stream_reasoning" ? encodeWord(event) : JSON.stringify(event)
}

/** Almost all frames are words, and all words have one form: only what differs is looked at. */
function encodeWord({ type, requestId, token, timestamp }: ReturnType<typeof word>): string {
  const said = `"requestId":${JSON.stringify(requestId)},"token":${JSON.stringify(token)}`
  return `{"type":"${type}",${said},"data":{${said}},"timestamp":${timestamp}}`
}

function named(requestId: string | undefined): { requestId?: string } {
  return requestId === undefined ? {} : { requestId }
}
