// One builder for each server event, so that no frame is put together anywhere else. Optional fields are left out, never
// null: real clients refuse a null.
import type { JsonValue } from "../../contract/values.ts"
import type { ErrorCode, RawResponse, ServerEvent, ServerEventOf, TurnResult } from "./frames.ts"

export function pong(requestId: string | undefined, timestamp: number): ServerEventOf<"pong"> {
  return { type: "pong", ...optional(requestId), data: { timestamp }, timestamp }
}

export function immediateResponse(
  requestId: string | undefined,
  status: number,
  message: string,
  data: Record<string, JsonValue>,
  timestamp: number,
): ServerEventOf<"immediate_response"> {
  return { type: "immediate_response", ...optional(requestId), status, message, data, timestamp }
}

export function tokenEvent<Type extends "stream_token" | "stream_reasoning" | "stream_preamble">(
  type: Type,
  requestId: string,
  token: string,
  timestamp: number,
) {
  return { type, requestId, token, data: { requestId, token }, timestamp }
}

/** One event for two adjacent tokens of the same kind and request; undefined for other events. */
export function joinTokens(previous: ServerEvent | undefined, next: ServerEvent): ServerEvent | undefined {
  if (previous?.type !== "stream_token" && previous?.type !== "stream_reasoning") return undefined
  if (next.type !== previous.type || next.requestId !== previous.requestId) return undefined
  return tokenEvent(next.type, next.requestId, previous.token + next.token, next.timestamp)
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

/** A request to the user or its result: nested twice. */
export function notice<Type extends string, Data>(type: Type, requestId: string, data: Data, timestamp: number) {
  return { type, requestId, data: { requestId, data }, timestamp }
}

export function errorEvent(
  requestId: string | undefined,
  { code, message }: { readonly code: ErrorCode; readonly message: string },
  timestamp: number,
): ServerEventOf<"error"> {
  const error = { code, message }
  return { type: "error", ...optional(requestId), error, data: { error, ...optional(requestId) }, timestamp }
}

export function keepalive(requestId: string, timestamp: number): ServerEventOf<"keepalive"> {
  return { type: "keepalive", requestId, data: { requestId }, timestamp }
}

function optional(requestId: string | undefined): { requestId?: string } {
  return requestId === undefined ? {} : { requestId }
}
