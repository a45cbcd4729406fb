// Plays a list of parts as the stream of one model call. Consecutive text is one block, which stays open until another
// part begins, so that a cut or an error can fall inside it. Parts before the first output are played before the stream
// starts: an error there fails the call.
import { randomUUID } from "node:crypto"
import { existsSync } from "node:fs"
import type { LanguageModelV4StreamPart, APICallError } from "@ai-sdk/provider"
import type { Call, FinishName, ScriptedUsage, Part, Failure } from "./part.ts"
import { tokensOf, usageOf } from "./usage.ts"
import { setImmediate, setTimeout } from "node:timers/promises"

/** How often a file that is waited for is looked for. */
const FILE_PAUSE_MS = 20

export interface Setting {
  readonly modelId: string
  readonly delayMs: number
  readonly inputTokens: number
  readonly maxOutputTokens: number | undefined
  readonly signal: AbortSignal
}

type Streamed = AsyncGenerator<LanguageModelV4StreamPart, void, undefined>
type PartGenerator = Generator<LanguageModelV4StreamPart, void, undefined>

export async function* play(parts: readonly Part[], setting: Setting): Streamed {
  const playback = new Playback(setting)
  for (const part of parts) {
    setting.signal.throwIfAborted()
    if ("cut" in part) return
    yield* playback.perform(part)
    if (playback.full) break
  }
  yield* playback.end()
}

class Playback {
  readonly #setting: Setting
  #hasStarted = false
  #open: { readonly kind: "text" | "reasoning"; readonly id: string } | undefined
  #blocks = 0
  #calls = 0
  #lengths = { text: 0, reasoning: 0 }
  #finish: FinishName | undefined
  #usage: ScriptedUsage = {}
  full = false

  constructor(setting: Setting) {
    this.#setting = setting
  }

  async *perform(part: Part): Streamed {
    const { signal } = this.#setting
    if ("text" in part) yield* this.#say("text", splitWords(part.text))
    if ("chunks" in part) yield* this.#say("text", part.chunks)
    if ("reasoning" in part) yield* this.#say("reasoning", splitWords(part.reasoning))
    if ("call" in part) yield* this.#call(part.call)
    if ("delayMs" in part) await pause(part.delayMs, signal)
    if ("gate" in part) await part.gate.pass(signal)
    if ("untilFile" in part) while (!existsSync(part.untilFile)) await pause(FILE_PAUSE_MS, signal)
    if ("hang" in part) await untilAborted(signal)
    if ("finish" in part) this.#finish = part.finish
    if ("usage" in part) this.#usage = { ...this.#usage, ...part.usage }
    if (!("error" in part)) return
    const failure = await callFailure(part.error)
    if (part.error.inStream !== true) throw failure
    yield* this.#begin()
    yield { type: "error", error: failure }
  }

  *end(): PartGenerator {
    yield* this.#begin()
    yield* this.#close()
    const unified = this.#finish ?? (this.#calls > 0 ? "tool-calls" : "stop")
    const usage = usageOf(this.#setting.inputTokens, this.#lengths, this.#usage)
    yield { type: "finish", finishReason: { unified, raw: unified }, usage }
  }

  async *#say(kind: "text" | "reasoning", deltas: readonly string[]): Streamed {
    const id = yield* this.#opened(kind)
    for (const delta of deltas) {
      if (this.#wouldOverrun(delta)) {
        this.#finish = "length"
        this.full = true
        return
      }
      await pause(this.#setting.delayMs, this.#setting.signal)
      this.#lengths[kind] += delta.length
      yield { type: `${kind}-delta`, id, delta }
    }
  }

  async *#call(call: Call): Streamed {
    yield* this.#begin()
    yield* this.#close()
    this.#calls++
    const id = call.id ?? `call_${randomUUID()}`
    const input = "inputText" in call ? call.inputText : JSON.stringify(call.input)
    this.#lengths.text += input.length
    yield { type: "tool-input-start", id, toolName: call.tool }
    for (const delta of fragments(input)) {
      await pause(this.#setting.delayMs, this.#setting.signal)
      yield { type: "tool-input-delta", id, delta }
    }
    yield { type: "tool-input-end", id }
    yield { type: "tool-call", toolCallId: id, toolName: call.tool, input }
  }

  *#opened(kind: "text" | "reasoning"): Generator<LanguageModelV4StreamPart, string, undefined> {
    if (this.#open?.kind === kind) return this.#open.id
    yield* this.#begin()
    yield* this.#close()
    const id = String(this.#blocks++)
    this.#open = { kind, id }
    yield { type: `${kind}-start`, id }
    return id
  }

  *#begin(): PartGenerator {
    if (this.#hasStarted) return
    this.#hasStarted = true
    yield { type: "stream-start", warnings: [] }
    const { modelId } = this.#setting
    yield { type: "response-metadata", id: `offline_${randomUUID()}`, modelId, timestamp: new Date() }
  }

  *#close(): PartGenerator {
    if (this.#open === undefined) return
    yield { type: `${this.#open.kind}-end`, id: this.#open.id }
    this.#open = undefined
  }

  #wouldOverrun(delta: string): boolean {
    const { maxOutputTokens } = this.#setting
    if (maxOutputTokens === undefined) return false
    return tokensOf(this.#lengths.text + this.#lengths.reasoning + delta.length) > maxOutputTokens
  }
}

/** As provider packages throw it. Without a status it is a connection error, which can be retried. */
async function callFailure({ message, status, retryAfter }: Failure): Promise<APICallError> {
  const provider = await import("@ai-sdk/provider")
  return new provider.APICallError({
    message,
    url: "offline://offline-model",
    requestBodyValues: {},
    isRetryable: status === undefined || [408, 409, 429].includes(status) || status >= 500,
    ...(status === undefined ? {} : { statusCode: status }),
    ...(retryAfter === undefined ? {} : { responseHeaders: { "retry-after": String(retryAfter) } }),
  })
}

/** Word by word, with the white space before each word; trailing white space belongs to the last one. */
export function splitWords(text: string): readonly string[] {
  const end = text.trimEnd().length
  if (text === "") return []
  const found = text.slice(0, end).split(/(?<=\S)(?=\s)/)
  return [...found.slice(0, -1), `${found.at(-1) ?? ""}${text.slice(end)}`]
}

/** A few fragments, as tool input is streamed. */
export function fragments(text: string): readonly string[] {
  const size = Math.max(4, Math.ceil(text.length / 4))
  const pieces: string[] = []
  for (let at = 0; at < text.length; at += size) pieces.push(text.slice(at, at + size))
  return pieces
}

/** Ends at once when the call is aborted. Zero still yields to the event loop, so that an abort gets through. */
async function pause(ms: number, signal: AbortSignal): Promise<void> {
  if (ms > 0) await setTimeout(ms, undefined, { signal })
  else await setImmediate()
  signal.throwIfAborted()
}

function untilAborted(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    if (signal.aborted) reject(abortError(signal))
    signal.addEventListener("abort", () => reject(abortError(signal)), { once: true })
  })
}

/** The abort reason if it is an error, else an AbortError, as provider requests reject. */
export function abortError(signal: AbortSignal): Error {
  const reason: unknown = signal.reason
  return reason instanceof Error ? reason : new DOMException("The model call was aborted.", "AbortError")
}
