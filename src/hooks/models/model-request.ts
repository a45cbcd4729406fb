// Converts a model call to the extension protocol: messages with role and blocks, tool results as user messages.
// Reasoning is sent back only to the provider that signed it.
import { isJson } from "../../contract/json-object.ts"
import type {
  LanguageModelV4CallOptions,
  LanguageModelV4FilePart,
  LanguageModelV4FunctionTool,
  LanguageModelV4Message,
} from "@ai-sdk/provider"
import { isThinkingLevel, thinkingTokens } from "../../contract/rules/thinking.ts"
import type { JsonValue } from "../../contract/values.ts"
import { isEnvironmentPart } from "../../contract/rules/changing-part.ts"
import type { ProviderRequest, ToolSpec } from "../../protocols/extension/frames.ts"

export interface RequestedModel {
  readonly providerId: string
  readonly modelId: string
  /** `extension:provider:model` */
  readonly name: string
  /** Key of the provider's reasoning signatures. */
  readonly signedBy: string
  readonly takesTools: boolean
}

type Message = ProviderRequest["messages"][number]
type AssistantPart = Extract<LanguageModelV4Message, { role: "assistant" }>["content"][number]
type UserPart = Extract<LanguageModelV4Message, { role: "user" }>["content"][number]
type ToolPart = Extract<LanguageModelV4Message, { role: "tool" }>["content"][number]

export function modelRequest(model: RequestedModel, options: LanguageModelV4CallOptions): ProviderRequest {
  const { prompt, tools = [], temperature, maxOutputTokens, reasoning } = options
  const system = [
    ...prompt.flatMap((message) => (message.role === "system" ? [message.content] : [])),
    ...newestEnvironment(prompt),
  ]
  return {
    provider_id: model.providerId,
    model_id: model.modelId,
    model: model.name,
    messages: prompt.flatMap((message) => messagesOf(message, model.signedBy)),
    system_prompt: system.length === 0 ? null : system.join("\n\n"),
    tools: model.takesTools ? tools.flatMap((tool) => (tool.type === "function" ? [toolSpec(tool)] : [])) : [],
    temperature: temperature ?? null,
    max_tokens: maxOutputTokens ?? null,
    thinking_budget: thinkingBudget(reasoning),
  }
}

/** Date and git state are part of the system prompt here: extensions expect the user's words as a plain text. */
function newestEnvironment(prompt: LanguageModelV4CallOptions["prompt"]): readonly string[] {
  const parts = prompt.flatMap((message) => (message.role === "user" ? message.content : []))
  return parts.flatMap((part) => (part.type === "text" && isEnvironmentPart(part) ? [part.text] : [])).slice(-1)
}

function thinkingBudget(reasoning: LanguageModelV4CallOptions["reasoning"] = "none"): number {
  return isThinkingLevel(reasoning) ? thinkingTokens[reasoning] : 0
}

function messagesOf(message: LanguageModelV4Message, signedBy: string): readonly Message[] {
  switch (message.role) {
    case "system":
      return []
    case "user":
      return [{ role: "user", content: userContent(message.content.filter((part) => !isEnvironmentPart(part))) }]
    case "assistant":
      return filled(
        "assistant",
        message.content.flatMap((part) => assistantBlock(part, signedBy)),
      )
    case "tool":
      return filled("user", message.content.flatMap(resultBlock))
  }
}

function filled(role: Message["role"], blocks: readonly JsonValue[]): readonly Message[] {
  return blocks.length === 0 ? [] : [{ role, content: blocks }]
}

/** A single text is sent as a string. */
function userContent(parts: readonly UserPart[]): JsonValue {
  const [first, second] = parts
  if (first?.type === "text" && second === undefined) return first.text
  return parts.map((part) => (part.type === "text" ? { type: "text", text: part.text } : fileBlock(part)))
}

function fileBlock({ mediaType, filename, data }: LanguageModelV4FilePart): JsonValue {
  const source = sourceOf(mediaType, data)
  if (source === undefined) return { type: "text", text: `[${filename ?? "a file"} cannot be sent to this model]` }
  return mediaType.startsWith("image/") ? { type: "image", source } : { type: "document", title: filename, source }
}

function sourceOf(mediaType: string, data: LanguageModelV4FilePart["data"]): JsonValue | undefined {
  if (data.type === "url") return { type: "url", url: data.url.href }
  if (data.type !== "data") return undefined
  const base64 = typeof data.data === "string" ? data.data : Buffer.from(data.data).toString("base64")
  return { type: "base64", media_type: mediaType, data: base64 }
}

function assistantBlock(part: AssistantPart, signedBy: string): readonly JsonValue[] {
  switch (part.type) {
    case "text":
      return [{ type: "text", text: part.text }]
    case "reasoning": {
      const signature = part.providerOptions?.[signedBy]?.["signature"]
      return typeof signature === "string" ? [{ type: "thinking", thinking: part.text, signature }] : []
    }
    case "tool-call":
      return [{ type: "tool_use", id: part.toolCallId, name: part.toolName, input: inputOf(part.input) }]
    default:
      return [] // no other part occurs in a session's history
  }
}

function resultBlock(part: ToolPart): readonly JsonValue[] {
  if (part.type !== "tool-result") return []
  const { output, toolCallId: tool_use_id } = part
  const content = output.type === "text" || output.type === "error-text" ? output.value : JSON.stringify(output)
  return [{ type: "tool_result", tool_use_id, content, ...(output.type === "error-text" ? { is_error: true } : {}) }]
}

function toolSpec({ name, description = "", inputSchema }: LanguageModelV4FunctionTool): ToolSpec {
  return { name, description, input_schema: inputOf(inputSchema) }
}

/** History and schemas come from JSON. */
function inputOf(value: unknown): JsonValue {
  return isJson(value) ? value : null
}
