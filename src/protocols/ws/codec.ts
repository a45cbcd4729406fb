// Text frames of the WebSocket API to actions, and events to text frames. Pure.
import { tryParseJson } from "../../contract/json-object.ts"
import { limits } from "../../contract/limits.ts"
import { hasTooManyParts } from "../json-text.ts"
import { isActionName, type ClientAction } from "./actions.ts"
import { errors, type WsError } from "./errors.ts"
import { Fields } from "./fields.ts"
import type { ServerEvent } from "./frames.ts"
import type { tokenEvent } from "./server-events.ts"

export type Decoded =
  | { readonly kind: "action"; readonly action: ClientAction }
  | { readonly kind: "error"; readonly requestId: string | undefined; readonly error: WsError }

/** Reads what all actions have in common; `actions` in actions.ts reads the rest. */
export function decodeFrame(text: string): Decoded {
  if (hasTooManyParts(text)) return invalid(undefined, errors.frameTooComplex)
  const fields = Fields.of(tryParseJson(text))
  if (fields === undefined) return invalid(undefined, errors.frameNotObject)
  const requestId = fields.text("requestId") || undefined // an empty id counts as missing
  if (requestId !== undefined && (requestId.length > limits.nameLength || !requestId.isWellFormed()))
    return invalid(undefined, errors.fieldTooLong("requestId", limits.nameLength))
  const action = fields.text("action")
  if (action === undefined) return invalid(requestId, errors.actionNotString)
  if (!isActionName(action)) return invalid(requestId, errors.unsupportedAction(action))
  return { kind: "action", action: { action, requestId, fields } }
}

/** A half surrogate pair is written as an escape, so the frame is always well-formed UTF-8. */
export function encodeFrame(event: ServerEvent): string {
  return event.type === "stream_token" || event.type === "stream_reasoning" ? encodeToken(event) : JSON.stringify(event)
}

/** Almost all frames are tokens of one form: only what differs is serialised. */
function encodeToken({ type, requestId, token: text, timestamp }: ReturnType<typeof tokenEvent>): string {
  const repeated = `"requestId":${JSON.stringify(requestId)},"token":${JSON.stringify(text)}`
  return `{"type":"${type}",${repeated},"data":{${repeated}},"timestamp":${timestamp}}`
}

function invalid(requestId: string | undefined, error: WsError): Decoded {
  return { kind: "error", requestId, error }
}
