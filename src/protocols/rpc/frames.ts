// synaps RPC v1: what a parent writes to the child's stdin and what the child writes to its stdout, one JSON object per
// line. Declared once for both sides; the child and the parent library check frames with code generated from here.
// Unknown fields are ignored, and an optional field that is null counts as absent.
import { z } from "zod"
import { JsonValue, Question } from "../../contract/values.ts"

const id = z.string()
const count = z.int().min(0)

function frame<Type extends string, Shape extends z.ZodRawShape>(type: Type, shape: Shape) {
  return z.object({ type: z.literal(type), ...shape }).meta({ title: type })
}

/** A file for the model. `name` and `mime` are hints: the type is read from the content. */
export const RpcAttachment = z.object({
  path: z.string(),
  name: z.string().nullish(),
  mime: z.string().nullish(),
})
export type RpcAttachment = z.infer<typeof RpcAttachment>

/** Tokens of one turn, summed over its model requests. */
export const TurnUsage = z.object({
  input_tokens: count,
  output_tokens: count,
  cache_read_input_tokens: count.optional(),
  cache_creation_input_tokens: count.optional(),
  cache_creation_5m: count.nullish(),
  cache_creation_1h: count.nullish(),
  model: z.string().nullish(),
})
export type TurnUsage = z.infer<typeof TurnUsage>

export const RpcCommand = z.discriminatedUnion("type", [
  frame("prompt", { id, message: z.string(), attachments: z.array(RpcAttachment).nullish() }),
  frame("follow_up", { id, message: z.string() }),
  frame("compact", { id }),
  frame("new_session", { id }),
  frame("get_messages", { id }),
  frame("set_model", { id, model: z.string() }),
  frame("get_available_models", { id }),
  frame("abort", { id }),
  frame("get_session_stats", { id }),
  frame("get_state", { id }),
  frame("tools_list", { id: id.nullish() }),
  frame("shutdown", {}),
])
export type RpcCommand = z.infer<typeof RpcCommand>

/** Only for a child that was started with `--extended`. */
export const ExtendedCommand = z.discriminatedUnion("type", [
  /** `answer`: to a question of the agent (`questions` of its `approval` event). */
  frame("approve", { id, approval_id: z.string(), approved: z.boolean(), answer: z.string().nullish() }),
  /** A prompt for the running turn: delivered at its next tool boundary, else it starts the next turn. */
  frame("queue", { id, message: z.string() }),
])
export type ExtendedCommand = z.infer<typeof ExtendedCommand>

export const AssistantEvent = z.discriminatedUnion("type", [
  frame("text_delta", { delta: z.string() }),
  frame("thinking_delta", { delta: z.string() }),
  frame("toolcall_start", { tool_id: z.string(), tool_name: z.string() }),
  frame("toolcall_input_delta", { tool_id: z.string(), delta: z.string() }),
  frame("toolcall_input", { tool_id: z.string(), input: JsonValue }),
  frame("toolcall_result", { tool_id: z.string(), result: z.string() }),
])
export type AssistantEvent = z.infer<typeof AssistantEvent>

const subagent = { subagent_id: count, agent_name: z.string() }

export const RpcEvent = z.discriminatedUnion("type", [
  frame("ready", { session_id: z.string(), model: z.string(), protocol_version: count }),
  frame("message_update", { event: AssistantEvent }),
  frame("subagent_start", { ...subagent, task_preview: z.string() }),
  frame("subagent_update", { ...subagent, status: z.string() }),
  frame("subagent_done", { ...subagent, result_preview: z.string(), duration_secs: z.number() }),
  frame("agent_end", { usage: TurnUsage }),
  /** Besides these three it has the fields of the answer: see the bodies below. */
  z.looseObject({ type: z.literal("response"), id, command: z.string() }).meta({ title: "response" }),
  frame("error", { id: id.nullish(), message: z.string() }),
])
export type RpcEvent = z.infer<typeof RpcEvent>

/** Only from a child that was started with `--extended`. `expires_at` is in milliseconds since 1970. */
export const ExtendedEvent = z.discriminatedUnion("type", [
  frame("approval", {
    approval_id: z.string(),
    tool_name: z.string(),
    input: JsonValue,
    /** Who asks, and what for: of a request of an MCP server, whose input does not say it. */
    reason: z.string().nullish(),
    /** `answer` of `approve` answers these. */
    questions: z.array(Question).nullish(),
    expires_at: z.int().nullish(),
  }),
])
export type ExtendedEvent = z.infer<typeof ExtendedEvent>

const closing = z.object({ ok: z.boolean(), cancelled: z.boolean().optional(), error: z.string().optional() })
const done = z.object({ ok: z.literal(true) })
const message = z.object({
  role: z.enum(["user", "assistant"]),
  content: z.union([z.string(), z.array(JsonValue)]),
})
const toolEntry = z.object({ name: z.string(), description: z.string(), input_schema: z.unknown() })

/** Fields of each response besides `type`, `id` and `command`. */
export const responseBodies = {
  prompt: closing,
  follow_up: closing,
  compact: z.object({ ok: z.literal(true), summary: z.string() }),
  new_session: z.object({ session_id: z.string() }),
  get_messages: z.object({ messages: z.array(message) }),
  set_model: z.object({ model: z.string() }),
  get_available_models: z.object({
    models: z.array(z.object({ provider: z.string(), model_id: z.string(), model_name: z.string() })),
  }),
  abort: done,
  get_session_stats: z.object({
    input_tokens: count,
    output_tokens: count,
    cost: z.number(),
    message_count: count,
    model: z.string(),
    session_id: z.string(),
  }),
  get_state: z.object({ streaming: z.boolean(), model: z.string(), session_id: z.string(), message_count: count }),
  tools_list: z.object({ ok: z.literal(true), tools: z.array(toolEntry) }),
  approve: done,
  queue: closing,
}
export type ResponseBodies = { [Command in keyof typeof responseBodies]: z.infer<(typeof responseBodies)[Command]> }
export type AnsweredCommand = keyof ResponseBodies
export type ResponseFrame<Command extends AnsweredCommand = AnsweredCommand> = {
  [Name in Command]: { type: "response"; id: string; command: Name } & ResponseBodies[Name]
}[Command]
