// What the house answers to questions, in this wire's words.
import type { SessionId } from "../../contract/ids.ts"
import type { Attachment, JsonValue } from "../../contract/values.ts"
import type { ContextItem } from "../../projection/context.ts"
import { readStatus, type SessionStatus } from "../../projection/status.ts"
import type { ResponseBodies } from "./frames.ts"
import { inputTokens } from "./usage.ts"

export interface SessionLine {
  readonly seq: number
  readonly status: SessionStatus
}

export interface Staged {
  readonly attachments: Attachment[]
  readonly notes: readonly string[]
  readonly problems: readonly string[]
}

export function sessionLine(answer: JsonValue): SessionLine {
  const status = isObject(answer) ? readStatus(answer["status"]) : undefined
  if (!isObject(answer) || typeof answer["seq"] !== "number" || status === undefined) throw misunderstood("session")
  return { seq: answer["seq"], status }
}

export function contextItemsOf(answer: JsonValue): readonly ContextItem[] {
  const items: unknown = isObject(answer) ? answer["items"] : undefined
  if (!isContext(items)) throw misunderstood("context")
  return items
}

export function stagedFiles(answer: JsonValue): Staged {
  const staged: unknown = answer
  if (!isStaged(staged)) throw misunderstood("stage-files")
  return staged
}

export function stateBody(sessionId: SessionId, { model }: SessionStatus, streaming: boolean, message_count: number) {
  return { streaming, model, session_id: sessionId, message_count } satisfies ResponseBodies["get_state"]
}

export function statsBody(sessionId: SessionId, { model, usage }: SessionStatus, message_count: number) {
  const { total } = usage
  return {
    input_tokens: inputTokens(total),
    output_tokens: total.output,
    cost: total.usd,
    message_count,
    model,
    session_id: sessionId,
  } satisfies ResponseBodies["get_session_stats"]
}

export function toolsBody(answer: JsonValue): ResponseBodies["tools_list"] {
  const tools = listOf(answer, "tools").map((tool) => ({
    name: textOf(tool, "name"),
    description: textOf(tool, "description"),
    input_schema: tool["inputSchema"] ?? {},
  }))
  return { ok: true, tools }
}

export function modelsBody(answer: JsonValue): ResponseBodies["get_available_models"] {
  const models = listOf(answer, "models").map((model) => ({
    provider: textOf(model, "provider"),
    model_id: textOf(model, "id"),
    model_name: textOf(model, "name"),
  }))
  return { models }
}

type JsonObject = { readonly [key: string]: JsonValue | undefined }

function listOf(answer: JsonValue, query: string): readonly JsonObject[] {
  if (!isList(answer)) throw misunderstood(query)
  return answer.filter(isObject)
}

function textOf(object: JsonObject, key: string): string {
  const value = object[key]
  return typeof value === "string" ? value : ""
}

function misunderstood(query: string): Error {
  return new Error(`the house answered the query '${query}' in an unknown shape`)
}

function isList(value: JsonValue): value is readonly JsonValue[] {
  return Array.isArray(value)
}

function isObject(value: JsonValue): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value)
}

/** The items are the house's own projection; whether it is a list of them is all that can go wrong. */
function isContext(value: unknown): value is readonly ContextItem[] {
  return Array.isArray(value) && value.every((item) => typeof item === "object" && item !== null && "kind" in item)
}

function isStaged(value: unknown): value is Staged {
  if (typeof value !== "object" || value === null) return false
  if (!("attachments" in value) || !("notes" in value) || !("problems" in value)) return false
  return [value.attachments, value.notes, value.problems].every((list) => Array.isArray(list))
}
