// Anthropic Messages, streaming.
import type { JsonValue } from "../../../src/contract/values.ts"
import { finishIn, pieces, toolJson, usageIn, type Answer, type Block } from "../script.ts"
import { sse, type Frame, type Wire } from "./wire.ts"

const stopReasons = {
  stop: "end_turn",
  length: "max_tokens",
  "tool-calls": "tool_use",
  "content-filter": "refusal",
} as const

export const anthropic: Wire = {
  contentType: "text/event-stream",
  encodeAnswer: (answer, { model }) => {
    if (answer.blocks.length === 0 && answer.end !== undefined) return []
    return [start(answer, model), event({ type: "ping" }), ...answer.blocks.flatMap(blockFrames(answer))]
  },
  finish: (answer) => [
    event({ type: "content_block_stop", index: answer.blocks.length - 1 }),
    event({
      type: "message_delta",
      delta: { stop_reason: stopReasons[finishIn(answer)], stop_sequence: null },
      usage: { output_tokens: usageIn(answer).output },
    }),
    event({ type: "message_stop" }),
  ],
  overloaded: () => [event({ type: "error", error: { type: "overloaded_error", message: "Overloaded" } })],
  refuse: ({ status, error }) => ({
    type: "error",
    error: { type: error?.type ?? typeOf(status), message: error?.message ?? `scripted ${status}` },
  }),
}

function start(answer: Answer, model: string): Frame {
  const { input, cacheRead, cacheWrite5m, cacheWrite1h } = usageIn(answer)
  return event({
    type: "message_start",
    message: {
      id: "msg_scripted",
      type: "message",
      role: "assistant",
      model,
      content: [],
      stop_reason: null,
      stop_sequence: null,
      usage: {
        input_tokens: input - cacheRead - cacheWrite5m - cacheWrite1h,
        cache_read_input_tokens: cacheRead,
        cache_creation_input_tokens: cacheWrite5m + cacheWrite1h,
        cache_creation: { ephemeral_5m_input_tokens: cacheWrite5m, ephemeral_1h_input_tokens: cacheWrite1h },
        output_tokens: 1,
      },
    },
  })
}

function blockFrames(answer: Answer): (block: Block, index: number) => Frame[] {
  return (block, index) => {
    const frames = [
      event({ type: "content_block_start", index, content_block: opening(block, index) }),
      ...deltas(block).map((delta) => event({ type: "content_block_delta", index, delta })),
    ]
    const isLast = index === answer.blocks.length - 1
    return isLast ? frames : [...frames, event({ type: "content_block_stop", index })]
  }
}

function opening(block: Block, index: number): JsonValue {
  if ("text" in block) return { type: "text", text: "" }
  if ("thinking" in block) return { type: "thinking", thinking: "" }
  return { type: "tool_use", id: block.id ?? `toolu_${index}`, name: block.tool, input: {} }
}

function deltas(block: Block): JsonValue[] {
  if ("text" in block) return pieces(block.text).map((text) => ({ type: "text_delta", text }))
  if ("thinking" in block) {
    const signature = block.signature === undefined ? [] : [{ type: "signature_delta", signature: block.signature }]
    return [...pieces(block.thinking).map((thinking) => ({ type: "thinking_delta", thinking })), ...signature]
  }
  return pieces(toolJson(block)).map((partial) => ({ type: "input_json_delta", partial_json: partial }))
}

function event(data: { readonly type: string } & Readonly<Record<string, JsonValue>>): Frame {
  return sse(data, data.type)
}

function typeOf(status: number): string {
  const types: Record<number, string> = {
    400: "invalid_request_error",
    401: "authentication_error",
    403: "permission_error",
    404: "not_found_error",
    429: "rate_limit_error",
    529: "overloaded_error",
  }
  return types[status] ?? "api_error"
}
