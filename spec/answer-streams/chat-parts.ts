// Parts of streams of chat completions.
import { data } from "./events.ts"

export const head = { id: "chatcmpl-1", object: "chat.completion.chunk", created: 1_790_000_000, model: "m" }

export function chunk(delta: unknown, finish: string | null = null, more: Record<string, unknown> = {}): string {
  return data({ ...head, choices: [{ index: 0, delta, finish_reason: finish }], ...more })
}

export const start = chunk({ role: "assistant", content: "" })
export const usage = {
  prompt_tokens: 120,
  completion_tokens: 30,
  total_tokens: 150,
  prompt_tokens_details: { cached_tokens: 100, audio_tokens: 0 },
  completion_tokens_details: { reasoning_tokens: 8, accepted_prediction_tokens: 3, rejected_prediction_tokens: 1 },
}
export const usageChunk = data({ ...head, choices: [], usage })
export const done = "data: [DONE]\n\n"
export const end = chunk({}, "stop") + usageChunk + done

export const text = (content: string) => chunk({ content })
export const call = (index: number, fields: Record<string, unknown>) => chunk({ tool_calls: [{ index, ...fields }] })
export const begin = (index: number, id: string, name: string, input = "") =>
  call(index, { id, type: "function", function: { name, arguments: input } })
export const input = (index: number, piece: string) => call(index, { function: { arguments: piece } })
