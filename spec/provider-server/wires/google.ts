// Gemini's streamGenerateContent with `alt=sse`.
import type { JsonValue } from "../../../src/contract/values.ts"
import { finishIn, pieces, usageIn, type Answer, type Block } from "../script.ts"
import { sse, type Wire } from "./wire.ts"

const finishReasons = { stop: "STOP", length: "MAX_TOKENS", "tool-calls": "STOP", "content-filter": "SAFETY" } as const

export const google: Wire = {
  contentType: "text/event-stream",
  encodeAnswer: (answer) =>
    answer.blocks.flatMap(parts).map((part) => sse({ candidates: [{ content: content([part]) }] })),
  finish: (answer) => [
    sse({
      candidates: [{ content: content([]), finishReason: finishReasons[finishIn(answer)] }],
      usageMetadata: usage(answer),
    }),
  ],
  overloaded: () => [sse({ error: { code: 503, message: "Overloaded", status: "UNAVAILABLE" } })],
  refuse: ({ status, error }) => ({
    error: {
      code: status,
      message: error?.message ?? `scripted ${status}`,
      status: error?.type ?? "UNKNOWN",
      details: error?.code === undefined ? [] : [{ reason: error.code }],
    },
  }),
}

function content(list: JsonValue[]): JsonValue {
  return { role: "model", parts: list }
}

function parts(block: Block): JsonValue[] {
  if ("text" in block) return pieces(block.text).map((text) => ({ text }))
  if ("thinking" in block) return pieces(block.thinking).map((text) => ({ text, thought: true }))
  return [{ functionCall: { name: block.tool, args: block.input ?? {} } }]
}

function usage(answer: Answer): JsonValue {
  const { input, output, cacheRead, reasoning } = usageIn(answer)
  return {
    promptTokenCount: input,
    cachedContentTokenCount: cacheRead,
    candidatesTokenCount: output - reasoning,
    thoughtsTokenCount: reasoning,
    totalTokenCount: input + output,
  }
}
