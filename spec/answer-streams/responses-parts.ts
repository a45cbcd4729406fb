// Parts of streams of OpenAI's responses.
import { event } from "./events.ts"

export const response = {
  id: "resp_1",
  object: "response",
  created_at: 1_790_000_000,
  status: "in_progress",
  model: "gpt-6-sol",
  output: [],
  service_tier: "auto",
}
export const created = event({ type: "response.created", sequence_number: 0, response })
const inProgress = event({ type: "response.in_progress", sequence_number: 1, response })
export const start = created + inProgress

type Fields = Readonly<Record<string, unknown>>
export const added = (index: number, item: Fields) =>
  event({ type: "response.output_item.added", output_index: index, item })
export const done = (index: number, item: Fields) =>
  event({ type: "response.output_item.done", output_index: index, item })
export const message = (id: string, more: Fields = {}) => ({
  type: "message",
  id,
  status: "completed",
  role: "assistant",
  content: [],
  ...more,
})
export const reasoning = (id: string, encrypted: string | null, more: Fields = {}) => ({
  type: "reasoning",
  id,
  encrypted_content: encrypted,
  summary: [],
  ...more,
})
export const call = (id: string, args: string, more: Fields = {}) => ({
  type: "function_call",
  id: `fc_${id}`,
  call_id: `call_${id}`,
  name: "read",
  arguments: args,
  status: "completed",
  ...more,
})
export const text = (index: number, id: string, delta: string, more: Fields = {}) =>
  event({
    type: "response.output_text.delta",
    item_id: id,
    output_index: index,
    content_index: 0,
    delta,
    logprobs: [],
    obfuscation: "x",
    ...more,
  })
export const args = (index: number, delta: string) =>
  event({ type: "response.function_call_arguments.delta", item_id: "fc", output_index: index, delta })
const argsDone = (index: number, all: string) =>
  event({ type: "response.function_call_arguments.done", item_id: "fc", output_index: index, arguments: all })
const at = (index: number, id: string, part: number) => ({ item_id: id, output_index: index, summary_index: part })
export const partAdded = (index: number, id: string, part: number) =>
  event({
    type: "response.reasoning_summary_part.added",
    ...at(index, id, part),
    part: { type: "summary_text", text: "" },
  })
export const partText = (index: number, id: string, part: number, delta: string) =>
  event({ type: "response.reasoning_summary_text.delta", ...at(index, id, part), delta })
export const partDone = (index: number, id: string, part: number) =>
  event({ type: "response.reasoning_summary_text.done", ...at(index, id, part), text: "" }) +
  event({ type: "response.reasoning_summary_part.done", ...at(index, id, part), part: {} })

export const usage = {
  input_tokens: 100,
  input_tokens_details: { cached_tokens: 60, cache_write_tokens: 7 },
  output_tokens: 40,
  output_tokens_details: { reasoning_tokens: 15 },
  total_tokens: 140,
  extra: { x: 1 },
}
export const completed = (fields: Fields = {}) =>
  event({
    type: "response.completed",
    sequence_number: 99,
    response: { ...response, status: "completed", incomplete_details: null, usage, ...fields },
  })
export const textItem = (index: number, id: string, ...pieces: readonly string[]) =>
  added(index, message(id, { status: "in_progress" })) +
  event({ type: "response.content_part.added", item_id: id, output_index: index, content_index: 0, part: {} }) +
  pieces.map((piece) => text(index, id, piece)).join("") +
  event({ type: "response.output_text.done", item_id: id, output_index: index, text: pieces.join("") }) +
  event({ type: "response.content_part.done", item_id: id, output_index: index, part: {} }) +
  done(index, message(id))
export const callItem = (index: number, id: string, ...pieces: readonly string[]) =>
  added(index, call(id, "", { status: "in_progress" })) +
  pieces.map((piece) => args(index, piece)).join("") +
  argsDone(index, pieces.join("")) +
  done(index, call(id, pieces.join("")))
export const thoughtItem = (index: number, id: string, ...parts: readonly (readonly string[])[]) =>
  added(index, reasoning(id, "gAAA-start")) +
  parts
    .map(
      (pieces, n) =>
        partAdded(index, id, n) +
        pieces.map((piece) => partText(index, id, n, piece)).join("") +
        partDone(index, id, n),
    )
    .join("") +
  done(index, reasoning(id, "gAAA-end"))
export const failed = (error: Fields | null, more: Fields = {}) =>
  event({ type: "response.failed", sequence_number: 3, response: { ...response, error, ...more } })
export const annotation = (fields: Fields) =>
  event({ type: "response.output_text.annotation.added", item_id: "msg_1", output_index: 0, annotation: fields })
export const webCitation = { type: "url_citation", start_index: 0, end_index: 3, url: "http://x", title: "t" }
