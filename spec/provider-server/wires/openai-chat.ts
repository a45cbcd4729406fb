// OpenAI chat completions, streaming. Usage is sent only if the request asks for it, as real servers do.
import type { JsonValue } from "../../../src/contract/values.ts"
import { finishIn, pieces, toolJson, usageIn, type Answer, type Block } from "../script.ts"
import { sse, type Frame, type Wire, type WireRequest } from "./wire.ts"

const finishReasons = {
  stop: "stop",
  length: "length",
  "tool-calls": "tool_calls",
  "content-filter": "content_filter",
} as const

export const openaiChat: Wire = {
  contentType: "text/event-stream",
  encodeAnswer: (answer, { model }) => {
    if (answer.blocks.length === 0 && answer.end !== undefined) return []
    return [chunk(model, { role: "assistant", content: "" }), ...deltas(answer).map((delta) => chunk(model, delta))]
  },
  finish: (answer, request) => [
    chunk(request.model, {}, finishReasons[finishIn(answer)]),
    ...usageChunk(answer, request),
    "data: [DONE]\n\n",
  ],
  overloaded: () => [sse({ error: { message: "Overloaded", type: "server_error", code: null } })],
  refuse: ({ status, error }) => ({
    error: { message: error?.message ?? `scripted ${status}`, type: error?.type ?? null, code: error?.code ?? null },
  }),
}

function deltas(answer: Answer): JsonValue[] {
  const calls = answer.blocks.filter((block) => "tool" in block)
  return answer.blocks.flatMap((block) =>
    blockDeltas(
      block,
      calls.findIndex((call) => call === block),
    ),
  )
}

function blockDeltas(block: Block, index: number): JsonValue[] {
  if ("text" in block) return pieces(block.text).map((content) => ({ content }))
  if ("thinking" in block) return pieces(block.thinking).map((thought) => ({ reasoning_content: thought }))
  const id = block.id ?? `call_${index}`
  return [
    { tool_calls: [{ index, id, type: "function", function: { name: block.tool, arguments: "" } }] },
    ...pieces(toolJson(block)).map((piece) => ({ tool_calls: [{ index, function: { arguments: piece } }] })),
  ]
}

function usageChunk(answer: Answer, { model, body }: WireRequest): Frame[] {
  const options = body["stream_options"]
  const asked = typeof options === "object" && options !== null && "include_usage" in options
  if (!asked || options.include_usage !== true) return []
  const { input, output, cacheRead, reasoning } = usageIn(answer)
  const usage = {
    prompt_tokens: input,
    completion_tokens: output,
    total_tokens: input + output,
    prompt_tokens_details: { cached_tokens: cacheRead },
    completion_tokens_details: { reasoning_tokens: reasoning },
  }
  return [sse({ ...head(model), choices: [], usage })]
}

function chunk(model: string, delta: JsonValue, finishReason: string | null = null): Frame {
  return sse({ ...head(model), choices: [{ index: 0, delta, finish_reason: finishReason }] })
}

function head(model: string) {
  return { id: "chatcmpl-scripted", object: "chat.completion.chunk", created: 1_790_000_000, model }
}
