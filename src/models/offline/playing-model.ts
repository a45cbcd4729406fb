// Turns a function that returns parts into a LanguageModelV4. Keeps no state between calls: a reply depends on the
// prompt alone.
import type {
  LanguageModelV4,
  LanguageModelV4CallOptions,
  LanguageModelV4Content,
  LanguageModelV4GenerateResult,
  LanguageModelV4StreamPart,
  LanguageModelV4StreamResult,
} from "@ai-sdk/provider"
import { remainingParts } from "./continuation.ts"
import type { Part } from "./part.ts"
import { abortError, play } from "./play.ts"
import { cutOff } from "./prompt.ts"
import { promptTokens } from "./usage.ts"

export interface Reply {
  /** Milliseconds per word. */
  readonly delayMs: number
  readonly parts: readonly Part[]
}

type Streamed = AsyncIterator<LanguageModelV4StreamPart, void, undefined>

export function playingModel(
  modelId: string,
  reply: (options: LanguageModelV4CallOptions) => Promise<Reply>,
): LanguageModelV4 {
  const doStream = (options: LanguageModelV4CallOptions) => stream(modelId, reply, options)
  return {
    specificationVersion: "v4",
    provider: "offline",
    modelId,
    supportedUrls: {},
    doStream,
    doGenerate: async (options) => collect((await doStream(options)).stream),
  }
}

async function stream(
  modelId: string,
  reply: (options: LanguageModelV4CallOptions) => Promise<Reply>,
  options: LanguageModelV4CallOptions,
): Promise<LanguageModelV4StreamResult> {
  const cancelled = new AbortController()
  const signal = AbortSignal.any([cancelled.signal, ...(options.abortSignal ? [options.abortSignal] : [])])
  if (signal.aborted) throw abortError(signal)
  const { parts, delayMs } = await reply(options)
  const { maxOutputTokens } = options
  const setting = { modelId, delayMs, inputTokens: promptTokens(options), maxOutputTokens, signal }
  const playback = play(remainingParts(parts, cutOff(options.prompt)), setting)
  const first = await next(playback, signal) // what fails before the first output fails the call, not the stream
  return { stream: readable(first, playback, signal, () => cancelled.abort()) }
}

/** Pulls one part per read, so that nothing is played ahead of the consumer and an abort is seen at the next read. */
function readable(
  first: IteratorResult<LanguageModelV4StreamPart, void>,
  playback: Streamed,
  signal: AbortSignal,
  cancel: () => void,
): ReadableStream<LanguageModelV4StreamPart> {
  let waiting: typeof first | undefined = first
  return new ReadableStream<LanguageModelV4StreamPart>(
    {
      async pull(controller) {
        const result = waiting ?? (await next(playback, signal))
        waiting = undefined
        if (signal.aborted) throw abortError(signal)
        if (result.done === true) controller.close()
        else controller.enqueue(result.value)
      },
      cancel,
    },
    { highWaterMark: 0 },
  )
}

async function next(playback: Streamed, signal: AbortSignal): Promise<IteratorResult<LanguageModelV4StreamPart, void>> {
  try {
    return await playback.next()
  } catch (error) {
    throw signal.aborted ? abortError(signal) : error
  }
}

async function collect(parts: ReadableStream<LanguageModelV4StreamPart>): Promise<LanguageModelV4GenerateResult> {
  const content: LanguageModelV4Content[] = []
  for await (const part of parts) {
    if (part.type === "error") throw part.error
    if (part.type === "text-start") content.push({ type: "text", text: "" })
    if (part.type === "reasoning-start") content.push({ type: "reasoning", text: "" })
    if (part.type === "tool-call") content.push(part)
    const last = content.at(-1)
    if (part.type === "text-delta" && last?.type === "text") last.text += part.delta
    if (part.type === "reasoning-delta" && last?.type === "reasoning") last.text += part.delta
    if (part.type === "finish") {
      return { content, finishReason: part.finishReason, usage: part.usage, warnings: [] }
    }
  }
  throw new Error("The offline model's stream ended without a finish.")
}
