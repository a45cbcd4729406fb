// Reads one stream of bytes twice: with a provider's package alone, and with our reader in front of it.
import { createAnthropic } from "@ai-sdk/anthropic"
import { createOpenAI } from "@ai-sdk/openai"
import { createOpenAICompatible } from "@ai-sdk/openai-compatible"
import type { LanguageModelV4, LanguageModelV4CallOptions, LanguageModelV4StreamPart } from "@ai-sdk/provider"
import { anthropic } from "../../src/models/streams/formats/anthropic.ts"
import { compatibleChat } from "../../src/models/streams/formats/compatible-chat.ts"
import type { MakeMapper } from "../../src/models/streams/formats/event-mapper.ts"
import { openaiChat } from "../../src/models/streams/formats/openai-chat.ts"
import { responses } from "../../src/models/streams/formats/responses.ts"
import { withOwnReader } from "../../src/models/streams/own-reader.ts"
import { RequestCapture } from "../../src/models/streams/request-capture.ts"

type Fetch = typeof globalThis.fetch
export type Options = Omit<LanguageModelV4CallOptions, "prompt">

export interface Format {
  readonly name: string
  readonly makeModel: (fetch: Fetch) => LanguageModelV4
  readonly makeMapper: MakeMapper
  /** What Turnhouse asks of this provider. */
  readonly options: Options
}

const key = { apiKey: "k" }
const baseURL = "http://provider.test/v1"

export const formats = {
  openaiChat: {
    name: "OpenAI chat completions",
    makeModel: (fetch) => createOpenAI({ ...key, baseURL, fetch }).chat("gpt-4.1"),
    makeMapper: openaiChat,
    options: {},
  },
  compatibleChat: {
    name: "chat completions of other servers",
    makeModel: (fetch) =>
      createOpenAICompatible({ ...key, baseURL, name: "my-server", fetch, includeUsage: true }).chatModel("m"),
    makeMapper: compatibleChat,
    options: {},
  },
  responses: {
    name: "OpenAI responses",
    makeModel: (fetch) => createOpenAI({ ...key, baseURL, fetch }).responses("gpt-6-sol"),
    makeMapper: responses,
    options: { providerOptions: { openai: { store: false } } },
  },
  anthropic: {
    name: "Anthropic messages",
    makeModel: (fetch) => createAnthropic({ ...key, baseURL, fetch }).languageModel("claude-sonnet-5"),
    makeMapper: anthropic,
    options: { providerOptions: { anthropic: { includePings: true } } },
  },
} as const satisfies Record<string, Format>

/** Everything that a caller of the model can see. */
export interface Heard {
  readonly parts: readonly LanguageModelV4StreamPart[]
  readonly headers: unknown
  readonly body: unknown
  /** Of the call, or of the stream. */
  readonly refusal: unknown
  readonly fault: unknown
}

/** The chunks of a body; a function fails the body with what it returns. */
export type Chunks = readonly (Uint8Array | (() => unknown))[]

export function byPackage(format: Format, chunks: Chunks, options: Options = {}): Promise<Heard> {
  return hear(
    format.makeModel(async () => answer(chunks)),
    { ...format.options, ...options },
  )
}

export async function byOurs(
  format: Format,
  chunks: Chunks,
  options: Options = {},
): Promise<Heard & { readonly takeovers: number }> {
  const capture = new RequestCapture(async () => answer(chunks))
  let calls = 0
  const model = format.makeModel((input, init) => {
    calls += 1
    return capture.fetch(input, init)
  })
  const heard = await hear(withOwnReader(model, capture, format.makeMapper), { ...format.options, ...options })
  return { ...heard, takeovers: calls - 1 }
}

function answer(chunks: Chunks): Response {
  const left = [...chunks]
  const pull = (controller: ReadableStreamDefaultController<Uint8Array>) => {
    const chunk = left.shift()
    if (chunk === undefined) controller.close()
    else if (typeof chunk === "function") controller.error(chunk())
    else controller.enqueue(chunk)
  }
  const body = new ReadableStream<Uint8Array>({ pull }, { highWaterMark: 0 })
  return new Response(body, { headers: { "content-type": "text/event-stream", "x-request-id": "r1" } })
}

async function hear(model: LanguageModelV4, options: Options): Promise<Heard> {
  const parts: LanguageModelV4StreamPart[] = []
  let result: Awaited<ReturnType<LanguageModelV4["doStream"]>> | undefined
  try {
    result = await model.doStream({ prompt: [{ role: "user", content: [{ type: "text", text: "hi" }] }], ...options })
  } catch (refusal) {
    return { parts, headers: undefined, body: undefined, refusal: described(refusal), fault: undefined }
  }
  const about = { headers: result.response?.headers, body: bodyOf(result.request?.body) }
  try {
    for await (const part of result.stream) parts.push(part)
  } catch (fault) {
    return { parts: named(parts), ...about, refusal: undefined, fault: described(fault) }
  }
  return { parts: named(parts), ...about, refusal: undefined, fault: undefined }
}

/** Errors compare by their fields, hidden ones included. */
function described(value: unknown): unknown {
  if (!(value instanceof Error)) return value
  const fields = Object.fromEntries(Object.getOwnPropertyNames(value).map((name) => [name, Reflect.get(value, name)]))
  const { stack: _, cause, _zod: __, ...rest } = fields
  return { fields: JSON.stringify(rest), class: value.constructor.name, cause: described(cause) }
}

const GENERATED = /^[A-Za-z0-9]{16}$/

/** Ids that a package makes up are numbered. */
function named(parts: readonly LanguageModelV4StreamPart[]): LanguageModelV4StreamPart[] {
  const numbers = new Map<string, string>()
  const idOf = (id: string) => {
    if (!GENERATED.test(id)) return id
    const number = numbers.get(id) ?? `generated ${numbers.size + 1}`
    numbers.set(id, number)
    return number
  }
  return parts.map((part) => {
    if (part.type === "error") return { ...part, error: described(part.error) }
    const withId = "id" in part && typeof part.id === "string" ? { ...part, id: idOf(part.id) } : part
    return "toolCallId" in withId ? { ...withId, toolCallId: idOf(withId.toolCallId) } : withId
  })
}

/** Of the Responses API the package shows the body without the field that asks for a stream. */
function bodyOf(body: unknown): unknown {
  return typeof body === "object" && body !== null ? { ...body, stream: true } : body
}
