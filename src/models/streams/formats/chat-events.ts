// Chunks of OpenAI's chat completions, as far as they are mapped here. Servers differ: what does not match is left to the
// provider's package.
import { z } from "zod"

const absent = z.null().optional()

export const ChatCallDelta = z.object({
  index: z.number(),
  id: z.string().nullish(),
  type: z.literal("function").nullish(),
  function: z.object({ name: z.string().nullish(), arguments: z.string().nullish() }),
  extra_content: absent,
})
export type ChatCallDelta = z.infer<typeof ChatCallDelta>

export const ChatUsage = z.object({
  prompt_tokens: z.number().nullish(),
  completion_tokens: z.number().nullish(),
  total_tokens: z.number().nullish(),
  prompt_tokens_details: z
    .object({ cached_tokens: z.number().nullish(), cache_write_tokens: z.number().nullish() })
    .nullish(),
  completion_tokens_details: z
    .object({
      reasoning_tokens: z.number().nullish(),
      accepted_prediction_tokens: z.number().nullish(),
      rejected_prediction_tokens: z.number().nullish(),
    })
    .nullish(),
})
export type ChatUsage = z.infer<typeof ChatUsage>

export const ChatDelta = z.object({
  role: z.enum(["assistant", ""]).nullish(),
  content: z.string().nullish(),
  refusal: z.string().nullish(),
  reasoning_content: z.string().nullish(),
  reasoning: z.string().nullish(),
  tool_calls: z.array(ChatCallDelta).nullish(),
  annotations: z.unknown().optional(),
})
export type ChatDelta = z.infer<typeof ChatDelta>

export const ChatChunk = z.object({
  id: z.string().nullish(),
  created: z.number().nullish(),
  model: z.string().nullish(),
  choices: z
    .array(
      z.object({
        index: z.number().optional(),
        delta: ChatDelta.nullish(),
        finish_reason: z.string().nullish(),
        logprobs: z.unknown().optional(),
      }),
    )
    .max(1),
  usage: ChatUsage.nullish(),
  error: z.unknown().optional(),
})
export type ChatChunk = z.infer<typeof ChatChunk>
