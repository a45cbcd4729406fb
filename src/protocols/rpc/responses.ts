// Values of the host port in the form of this protocol: token counts, and the context as `get_messages` lists it.
import type { ResponseBodies, TurnUsage } from "./frames.ts"
import type { Usage, Attachment, JsonValue } from "../../contract/values.ts"
import { isJsonObject } from "../../contract/json-object.ts"
import type { AssistantItem, AssistantPart, ContextItem, UserItem } from "../../contract/views/context.ts"

export function turnUsage(usage: Usage, model: string | undefined): TurnUsage {
  const { cacheWrite5m, cacheWrite1h } = usage
  return {
    input_tokens: inputTokens(usage),
    output_tokens: usage.output,
    cache_read_input_tokens: usage.cacheRead,
    cache_creation_input_tokens: cacheWrite5m + cacheWrite1h,
    ...(cacheWrite5m + cacheWrite1h > 0 ? { cache_creation_5m: cacheWrite5m, cache_creation_1h: cacheWrite1h } : {}),
    ...(model === undefined ? {} : { model }),
  }
}

/** Tokens read from or written to the provider's cache are not counted as input. */
export function inputTokens({ input, cacheRead, cacheWrite5m, cacheWrite1h }: Usage): number {
  return Math.max(0, input - cacheRead - cacheWrite5m - cacheWrite1h)
}

type Message = ResponseBodies["get_messages"]["messages"][number]

/** Tool results are a message of their own, after the step that made the calls. */
export function messagesOf(items: readonly ContextItem[]): Message[] {
  return items.flatMap((item): Message[] => {
    switch (item.kind) {
      case "user":
        return [{ role: "user", content: userContent(item) }]
      case "summary":
        return [{ role: "user", content: item.text }]
      case "assistant":
        return assistantMessages(item)
    }
  })
}

/** The number of messages that `messagesOf` lists. */
export function messageCount(items: readonly ContextItem[]): number {
  return items.reduce((sum, item) => {
    if (item.kind !== "assistant") return sum + 1
    return sum + (item.parts.length === 0 ? 0 : 1) + (Object.keys(item.results).length === 0 ? 0 : 1)
  }, 0)
}

function userContent({ text, attachments }: UserItem): Message["content"] {
  if (attachments.length === 0) return text
  return [...(text === "" ? [] : [{ type: "text", text }]), ...attachments.map(attachmentBlock)]
}

function attachmentBlock({ name, mediaType, data, url }: Attachment): JsonValue {
  const source = data === undefined ? { type: "url", url } : { type: "base64", media_type: mediaType, data }
  return mediaType.startsWith("image/") ? { type: "image", source } : { type: "document", title: name, source }
}

function assistantMessages({ parts, results }: AssistantItem): Message[] {
  if (parts.length === 0) return []
  const message: Message = { role: "assistant", content: parts.map(partBlock) }
  const answered = Object.entries(results).map(([callId, { output, failed }]) => ({
    type: "tool_result",
    tool_use_id: callId,
    content: output,
    ...(failed ? { is_error: true } : {}),
  }))
  return answered.length === 0 ? [message] : [message, { role: "user", content: answered }]
}

function partBlock(part: AssistantPart): JsonValue {
  switch (part.kind) {
    case "text":
      return { type: "text", text: part.text }
    case "reasoning":
      return { type: "thinking", thinking: part.text, ...signature(part.providerMetadata) }
    case "call":
      return { type: "tool_use", id: part.callId, name: part.tool, input: part.input }
  }
}

/** A provider that signs its reasoning puts the signature under its own name. */
function signature(metadata: JsonValue | undefined): { signature?: string } {
  for (const own of Object.values(isJsonObject(metadata) ? metadata : {})) {
    const signed = isJsonObject(own) ? own["signature"] : undefined
    if (typeof signed === "string") return { signature: signed }
  }
  return {}
}
