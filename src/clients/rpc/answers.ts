// What stands in the answers, read the way children really write them: some leave out `ok` or a summary, some list
// models as plain names. A field that cannot be done without and is not there is a fault with its name.
import type { JsonValue } from "../../contract/values.ts"
import { RpcBadAnswer } from "./faults.ts"
import type { Response } from "./pending-answers.ts"

export interface ChildState {
  readonly isStreaming: boolean
  readonly model: string
  readonly sessionId: string
  /** Messages that the model gets, results of tools included. */
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

export function readState(answer: Response): ChildState {
  return {
    isStreaming: answer["streaming"] === true,
    model: text(answer, "model"),
    sessionId: text(answer, "session_id"),
    messageCount: number(answer["message_count"]),
  }
}

export function readStats(answer: Response): SessionStats {
  return {
    inputTokens: number(answer["input_tokens"]),
    outputTokens: number(answer["output_tokens"]),
    cost: number(answer["cost"]),
    messageCount: number(answer["message_count"]),
    model: text(answer, "model"),
    sessionId: text(answer, "session_id"),
  }
}

export function readMessages(answer: Response): readonly HistoryMessage[] {
  return list(answer, "messages").map((message) => ({
    role: textOr(field(message, "role"), ""),
    content: field(message, "content") ?? "",
  }))
}

export function readModels(answer: Response): readonly AvailableModel[] {
  return list(answer, "models").map((model) => {
    if (typeof model === "string") return { provider: "", id: model, name: model }
    const id = textOr(field(model, "model_id"), "")
    return { provider: textOr(field(model, "provider"), ""), id, name: textOr(field(model, "model_name"), id) }
  })
}

export function readTools(answer: Response): readonly ToolEntry[] {
  return list(answer, "tools").map((tool) => ({
    name: textOr(field(tool, "name"), ""),
    description: textOr(field(tool, "description"), ""),
    inputSchema: field(tool, "input_schema") ?? {},
  }))
}

/** Empty when the child keeps its summary to itself. */
export function readSummary(answer: Response): string {
  return textOr(answer["summary"], "")
}

export function readSessionId(answer: Response): string {
  return text(answer, "session_id")
}

export function readModel(answer: Response): string {
  return text(answer, "model")
}

function text(answer: Response, name: string): string {
  const value = answer[name]
  if (typeof value !== "string") throw new RpcBadAnswer(answer.command, name)
  return value
}

function list(answer: Response, name: string): readonly JsonValue[] {
  const value = answer[name]
  if (!isList(value)) throw new RpcBadAnswer(answer.command, name)
  return value
}

/** It was parsed from JSON, so whatever is in a list is JSON too. */
function isList(value: unknown): value is readonly JsonValue[] {
  return Array.isArray(value)
}

function field(value: JsonValue, name: string): JsonValue | undefined {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return undefined
  return Object.entries(value).find(([key]) => key === name)?.[1]
}

function number(value: unknown): number {
  return typeof value === "number" ? value : 0
}

function textOr(value: unknown, otherwise: string): string {
  return typeof value === "string" ? value : otherwise
}
