// Events of Anthropic's messages, as far as they are mapped here: text, thoughts and calls of our tools. Everything else
// is left to the provider's package.
import { z } from "zod"

const absent = z.null().optional()
const cacheTokens = {
  cache_creation_input_tokens: z.number().nullish(),
  cache_read_input_tokens: z.number().nullish(),
}

const MessageStart = z.object({
  type: z.literal("message_start"),
  message: z.object({
    id: z.string().nullish(),
    model: z.string().nullish(),
    role: z.string().nullish(),
    service_tier: z.string().nullish(),
    usage: z.object({ service_tier: z.string().nullish(), input_tokens: z.number(), ...cacheTokens }),
    content: z.array(z.unknown()).max(0).nullish(),
    stop_reason: absent,
    input_transformations: absent,
    container: absent,
  }),
})

export const ContentBlock = z.discriminatedUnion("type", [
  z.object({ type: z.literal("text"), text: z.string() }),
  z.object({ type: z.literal("thinking"), thinking: z.string() }),
  z.object({ type: z.literal("redacted_thinking"), data: z.string() }),
  z.object({
    type: z.literal("tool_use"),
    id: z.string(),
    name: z.string(),
    input: z.record(z.string(), z.unknown()).optional(),
    caller: z.unknown().optional(),
    toolset_name: absent,
  }),
])
export type ContentBlock = z.infer<typeof ContentBlock>

export const BlockDelta = z.discriminatedUnion("type", [
  z.object({ type: z.literal("text_delta"), text: z.string() }),
  z.object({ type: z.literal("thinking_delta"), thinking: z.string() }),
  z.object({ type: z.literal("signature_delta"), signature: z.string() }),
  z.object({ type: z.literal("input_json_delta"), partial_json: z.string() }),
])
export type BlockDelta = z.infer<typeof BlockDelta>

const MessageDelta = z.object({
  type: z.literal("message_delta"),
  delta: z.object({
    stop_reason: z.string().nullish(),
    stop_sequence: z.string().nullish(),
    stop_details: absent,
    safeguard_results: absent,
    container: absent,
  }),
  usage: z.object({
    service_tier: z.string().nullish(),
    input_tokens: z.number().nullish(),
    output_tokens: z.number(),
    output_tokens_details: z.object({ thinking_tokens: z.number().nullish() }).nullish(),
    ...cacheTokens,
    iterations: absent,
  }),
  input_transformations: absent,
  context_management: absent,
})

export const AnthropicEvent = z.discriminatedUnion("type", [
  MessageStart,
  z.object({ type: z.literal("content_block_start"), index: z.number(), content_block: ContentBlock }),
  z.object({ type: z.literal("content_block_delta"), index: z.number(), delta: BlockDelta }),
  z.object({ type: z.literal("content_block_stop"), index: z.number() }),
  MessageDelta,
  z.object({ type: z.literal("message_stop") }),
  z.object({ type: z.literal("ping") }),
])
export type AnthropicEvent = z.infer<typeof AnthropicEvent>
