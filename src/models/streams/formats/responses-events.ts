// Events of OpenAI's responses, as far as they are mapped here: text, summaries of thoughts and calls of our tools.
// Everything else is left to the provider's package.
import { z } from "zod"

const absent = z.null().optional()
const phase = z.enum(["commentary", "final_answer"]).nullish()
const inItem = { item_id: z.string(), output_index: z.number().nullish() }
const inSummary = { ...inItem, summary_index: z.number() }

const begun = z.object({
  id: z.string(),
  created_at: z.number(),
  model: z.string(),
  service_tier: z.string().nullish(),
})

const message = z.object({ type: z.literal("message"), id: z.string(), phase })
const reasoning = z.object({ type: z.literal("reasoning"), id: z.string(), encrypted_content: z.string().nullish() })
const call = z.object({
  type: z.literal("function_call"),
  id: z.string(),
  call_id: z.string(),
  name: z.string(),
  arguments: z.string(),
  async: z.boolean().nullish(),
  namespace: absent,
  caller: absent,
})
const AddedItem = z.discriminatedUnion("type", [message, reasoning, call])
export type AddedItem = z.infer<typeof AddedItem>
const DoneItem = z.discriminatedUnion("type", [
  message,
  reasoning,
  call.extend({ status: z.enum(["in_progress", "completed", "incomplete"]) }),
])
export type DoneItem = z.infer<typeof DoneItem>

const Usage = z.object({
  input_tokens: z.number(),
  output_tokens: z.number(),
  total_tokens: z.number().optional(),
  input_tokens_details: z
    .object({
      cached_tokens: z.number().nullish(),
      cache_write_tokens: z.number().nullish(),
      cache_write_tokens_details: absent,
      orchestration_input_tokens: z.number().nullish(),
      orchestration_input_cached_tokens: z.number().nullish(),
    })
    .nullish(),
  output_tokens_details: z
    .object({ reasoning_tokens: z.number().nullish(), orchestration_output_tokens: z.number().nullish() })
    .nullish(),
})

const ended = z.object({
  incomplete_details: z.object({ reason: z.string() }).nullish(),
  usage: Usage.nullish(),
  reasoning: z.object({ context: z.string().nullish() }).nullish(),
  service_tier: z.string().nullish(),
})
export type EndedResponse = z.infer<typeof ended>

export const ResponsesEvent = z.discriminatedUnion("type", [
  z.object({ type: z.literal("response.created"), response: begun }),
  z.object({ type: z.literal("response.in_progress"), response: begun }),
  z.object({ type: z.literal("response.output_item.added"), output_index: z.number(), item: AddedItem }),
  z.object({ type: z.literal("response.output_item.done"), output_index: z.number(), item: DoneItem }),
  z.object({
    type: z.literal("response.output_text.delta"),
    ...inItem,
    delta: z.string(),
    logprobs: z.array(z.unknown()).max(0).nullish(),
  }),
  z.object({
    type: z.literal("response.function_call_arguments.delta"),
    item_id: z.string(),
    output_index: z.number(),
    delta: z.string(),
  }),
  z.object({
    type: z.literal("response.function_call_arguments.done"),
    item_id: z.string(),
    output_index: z.number(),
    arguments: z.string(),
  }),
  z.object({ type: z.literal("response.reasoning_summary_part.added"), ...inSummary }),
  z.object({ type: z.literal("response.reasoning_summary_text.delta"), ...inSummary, delta: z.string() }),
  z.object({ type: z.literal("response.reasoning_summary_part.done"), ...inSummary }),
  // These say nothing new, and the package ignores them.
  z.object({ type: z.literal("response.content_part.added") }),
  z.object({ type: z.literal("response.content_part.done") }),
  z.object({ type: z.literal("response.output_text.done") }),
  z.object({ type: z.literal("response.reasoning_summary_text.done") }),
  z.object({ type: z.literal("response.queued") }),
  z.object({ type: z.literal("keepalive") }),
  z.object({ type: z.literal("response.completed"), response: ended }),
  z.object({ type: z.literal("response.incomplete"), response: ended }),
])
export type ResponsesEvent = z.infer<typeof ResponsesEvent>
