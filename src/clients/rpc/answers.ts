// Reads responses as real children write them: some omit `ok` or a summary, some list models as plain names. A missing
// required field is a fault.
import { isJson, isJsonObject } from "../../contract/json-object.ts"
import type { JsonValue } from "../../contract/values.ts"
import type { Response } from "./child/read-event.ts"
import { RpcBadAnswer } from "./faults.ts"

export interface ChildState {
  readonly isStreaming: boolean
  readonly model: string
  readonly sessionId: string
  /** Messages that the model gets, tool results included. */
  readonly messageCount: number
}

export interface SessionStats {
  readonly inputTokens: number
  readonly outputTokens: number
  /** US dollars, as far as the child knows prices. */
  readonly cost: number
  readonly messageCount: number
  readonly model: string
  readonly sessionId: string
}

/** As the model gets it. `content` is a text or a list of blocks: text, thinking, tool_use, tool_result. */
export interface HistoryMessage {
  readonly role: string
  readonly content: JsonValue
}

export interface AvailableModel {
  readonly provider: string
  readonly id: string
  readonly name: string
}

export interface ToolEntry {
  readonly name: string
  readonly description: string
  readonly inputSchema: JsonValue
}

export function readState(response: Response): ChildState {
  return {
    isStreaming: response["streaming"] === true,
    model: readModel(response),
    sessionId: readSessionId(response),
    messageCount: number(response, "message_count"),
  }
}

export function readStats(response: Response): SessionStats {
  return {
    inputTokens: number(response, "input_tokens"),
    outputTokens: number(response, "output_tokens"),
    cost: number(response, "cost"),
    messageCount: number(response, "message_count"),
    model: readModel(response),
    sessionId: readSessionId(response),
  }
}

export function readMessages(response: Response): readonly HistoryMessage[] {
  return requiredList(response, "messages").map((message) => ({
    role: string(field(message, "role")),
    content: field(message, "content") ?? "",
  }))
}

export function readModels(response: Response): readonly AvailableModel[] {
  return requiredList(response, "models").map((model) => {
    if (typeof model === "string") return { provider: "", id: model, name: model }
    const id = string(field(model, "model_id"))
    return { provider: string(field(model, "provider")), id, name: string(field(model, "model_name"), id) }
  })
}

export function readTools(response: Response): readonly ToolEntry[] {
  return requiredList(response, "tools").map((tool) => ({
    name: string(field(tool, "name")),
    description: string(field(tool, "description")),
    inputSchema: field(tool, "input_schema") ?? {},
  }))
}

/** Empty when the child does not send it. */
export function readSummary(response: Response): string {
  return string(response["summary"])
}

export function readSessionId(response: Response): string {
  return requiredString(response, "session_id")
}

export function readModel(response: Response): string {
  return requiredString(response, "model")
}

function requiredString(response: Response, name: string): string {
  const value = response[name]
  if (typeof value !== "string") throw new RpcBadAnswer(response.command, name)
  return value
}

function requiredList(response: Response, name: string): readonly JsonValue[] {
  const value = response[name]
  if (!isList(value)) throw new RpcBadAnswer(response.command, name)
  return value
}

function isList(value: unknown): value is readonly JsonValue[] {
  return Array.isArray(value) && value.every(isJson)
}

function field(value: JsonValue, name: string): JsonValue | undefined {
  return isJsonObject(value) ? value[name] : undefined
}

function number(response: Response, name: string): number {
  const value = response[name]
  return typeof value === "number" ? value : 0
}

function string(value: unknown, otherwise = ""): string {
  return typeof value === "string" ? value : otherwise
}
