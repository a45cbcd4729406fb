// Frames of a server, read the way servers really write them: members too many are passed over, a word may stand in the
// envelope or in its data, arguments may be an object or its text. What cannot be understood is no frame.
import type { FieldError, JsonValue } from "../../contract/values.ts"
import type { Citation, TurnUsage } from "../../protocols/ws/frames.ts"
import { Fields } from "../../protocols/ws/fields.ts"
import type { TurnEvent, TurnResult } from "./turn-events.ts"

/** What the frame says, and about which request. */
export interface ServerFrame {
  readonly requestId: string | undefined
  /** The server's clock. */
  readonly at: number | undefined
  readonly said: Said
}

export type Said =
  | { readonly kind: "answer"; readonly status: number; readonly data: Fields }
  | { readonly kind: "pong" }
  | { readonly kind: "event"; readonly event: TurnEvent }
  | { readonly kind: "ended"; readonly result: TurnResult }
  | { readonly kind: "cancelled" }
  | { readonly kind: "error"; readonly code: string; readonly message: string }
  | { readonly kind: "code"; readonly outcome: CodeOutcome }

/** A wrong code is an answer like a right one. */
export type CodeOutcome =
  | { readonly isVerified: true; readonly message: string }
  | {
      readonly isVerified: false
      /** `INVALID_CODE`, `MAX_ATTEMPTS`, `NOT_FOUND`, `EXPIRED`, where the server says it. */
      readonly error?: string
      readonly attemptsRemaining: number
      readonly message: string
    }

export function readFrame(text: string): ServerFrame | undefined {
  const frame = parsed(text)
  const type = frame?.text("type")
  if (frame === undefined || type === undefined) return undefined
  const said = readers.get(type)?.(frame)
  const data = frame.object("data")
  if (said === undefined) return undefined
  return { requestId: frame.text("requestId") ?? data?.text("requestId"), at: frame.number("timestamp"), said }
}

type Read = (frame: Fields) => Said | undefined

const readers: ReadonlyMap<string, Read> = new Map<string, Read>([
  ["pong", () => ({ kind: "pong" })],
  [
    "immediate_response",
    (frame) => ({ kind: "answer", status: frame.number("status") ?? 200, data: frame.object("data") ?? nothing }),
  ],
  ["stream_token", (frame) => word("token", frame)],
  ["stream_reasoning", (frame) => word("reasoning", frame)],
  ["stream_preamble", (frame) => word("preamble", frame)],
  ["stream_chunk", chunk],
  ["eventual_response", ended],
  ["cancelled", () => ({ kind: "cancelled" })],
  ["error", failure],
  ["keepalive", () => shown({ type: "alive" })],
  ["write_confirmation_required", (frame) => shown({ type: "confirmation", ...tool(notice(frame)) })],
  ["interaction_required", interaction],
  ["interaction_invalid", (frame) => shown({ type: "interaction-invalid", ...wrongValues(notice(frame)) })],
  [
    "otp_verification_required",
    (frame) =>
      shown({ type: "verification", ...tool(notice(frame)), channels: texts(notice(frame), "availableChannels") }),
  ],
  [
    "otp_sent",
    (frame) => {
      const [channel, destination] = [words(notice(frame), "channel"), words(notice(frame), "maskedDestination")]
      return shown({ type: "code-sent", channel, destination })
    },
  ],
  ["otp_verified", (frame) => code({ isVerified: true, message: words(notice(frame), "message") })],
  ["otp_invalid", (frame) => code(wrongCode(notice(frame)))],
])

const nothing = new Fields({})

/** What a person is asked or told lies two levels deep. */
function notice(frame: Fields): Fields {
  return frame.object("data")?.object("data") ?? nothing
}

function shown(event: TurnEvent): Said {
  return { kind: "event", event }
}

function code(outcome: CodeOutcome): Said {
  return { kind: "code", outcome }
}

function word(type: "token" | "reasoning" | "preamble", frame: Fields): Said | undefined {
  const text = frame.text("token") ?? frame.object("data")?.text("token")
  return text === undefined ? undefined : shown({ type, text })
}

function chunk(frame: Fields): Said | undefined {
  const raw = frame.object("data")?.object("state")?.object("rawResponse")
  const call = raw?.object("toolCall")
  if (call !== undefined)
    return shown({ type: "tool-call", tool: words(call, "name"), input: unpacked(call.get("arguments") ?? {}) })
  const result = raw?.object("toolResult")
  if (result === undefined) return undefined
  const given = result.get("result") ?? ""
  return shown({
    type: "tool-result",
    tool: words(result, "name"),
    isError: result.boolean("isError") === true,
    result: typeof given === "string" ? given : JSON.stringify(given),
  })
}

function ended(frame: Fields): Said {
  const inner = notice(frame)
  const response = inner.object("response") ?? nothing
  const reason = inner.text("escalationReason")
  const usage = usageIn(inner.object("usage"))
  const directive = inner.get("directive")
  const result: TurnResult = {
    text: texts(response, "responseParts").join("\n\n"),
    messageId: words(inner, "messageId"),
    needsEscalation: inner.boolean("needsEscalation") === true,
    ...(reason === undefined ? {} : { escalationReason: reason }),
    citations: (inner.array("citations") ?? []).flatMap(citation),
    suggestions: texts(response, "suggestedNextActions"),
    ...(usage === undefined ? {} : { usage }),
    ...(directive === undefined || directive === null ? {} : { directive }),
    isFromMessages: false,
  }
  return { kind: "ended", result }
}

/** Servers write it twice, and some only once. */
function failure(frame: Fields): Said {
  const error = frame.object("data")?.object("error") ?? frame.object("error") ?? nothing
  return { kind: "error", code: error.text("code") ?? "UNKNOWN", message: words(error, "message") }
}

function interaction(frame: Fields): Said | undefined {
  const asked = notice(frame)
  const [interactionId, kind] = [asked.text("interactionId"), asked.text("kind")]
  if (interactionId === undefined || kind === undefined) return undefined
  const spec = asked.get("spec") ?? {}
  return shown({ type: "interaction", interactionId, kind, spec, reason: words(asked, "reason") })
}

function wrongValues(told: Fields): { readonly interactionId: string; readonly errors: readonly FieldError[] } {
  const errors = (told.array("errors") ?? []).flatMap((entry) => {
    const error = membersOf(entry)
    return error === undefined ? [] : { field: words(error, "field"), message: words(error, "message") }
  })
  return { interactionId: words(told, "interactionId"), errors }
}

function wrongCode(told: Fields): CodeOutcome {
  const error = told.text("error")
  const attemptsRemaining = told.number("attemptsRemaining") ?? 0
  return {
    isVerified: false,
    ...(error === undefined ? {} : { error }),
    attemptsRemaining,
    message: words(told, "message"),
  }
}

function tool(asked: Fields): { readonly tool: string; readonly description: string } {
  return { tool: words(asked, "toolId"), description: words(asked, "actionDescription") }
}

function citation(entry: JsonValue): readonly Citation[] {
  const cited = membersOf(entry)
  const id = cited?.text("id")
  if (cited === undefined || id === undefined) return []
  const url = cited.text("url")
  const { title = id, snippet = "" } = { title: cited.text("title"), snippet: cited.text("snippet") }
  return [{ id, title, snippet, score: cited.number("score") ?? 0, ...(url === undefined ? {} : { url }) }]
}

function usageIn(usage: Fields | undefined): TurnUsage | undefined {
  if (usage === undefined) return undefined
  const [costUsd, promptTokens, completionTokens] = ["costUsd", "promptTokens", "completionTokens"].map(
    (name) => usage.number(name) ?? 0,
  )
  return { costUsd: costUsd ?? 0, promptTokens: promptTokens ?? 0, completionTokens: completionTokens ?? 0 }
}

/** One server sends the model's own text. */
function unpacked(input: JsonValue): JsonValue {
  if (typeof input !== "string") return input
  try {
    const value: JsonValue = JSON.parse(input)
    return value
  } catch {
    return input
  }
}

function words(members: Fields, name: string): string {
  return members.text(name) ?? ""
}

function texts(members: Fields, name: string): string[] {
  return (members.array(name) ?? []).filter((entry) => typeof entry === "string")
}

export function membersOf(entry: JsonValue): Fields | undefined {
  return new Fields({ entry }).object("entry")
}

function parsed(text: string): Fields | undefined {
  try {
    const value: JsonValue = JSON.parse(text)
    return membersOf(value)
  } catch {
    return undefined
  }
}
