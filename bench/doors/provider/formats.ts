// The answers of the provider in the formats of OpenAI and Anthropic, as their servers stream them.
import { isWish, wishIn, type Wish } from "./wish.ts"

/** Of a path below /v1. */
export interface AnswerFormat {
  wishOf(body: Body): Wish
  /** Before the first token. */
  readonly opening: string
  token(text: string): string
  call(call: NonNullable<Wish["call"]>): string
  closing(hasCall: boolean): string
}

export interface Body {
  /** Of chat completions and Anthropic. */
  readonly messages?: readonly Message[]
  /** Of responses. */
  readonly input?: readonly Message[]
}

interface Message {
  readonly type?: string
  readonly role?: string
  readonly content?: unknown
}

const head = { id: "chatcmpl-1", object: "chat.completion.chunk", created: 1, model: "m" }
const usage = { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 }
const tokensUsed = { input_tokens: 1, output_tokens: 1 }
const tokensInAll = { ...tokensUsed, total_tokens: 2 }
const textItem = { id: "msg_1", type: "message", role: "assistant", status: "completed" }

export const answerFormats: Readonly<Record<string, AnswerFormat>> = {
  "/v1/chat/completions": {
    wishOf: ({ messages = [] }) => newestWish(messages, ({ role }) => role === "tool"),
    opening: "",
    token: (content) => chunk({ content }, null),
    call: ({ number, name, input }) =>
      chunk(
        { tool_calls: [{ index: 0, id: `call_${number}`, type: "function", function: { name, arguments: input } }] },
        null,
      ),
    closing: (hasCall) =>
      `${chunk({}, hasCall ? "tool_calls" : "stop")}data: ${JSON.stringify({ ...head, choices: [], usage })}\n\ndata: [DONE]\n\n`,
  },
  "/v1/messages": {
    wishOf: ({ messages = [] }) => newestWish(messages, hasToolResult),
    opening: named("message_start", {
      message: { id: "msg_1", type: "message", role: "assistant", model: "m", content: [], usage: tokensUsed },
    }),
    token: (text) => named("content_block_delta", { index: 0, delta: { type: "text_delta", text } }),
    call: ({ number, name, input }) =>
      named("content_block_start", {
        index: 0,
        content_block: { type: "tool_use", id: `toolu_${number}`, name, input: {} },
      }) + named("content_block_delta", { index: 0, delta: { type: "input_json_delta", partial_json: input } }),
    closing: (hasCall) =>
      named("content_block_stop", { index: 0 }) +
      named("message_delta", { delta: { stop_reason: hasCall ? "tool_use" : "end_turn" }, usage: tokensUsed }) +
      named("message_stop", {}),
  },
  "/v1/responses": {
    wishOf: ({ input = [] }) => newestWish(input, ({ type }) => type?.endsWith("_call_output") === true),
    opening: named("response.created", { response: { id: "resp_1" } }),
    token: (delta) =>
      named("response.output_text.delta", { item_id: "msg_1", output_index: 0, content_index: 0, delta }),
    call: ({ number, name, input }) => {
      const item = { id: `fc_${number}`, type: "function_call", call_id: `call_${number}`, name, arguments: input }
      return (
        named("response.output_item.added", { output_index: 0, item }) +
        named("response.output_item.done", { output_index: 0, item })
      )
    },
    closing: () => named("response.completed", { response: { id: "resp_1", output: [], usage: tokensInAll } }),
  },
}

/** The block of text is opened with its first token, not before: an answer can also be a call. */
export function openingOfText(path: string): string {
  if (path === "/v1/messages")
    return named("content_block_start", { index: 0, content_block: { type: "text", text: "" } })
  if (path !== "/v1/responses") return ""
  return named("response.output_item.added", { output_index: 0, item: { ...textItem, content: [] } })
}

/** Responses repeat the whole text. */
export function closingOfText(path: string, text: string): string {
  if (path !== "/v1/responses") return ""
  const content = [{ type: "output_text", text, annotations: [] }]
  return named("response.output_item.done", { output_index: 0, item: { ...textItem, content } })
}

function newestWish(messages: readonly Message[], isResult: (message: Message) => boolean): Wish {
  // there may be other messages of the user's role: the date, for instance
  const at = messages.findLastIndex((message) => message.role === "user" && isWish(textOf(message)))
  const wish = messages[at]
  return wish === undefined ? wishIn("", 0) : wishIn(textOf(wish), messages.slice(at).filter(isResult).length)
}

function textOf({ content }: Message): string {
  if (typeof content === "string") return content
  return Array.isArray(content) ? content.map((part: { text?: string }) => part.text ?? "").join("") : ""
}

function hasToolResult({ content }: Message): boolean {
  return Array.isArray(content) && content.some((part: { type?: string }) => part.type === "tool_result")
}

function chunk(delta: object, finishReason: string | null): string {
  return `data: ${JSON.stringify({ ...head, choices: [{ index: 0, delta, finish_reason: finishReason }] })}\n\n`
}

function named(type: string, rest: object): string {
  return `event: ${type}\ndata: ${JSON.stringify({ type, ...rest })}\n\n`
}
