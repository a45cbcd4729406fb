// Streamed answers of providers as a target: a line with the format, then the bytes of a body. An answer ends with a finish or with a declared fault, and it
// is the same however its bytes are divided, and whether it is read here or by the provider's package.
import { createAnthropic } from "@ai-sdk/anthropic"
import { createOpenAI } from "@ai-sdk/openai"
import { createOpenAICompatible } from "@ai-sdk/openai-compatible"
import type { LanguageModelV4, LanguageModelV4CallOptions, LanguageModelV4StreamPart } from "@ai-sdk/provider"
import { isDeepStrictEqual } from "node:util"
import { setTimeout as sleep } from "node:timers/promises"
import { ModelFault, QuotaExhausted } from "../../../../models/faults.ts"
import { streamWithRetries } from "../../../../models/retry.ts"
import { anthropic } from "../../../../models/streams/formats/anthropic.ts"
import { compatibleChat } from "../../../../models/streams/formats/compatible-chat.ts"
import type { MakeMapper } from "../../../../models/streams/formats/event-mapper.ts"
import { openaiChat } from "../../../../models/streams/formats/openai-chat.ts"
import { responses } from "../../../../models/streams/formats/responses.ts"
import { withOwnReader } from "../../../../models/streams/own-reader.ts"
import { RequestCapture } from "../../../../models/streams/request-capture.ts"
import { Finding, type FuzzTarget } from "../fuzz-target.ts"
import { headed, inPieces } from "./input-lines.ts"
import { anthropicSeeds, chatSeeds, responsesSeeds, type StreamSeeds } from "./stream-seeds.ts"

type Fetch = typeof globalThis.fetch
type Options = Omit<LanguageModelV4CallOptions, "prompt">

interface Format extends StreamSeeds {
  readonly name: string
  readonly makeModel: (fetch: Fetch) => LanguageModelV4
  readonly makeMapper: MakeMapper
  readonly options: Options
}

const key = { apiKey: "k" }
const baseURL = "http://provider.test/v1"
const PATIENCE_MS = 20_000

const formats = {
  chat: {
    ...chatSeeds,
    name: "openai-chat",
    makeModel: (fetch) => createOpenAI({ ...key, baseURL, fetch }).chat("gpt-4.1"),
    makeMapper: openaiChat,
    options: {},
  },
  compatible: {
    ...chatSeeds,
    name: "compatible-chat",
    makeModel: (fetch) =>
      createOpenAICompatible({ ...key, baseURL, name: "my-server", fetch, includeUsage: true }).chatModel("m"),
    makeMapper: compatibleChat,
    options: {},
  },
  responses: {
    ...responsesSeeds,
    name: "openai-responses",
    makeModel: (fetch) => createOpenAI({ ...key, baseURL, fetch }).responses("gpt-6-sol"),
    makeMapper: responses,
    options: { providerOptions: { openai: { store: false } } },
  },
  anthropic: {
    ...anthropicSeeds,
    name: "anthropic-messages",
    makeModel: (fetch) => createAnthropic({ ...key, baseURL, fetch }).languageModel("claude-sonnet-5"),
    makeMapper: anthropic,
    options: { providerOptions: { anthropic: { includePings: true } } },
  },
} as const satisfies Record<string, Format>

export function openTarget(): Promise<FuzzTarget> {
  const all: readonly Format[] = Object.values(formats)
  return Promise.resolve({
    name: "streams",
    seeds: all.flatMap(({ name, seeds }) => seeds.map((seed) => Buffer.concat([Buffer.from(`${name}\n`), seed]))),
    words: [...new Set(all.flatMap(({ name, words }) => [name, ...words]))],
    modules: ["models/streams/", "models/answer-", "models/usage", "models/retry", "models/verdict"],
    run: (input) => {
      const { name, rest } = headed(input)
      return run(all.find((format) => format.name === name) ?? formats.compatible, rest)
    },
  })
}

/** True if the answer is complete. */
async function run(format: Format, input: Uint8Array): Promise<boolean> {
  const whole = await inTime(hear(ownModel(format, [input]), format.options))
  const divided = await inTime(hear(ownModel(format, inPieces(input)), format.options))
  expectSame(divided, whole, "its bytes come in other pieces")
  expectSame(whole, await inTime(hear(packageModel(format, [input]), format.options)), "the package reads it")
  const { end, finishes } = await inTime(readAnswer(ownModel(format, inPieces(input)), format.options))
  if (end === "complete" && finishes !== 1) throw new Finding("finish", `a complete answer has ${finishes} finishes`)
  return end === "complete"
}

function packageModel(format: Format, chunks: readonly Uint8Array[]): LanguageModelV4 {
  return format.makeModel(async () => answerOf(chunks))
}

function ownModel(format: Format, chunks: readonly Uint8Array[]): LanguageModelV4 {
  const capture = new RequestCapture(async () => answerOf(chunks))
  return withOwnReader(format.makeModel(capture.fetch), capture, format.makeMapper)
}

function answerOf(chunks: readonly Uint8Array[]): Response {
  const left = [...chunks]
  const pull = (controller: ReadableStreamDefaultController<Uint8Array>) => {
    const chunk = left.shift()
    if (chunk === undefined) controller.close()
    else controller.enqueue(chunk)
  }
  const body = new ReadableStream<Uint8Array>({ pull }, { highWaterMark: 0 })
  return new Response(body, { headers: { "content-type": "text/event-stream" } })
}

/** As the runner reads it, without a second attempt. */
async function readAnswer(model: LanguageModelV4, options: Options) {
  const controller = new AbortController()
  let finishes = 0
  try {
    const start = (abortSignal: AbortSignal) => model.doStream({ ...options, prompt: [question], abortSignal })
    const answer = await streamWithRetries(start, { signal: controller.signal, attempts: 1 })
    for await (const part of answer) if (part.type === "finish") finishes += 1
    return { end: "complete", finishes } as const
  } catch (fault) {
    if (fault instanceof ModelFault || fault instanceof QuotaExhausted) return { end: "fault", finishes } as const
    throw new Finding("fault", `an answer ends with an undeclared fault: ${String(fault)}`)
  }
}

const question = { role: "user" as const, content: [{ type: "text" as const, text: "hi" }] }

/** Parts, and how it ended. */
interface Heard {
  readonly parts: readonly unknown[]
  readonly fault: string | undefined
}

async function hear(model: LanguageModelV4, options: Options): Promise<Heard> {
  const parts: LanguageModelV4StreamPart[] = []
  try {
    const { stream } = await model.doStream({ ...options, prompt: [question] })
    for await (const part of stream) parts.push(part)
    return { parts: named(parts), fault: undefined }
  } catch (fault) {
    return { parts: named(parts), fault: described(fault) }
  }
}

const GENERATED = /^[A-Za-z0-9]{16}$/

/** Ids that a package makes up are numbered. */
function named(parts: readonly LanguageModelV4StreamPart[]): readonly unknown[] {
  const ids: string[] = []
  const plain = (_: string, value: unknown) => {
    if (value instanceof Error) return described(value)
    if (typeof value !== "string" || !GENERATED.test(value)) return value
    if (!ids.includes(value)) ids.push(value)
    return `id ${ids.indexOf(value)}`
  }
  return parts.map((part) =>
    JSON.parse(JSON.stringify(isUnannounced(part) ? { ...part, usage: undefined } : part, plain)),
  )
}

/** A finish without a reason: the answer counts as broken off, and its counts are not used. The package changes them later. */
function isUnannounced(part: LanguageModelV4StreamPart): boolean {
  return part.type === "finish" && part.finishReason.unified === "other" && part.finishReason.raw === undefined
}

function described(fault: unknown): string {
  return fault instanceof Error ? `${fault.name}: ${fault.message}` : String(fault)
}

/** A stream that fails drops what was not read yet: then one may have more parts than the other. */
function expectSame(one: Heard, other: Heard, when: string): void {
  const failed = one.fault !== undefined && one.fault === other.fault
  const length = failed ? Math.min(one.parts.length, other.parts.length) : Infinity
  const first = ({ parts, fault }: Heard) => ({ fault, parts: parts.slice(0, length) })
  if (isDeepStrictEqual(first(one), first(other))) return
  const at = one.parts.findIndex((part, index) => !isDeepStrictEqual(part, other.parts[index]))
  const [mine, theirs] = at === -1 ? [one.fault, other.fault] : [one.parts[at], other.parts[at]]
  throw new Finding(
    "answer",
    `it differs when ${when}: ${JSON.stringify(mine)} and ${JSON.stringify(theirs)} at part ${at}`,
  )
}

async function inTime<Value>(work: Promise<Value>): Promise<Value> {
  const timer = new AbortController()
  const late = sleep(PATIENCE_MS, undefined, { signal: timer.signal }).then(() => {
    throw new Finding("answer", `it has not ended after ${PATIENCE_MS / 1000} s`)
  })
  late.catch(() => {}) // stopped below
  try {
    return await Promise.race([work, late])
  } finally {
    timer.abort()
  }
}
