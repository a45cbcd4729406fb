// OpenAI Responses, streaming.
import type { JsonValue } from "../../../src/contract/values.ts"
import { finishIn, pieces, toolJson, usageIn, type Answer, type Block } from "../script.ts"
import { sse, type Frame, type Wire } from "./wire.ts"

export const openaiResponses: Wire = {
  contentType: "text/event-stream",
  encodeAnswer: (answer, { model }) => {
    if (answer.blocks.length === 0 && answer.end !== undefined) return []
    const response = { id: "resp_scripted", created_at: 1_790_000_000, model }
    return [event({ type: "response.created", response }), ...answer.blocks.flatMap(blockFrames(answer))]
  },
  finish: (answer) => [...closing(answer), event(completed(answer))],
  overloaded: () => [
    event({
      type: "error",
      sequence_number: 1,
      error: { type: "server_error", code: "server_error", message: "Overloaded" },
    }),
  ],
  refuse: ({ status, error }) => ({
    error: { message: error?.message ?? `scripted ${status}`, type: error?.type ?? null, code: error?.code ?? null },
  }),
}

function blockFrames(answer: Answer): (block: Block, index: number) => Frame[] {
  return (block, index) => {
    const added = event({ type: "response.output_item.added", output_index: index, item: item(block, index, true) })
    const frames = [added, ...deltas(block, index).map(event)]
    return index === answer.blocks.length - 1 ? frames : [...frames, done(block, index)]
  }
}

function item(block: Block, index: number, isNew: boolean): JsonValue {
  const id = `item_${index}`
  if ("text" in block) return { type: "message", id, role: "assistant", content: [], status: "completed" }
  if ("thinking" in block) return { type: "reasoning", id, encrypted_content: block.signature ?? null, summary: [] }
  const json = isNew ? "" : toolJson(block)
  const callId = block.id ?? `call_${index}`
  return { type: "function_call", id, call_id: callId, name: block.tool, arguments: json, status: "completed" }
}

type Event = { readonly type: string } & Readonly<Record<string, JsonValue>>

function deltas(block: Block, index: number): Event[] {
  const at = { item_id: `item_${index}`, output_index: index }
  if ("text" in block) return pieces(block.text).map((delta) => ({ type: "response.output_text.delta", ...at, delta }))
  if ("thinking" in block) {
    const part = { ...at, summary_index: 0 }
    const texts = pieces(block.thinking)
    return [
      { type: "response.reasoning_summary_part.added", ...part },
      ...texts.map((delta) => ({ type: "response.reasoning_summary_text.delta", ...part, delta })),
      { type: "response.reasoning_summary_part.done", ...part },
    ]
  }
  return pieces(toolJson(block)).map((delta) => ({ type: "response.function_call_arguments.delta", ...at, delta }))
}

function closing(answer: Answer): Frame[] {
  const last = answer.blocks.at(-1)
  return last === undefined ? [] : [done(last, answer.blocks.length - 1)]
}

function done(block: Block, index: number): Frame {
  return event({ type: "response.output_item.done", output_index: index, item: item(block, index, false) })
}

function completed(answer: Answer): Event {
  const { input, output, cacheRead, cacheWrite5m, reasoning } = usageIn(answer)
  const cut = finishIn(answer) === "length"
  return {
    type: cut ? "response.incomplete" : "response.completed",
    response: {
      incomplete_details: cut ? { reason: "max_output_tokens" } : null,
      usage: {
        input_tokens: input,
        input_tokens_details: { cached_tokens: cacheRead, cache_write_tokens: cacheWrite5m },
        output_tokens: output,
        output_tokens_details: { reasoning_tokens: reasoning },
      },
    },
  }
}

function event(data: Event): Frame {
  return sse(data, data.type)
}
