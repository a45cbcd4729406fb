// Streamed answers in the formats of OpenAI and Anthropic, as their servers write them.

export interface StreamSeeds {
  readonly seeds: readonly Uint8Array[]
  readonly words: readonly string[]
}

const head = { id: "chatcmpl-1", object: "chat.completion.chunk", created: 1, model: "m" }
const chatUsage = {
  prompt_tokens: 20,
  completion_tokens: 5,
  total_tokens: 25,
  prompt_tokens_details: { cached_tokens: 4 },
  completion_tokens_details: { reasoning_tokens: 2 },
}

function chat(delta: object, finish: string | null = null): string {
  return data({ ...head, choices: [{ index: 0, delta, finish_reason: finish }] })
}

function data(value: object): string {
  return `data: ${JSON.stringify(value)}\n\n`
}

function named(type: string, rest: object): string {
  return `event: ${type}\n${data({ type, ...rest })}`
}

const chatEnd = `${data({ ...head, choices: [], usage: chatUsage })}data: [DONE]\n\n`
const call = { index: 0, id: "call_1", type: "function", function: { name: "read", arguments: "" } }

export const chatSeeds: StreamSeeds = {
  seeds: seedsOf(
    chat({ role: "assistant", content: "" }) +
      chat({ content: "Hello" }) +
      chat({ content: " you." }) +
      chat({}, "stop") +
      chatEnd,
    chat({ reasoning_content: "Hm." }) + chat({ content: "Yes." }, "stop") + chatEnd,
    chat({ tool_calls: [call] }) +
      chat({ tool_calls: [{ index: 0, function: { arguments: '{"path":' } }] }) +
      chat({ tool_calls: [{ index: 0, function: { arguments: '"a"}' } }] }) +
      chat({}, "tool_calls") +
      chatEnd,
    chat({
      tool_calls: [
        { ...call, function: { name: "read", arguments: "{}" } },
        { ...call, index: 1, id: "call_2" },
      ],
    }) +
      chat({}, "tool_calls") +
      chatEnd,
    chat({ content: "cut" }, "length") + chatEnd,
    `${chat({ content: "a" })}data: {"error":{"message":"overloaded","type":"server_error","code":null}}\n\n`,
  ),
  words:
    "id object created model choices index delta role assistant content reasoning_content reasoning tool_calls function name arguments finish_reason stop length tool_calls content_filter usage prompt_tokens completion_tokens total_tokens prompt_tokens_details cached_tokens error message refusal annotations data: [DONE] event: : retry:".split(
      " ",
    ),
}

const response = { id: "resp_1", created_at: 1, model: "gpt-6-sol", output: [], service_tier: null, usage: null }
const tokens = {
  input_tokens: 20,
  input_tokens_details: { cached_tokens: 4 },
  output_tokens: 5,
  output_tokens_details: { reasoning_tokens: 2 },
  total_tokens: 25,
}
const message = { id: "msg_1", type: "message", status: "in_progress", role: "assistant", content: [] }
const reasoning = { id: "rs_1", type: "reasoning", summary: [], encrypted_content: "x" }
const functionCall = {
  id: "fc_1",
  type: "function_call",
  status: "in_progress",
  name: "read",
  call_id: "call_1",
  arguments: "",
}
const at = { output_index: 0 }
const created = named("response.created", { response }) + named("response.in_progress", { response })
const completed = named("response.completed", { response: { ...response, usage: tokens } })
const inMessage = { item_id: "msg_1", ...at, content_index: 0 }
const inSummary = { item_id: "rs_1", ...at, summary_index: 0 }

export const responsesSeeds: StreamSeeds = {
  seeds: seedsOf(
    created +
      named("response.output_item.added", { ...at, item: message }) +
      named("response.content_part.added", { ...inMessage, part: { type: "output_text", text: "", annotations: [] } }) +
      named("response.output_text.delta", { ...inMessage, delta: "Hello" }) +
      named("response.output_text.done", { ...inMessage, text: "Hello" }) +
      named("response.output_item.done", {
        ...at,
        item: { ...message, content: [{ type: "output_text", text: "Hello", annotations: [] }] },
      }) +
      completed,
    created +
      named("response.output_item.added", { ...at, item: reasoning }) +
      named("response.reasoning_summary_part.added", { ...inSummary, part: { type: "summary_text", text: "" } }) +
      named("response.reasoning_summary_text.delta", { ...inSummary, delta: "Hm." }) +
      named("response.reasoning_summary_part.done", { ...inSummary, part: { type: "summary_text", text: "Hm." } }) +
      named("response.output_item.done", {
        ...at,
        item: { ...reasoning, summary: [{ type: "summary_text", text: "Hm." }] },
      }) +
      completed,
    created +
      named("response.output_item.added", { ...at, item: functionCall }) +
      named("response.function_call_arguments.delta", { item_id: "fc_1", ...at, delta: '{"path":"a"}' }) +
      named("response.function_call_arguments.done", { item_id: "fc_1", ...at, arguments: '{"path":"a"}' }) +
      named("response.output_item.done", {
        ...at,
        item: { ...functionCall, status: "completed", arguments: '{"path":"a"}' },
      }) +
      completed,
    created +
      named("response.incomplete", {
        response: { ...response, incomplete_details: { reason: "max_output_tokens" }, usage: tokens },
      }),
    created + named("response.failed", { response: { ...response, error: { code: "server_error", message: "no" } } }),
    created + named("error", { code: "rate_limit_exceeded", message: "slow down", param: null, sequence_number: 2 }),
  ),
  words:
    "type response response.created response.completed response.incomplete response.failed error code message output_index item item_id content_index delta summary_index output_text function_call reasoning message name call_id arguments annotations url_citation usage input_tokens output_tokens incomplete_details reason max_output_tokens content_filter encrypted_content summary status data: event:".split(
      " ",
    ),
}

const claude = {
  id: "msg_1",
  type: "message",
  role: "assistant",
  model: "claude-sonnet-5",
  content: [],
  stop_reason: null,
  stop_sequence: null,
}
const begun = named("message_start", {
  message: {
    ...claude,
    usage: { input_tokens: 20, output_tokens: 1, cache_read_input_tokens: 4, cache_creation_input_tokens: 3 },
  },
})
const stopped = (reason: string) =>
  named("message_delta", { delta: { stop_reason: reason, stop_sequence: null }, usage: { output_tokens: 5 } }) +
  named("message_stop", {})
const block = (index: number, content_block: object, ...deltas: readonly object[]) =>
  named("content_block_start", { index, content_block }) +
  deltas.map((delta) => named("content_block_delta", { index, delta })).join("") +
  named("content_block_stop", { index })

export const anthropicSeeds: StreamSeeds = {
  seeds: seedsOf(
    begun +
      named("ping", {}) +
      block(
        0,
        { type: "text", text: "" },
        { type: "text_delta", text: "Hello" },
        { type: "text_delta", text: " you." },
      ) +
      stopped("end_turn"),
    begun +
      block(
        0,
        { type: "thinking", thinking: "", signature: "" },
        { type: "thinking_delta", thinking: "Hm." },
        { type: "signature_delta", signature: "s" },
      ) +
      block(1, { type: "redacted_thinking", data: "d" }) +
      block(2, { type: "text", text: "" }, { type: "text_delta", text: "Yes." }) +
      stopped("end_turn"),
    begun +
      block(
        0,
        { type: "tool_use", id: "toolu_1", name: "read", input: {} },
        { type: "input_json_delta", partial_json: '{"path":' },
        { type: "input_json_delta", partial_json: '"a"}' },
      ) +
      stopped("tool_use"),
    begun + block(0, { type: "text", text: "" }, { type: "text_delta", text: "cut" }) + stopped("max_tokens"),
    begun + named("error", { error: { type: "overloaded_error", message: "Overloaded" } }),
  ),
  words:
    "type message message_start message_delta message_stop content_block_start content_block_delta content_block_stop content_block index delta text text_delta thinking thinking_delta signature signature_delta redacted_thinking tool_use input_json_delta partial_json input id name stop_reason end_turn max_tokens refusal pause_turn stop_sequence usage input_tokens output_tokens cache_read_input_tokens error ping citations_delta data: event:".split(
      " ",
    ),
}

function seedsOf(...texts: readonly string[]): readonly Uint8Array[] {
  return texts.map((text) => Buffer.from(text))
}
