// `sampling/createMessage` of an MCP server: its parameters as a prompt for the session's model, and the answer as the
// result for the server. Text only. Wishes about the model, its temperature and the conversation are ignored.
import { oneLine } from "../../contract/text/text.ts"
import type { SamplingAnswer, SamplingRequest } from "../../tools/tool.ts"
import { listOf, memberOf, numberOf, textOf } from "./read-value.ts"

export type SamplingRead =
  | { readonly kind: "request"; readonly request: SamplingRequest }
  /** A clause. */
  | { readonly kind: "no"; readonly reason: string }

type Message = SamplingRequest["messages"][number]

const MAX_TYPE_LENGTH = 40

export function readSampling(server: string, params: unknown): SamplingRead {
  if (memberOf(params, "tools") !== undefined || memberOf(params, "toolChoice") !== undefined)
    return no("tools are not supported in sampling")
  const maxTokens = numberOf(params, "maxTokens")
  if (maxTokens === undefined || !Number.isInteger(maxTokens) || maxTokens < 1)
    return no("maxTokens is not a positive whole number")
  const messages: Message[] = []
  for (const item of listOf(params, "messages") ?? []) {
    const message = readMessage(item)
    if (typeof message === "string") return no(message)
    messages.push(message)
  }
  if (messages.at(-1)?.role !== "user") return no("the last message is not one of the user")
  const system = textOf(params, "systemPrompt")
  return { kind: "request", request: { server, messages, maxTokens, ...(system === undefined ? {} : { system }) } }
}

/** What is wrong with it, or the message. */
function readMessage(item: unknown): Message | string {
  const role = memberOf(item, "role")
  if (role !== "user" && role !== "assistant") return "a message has no role"
  const content = memberOf(item, "content")
  const texts: string[] = []
  for (const block of Array.isArray(content) ? content : [content]) {
    const text = memberOf(block, "type") === "text" ? textOf(block, "text") : undefined
    if (text === undefined) return `content of the type '${typeOf(block)}' is not supported in sampling`
    texts.push(text)
  }
  return { role, text: texts.join("\n") }
}

function typeOf(block: unknown): string {
  return oneLine(textOf(block, "type") ?? "unknown", MAX_TYPE_LENGTH)
}

export type SamplingReply =
  | { readonly kind: "result"; readonly result: CreateMessageResult }
  | { readonly kind: "error"; readonly code: number; readonly message: string }

export interface CreateMessageResult {
  readonly role: "assistant"
  readonly content: { readonly type: "text"; readonly text: string }
  readonly model: string
}

/** The code by which MCP says that the user rejected the request. */
const REJECTED = -1

export function samplingReply(answer: SamplingAnswer): SamplingReply {
  if (answer.kind === "refused")
    return { kind: "error", code: REJECTED, message: `Sampling was refused: ${answer.reason}.` }
  const { text, model } = answer
  return { kind: "result", result: { role: "assistant", content: { type: "text", text }, model } }
}

function no(reason: string): SamplingRead {
  return { kind: "no", reason }
}
