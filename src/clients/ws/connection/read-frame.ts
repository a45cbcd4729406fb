// Parses server frames as real servers write them: unknown fields are ignored, a field may be in the envelope or in its
// data, tool arguments may be an object or its JSON text. An unreadable frame is undefined.
import { tryParseJson } from "../../../contract/json-object.ts"
import type { FieldError, JsonValue } from "../../../contract/values.ts"
import type { Citation, TurnUsage } from "../../../protocols/ws/frames.ts"
import { Fields } from "../../../protocols/ws/fields.ts"
import type { TurnEvent, TurnResult } from "../turns/turn-events.ts"

export interface ServerFrame {
  readonly requestId: string | undefined
  /** The server's clock. */
  readonly timestamp: number | undefined
  readonly content: FrameContent
}

export type FrameContent =
  | { readonly kind: "response"; readonly status: number; readonly data: Fields }
  | { readonly kind: "pong" }
  | { readonly kind: "event"; readonly event: TurnEvent }
  | { readonly kind: "ended"; readonly result: TurnResult }
  | { readonly kind: "cancelled" }
  | { readonly kind: "error"; readonly code: string; readonly message: string }
  | { readonly kind: "code"; readonly outcome: CodeOutcome }

/** The result of checking a one-time code. */
export type CodeOutcome =
  | { readonly isVerified: true; readonly message: string }
  | {
      readonly isVerified: false
      /** `INVALID_CODE`, `MAX_ATTEMPTS`, `NOT_FOUND` or `EXPIRED`, if the server sends it. */
      readonly error?: string
      readonly attemptsRemaining: number
      readonly message: string
    }

export function readFrame(text: string): ServerFrame | undefined {
  const frame = fieldsOf(tryParseJson(text))
  const type = frame?.text("type")
  if (frame === undefined || type === undefined) return undefined
  const content = readers.get(type)?.(frame)
  if (content === undefined) return undefined
  const requestId = frame.text("requestId") ?? frame.object("data")?.text("requestId")
  return { requestId, timestamp: frame.number("timestamp"), content }
}

type Read = (frame: Fields) => FrameContent | undefined

const readers: ReadonlyMap<string, Read> = new Map<string, Read>([
  ["pong", () => ({ kind: "pong" })],
  ["immediate_response", readResponse],
  ["stream_token", (frame) => readText("token", frame)],
  ["stream_reasoning", (frame) => readText("reasoning", frame)],
  ["stream_preamble", (frame) => readText("preamble", frame)],
  ["stream_chunk", readToolChunk],
  ["eventual_response", (frame) => ({ kind: "ended", result: readResult(innerData(frame)) })],
  ["cancelled", () => ({ kind: "cancelled" })],
  ["error", readError],
  ["keepalive", () => turnEvent({ type: "alive" })],
  ["write_confirmation_required", (frame) => turnEvent({ type: "confirmation", ...readTool(innerData(frame)) })],
  ["interaction_required", (frame) => readInteraction(innerData(frame))],
  ["interaction_invalid", (frame) => readInvalid(innerData(frame))],
  ["otp_verification_required", (frame) => readVerification(innerData(frame))],
  ["otp_sent", (frame) => readCodeSent(innerData(frame))],
  ["otp_verified", (frame) => readVerified(innerData(frame))],
  ["otp_invalid", (frame) => readWrongCode(innerData(frame))],
])

const empty = new Fields({})

/** Results and requests to the user are nested two levels deep. */
function innerData(frame: Fields): Fields {
  return frame.object("data")?.object("data") ?? empty
}

function turnEvent(event: TurnEvent): FrameContent {
  return { kind: "event", event }
}

function readResponse(frame: Fields): FrameContent {
  return { kind: "response", status: frame.number("status") ?? 200, data: frame.object("data") ?? empty }
}

function readText(type: "token" | "reasoning" | "preamble", frame: Fields): FrameContent | undefined {
  const text = frame.text("token") ?? frame.object("data")?.text("token")
  return text === undefined ? undefined : turnEvent({ type, text })
}

function readToolChunk(frame: Fields): FrameContent | undefined {
  const raw = frame.object("data")?.object("state")?.object("rawResponse")
  const call = raw?.object("toolCall")
  if (call !== undefined)
    return turnEvent({ type: "tool-call", tool: string(call, "name"), input: readInput(call.get("arguments") ?? {}) })
  const result = raw?.object("toolResult")
  if (result === undefined) return undefined
  const value = result.get("result") ?? ""
  return turnEvent({
    type: "tool-result",
    tool: string(result, "name"),
    isError: result.boolean("isError") === true,
    result: typeof value === "string" ? value : JSON.stringify(value),
  })
}

function readResult(data: Fields): TurnResult {
  const response = data.object("response") ?? empty
  const escalationReason = data.text("escalationReason")
  const usage = data.object("usage")
  const directive = data.get("directive")
  return {
    text: strings(response, "responseParts").join("\n\n"),
    messageId: string(data, "messageId"),
    needsEscalation: data.boolean("needsEscalation") === true,
    ...(escalationReason !== undefined && { escalationReason }),
    citations: (data.array("citations") ?? []).flatMap(readCitation),
    suggestions: strings(response, "suggestedNextActions"),
    ...(usage !== undefined && { usage: readUsage(usage) }),
    ...(directive !== undefined && directive !== null && { directive }),
    isFromMessages: false,
  }
}

/** Servers send it in one place or in both. */
function readError(frame: Fields): FrameContent {
  const error = frame.object("data")?.object("error") ?? frame.object("error") ?? empty
  return { kind: "error", code: error.text("code") ?? "UNKNOWN", message: string(error, "message") }
}

function readInteraction(data: Fields): FrameContent | undefined {
  const [interactionId, kind] = [data.text("interactionId"), data.text("kind")]
  if (interactionId === undefined || kind === undefined) return undefined
  const spec = data.get("spec") ?? {}
  return turnEvent({ type: "interaction", interactionId, kind, spec, reason: string(data, "reason") })
}

function readInvalid(data: Fields): FrameContent {
  const errors = (data.array("errors") ?? []).flatMap((entry): readonly FieldError[] => {
    const error = fieldsOf(entry)
    return error === undefined ? [] : [{ field: string(error, "field"), message: string(error, "message") }]
  })
  return turnEvent({ type: "interaction-invalid", interactionId: string(data, "interactionId"), errors })
}

function readVerification(data: Fields): FrameContent {
  return turnEvent({ type: "verification", ...readTool(data), channels: strings(data, "availableChannels") })
}

function readCodeSent(data: Fields): FrameContent {
  const destination = string(data, "maskedDestination")
  return turnEvent({ type: "code-sent", channel: string(data, "channel"), destination })
}

function readVerified(data: Fields): FrameContent {
  return { kind: "code", outcome: { isVerified: true, message: string(data, "message") } }
}

function readWrongCode(data: Fields): FrameContent {
  const error = data.text("error")
  const attemptsRemaining = data.number("attemptsRemaining") ?? 0
  const message = string(data, "message")
  return {
    kind: "code",
    outcome: { isVerified: false, ...(error !== undefined && { error }), attemptsRemaining, message },
  }
}

function readTool(data: Fields): { readonly tool: string; readonly description: string } {
  return { tool: string(data, "toolId"), description: string(data, "actionDescription") }
}

function readCitation(entry: JsonValue): readonly Citation[] {
  const data = fieldsOf(entry)
  const id = data?.text("id")
  if (data === undefined || id === undefined) return []
  const url = data.text("url")
  const title = data.text("title") ?? id
  const score = data.number("score") ?? 0
  return [{ id, title, snippet: string(data, "snippet"), score, ...(url !== undefined && { url }) }]
}

function readUsage(usage: Fields): TurnUsage {
  const number = (name: string) => usage.number(name) ?? 0
  return {
    costUsd: number("costUsd"),
    promptTokens: number("promptTokens"),
    completionTokens: number("completionTokens"),
  }
}

/** One server sends the model's own JSON text. */
function readInput(input: JsonValue): JsonValue {
  const parsed = typeof input === "string" ? tryParseJson(input) : undefined
  return parsed === undefined ? input : parsed
}

function string(data: Fields, name: string): string {
  return data.text(name) ?? ""
}

function strings(data: Fields, name: string): string[] {
  return (data.array(name) ?? []).filter((entry) => typeof entry === "string")
}

export function fieldsOf(value: JsonValue | undefined): Fields | undefined {
  return new Fields({ value: value ?? null }).object("value")
}
