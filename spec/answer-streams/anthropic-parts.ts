// Parts of streams of Anthropic's messages.
import { event } from "./events.ts"

export const startUsage = {
  input_tokens: 12,
  cache_creation_input_tokens: 40,
  cache_read_input_tokens: 500,
  cache_creation: { ephemeral_5m_input_tokens: 10, ephemeral_1h_input_tokens: 30 },
  output_tokens: 1,
  service_tier: "standard",
}
export const message = {
  id: "msg_1",
  type: "message",
  role: "assistant",
  model: "claude-sonnet-5",
  content: [],
  stop_reason: null,
  stop_sequence: null,
}
export const start = event({ type: "message_start", message: { ...message, usage: startUsage } })
export const ping = event({ type: "ping" })
export const begin = (index: number, block: unknown) =>
  event({ type: "content_block_start", index, content_block: block })
export const delta = (index: number, fields: unknown) => event({ type: "content_block_delta", index, delta: fields })
export const stop = (index: number) => event({ type: "content_block_stop", index })
export const text = (index: number, value: string) => delta(index, { type: "text_delta", text: value })
const thought = (index: number, value: string) => delta(index, { type: "thinking_delta", thinking: value })
export const input = (index: number, value: string) => delta(index, { type: "input_json_delta", partial_json: value })
export const finish = (
  reason: string | null,
  usage: Record<string, unknown> = {},
  more: Record<string, unknown> = {},
) =>
  event({
    type: "message_delta",
    delta: { stop_reason: reason, stop_sequence: null, ...more },
    usage: { output_tokens: 25, ...usage },
  })
export const last = event({ type: "message_stop" })
export const end = finish("end_turn") + last

export const textBlock = (index: number, ...pieces: readonly string[]) =>
  begin(index, { type: "text", text: "" }) + pieces.map((piece) => text(index, piece)).join("") + stop(index)
export const toolBlock = (index: number, id: string, ...pieces: readonly string[]) =>
  begin(index, { type: "tool_use", id, name: "read", input: {} }) +
  pieces.map((piece) => input(index, piece)).join("") +
  stop(index)
export const thoughtBlock = (index: number, signature: string, ...pieces: readonly string[]) =>
  begin(index, { type: "thinking", thinking: "", signature: "" }) +
  pieces.map((piece) => thought(index, piece)).join("") +
  delta(index, { type: "signature_delta", signature }) +
  stop(index)

export const search =
  begin(1, { type: "server_tool_use", id: "srv_1", name: "web_search", input: {} }) +
  input(1, '{"query":"x"}') +
  stop(1)
export const found =
  begin(2, {
    type: "web_search_tool_result",
    tool_use_id: "srv_1",
    content: [{ type: "web_search_result", url: "http://x", title: "t", encrypted_content: "e", page_age: null }],
  }) + stop(2)
export const citation = {
  type: "web_search_result_location",
  cited_text: "c",
  url: "http://x",
  title: "t",
  encrypted_index: "i",
}
