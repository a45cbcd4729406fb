// Maps the chunks of a chat completion to parts. What differs between OpenAI's package and that for other servers is in
// a dialect.
import type { JSONObject, LanguageModelV4Usage } from "@ai-sdk/provider"
import { parseEvent } from "../event-json.ts"
import { Replay } from "../replay.ts"
import { ChatCalls } from "./chat-calls.ts"
import type { ChatChunk, ChatDelta, ChatUsage } from "./chat-events.ts"
import type { EventMapper, Part } from "./event-mapper.ts"
import { noUsage } from "./no-usage.ts"
import { responseMetadata } from "./response-metadata.ts"
import { checks } from "./generated/chat-events.js"

export type ChatChoice = ChatChunk["choices"][number]

/** How a package makes text and thoughts of a delta. */
export interface ChatDialect {
  readonly isReadyAtOnce: boolean
  fits(choice: ChatChoice): boolean
  addText(delta: ChatDelta, parts: Part[]): void
  /** Before the pieces of calls in a chunk. */
  beforeCalls(parts: Part[]): void
  /** Ends what has begun. */
  endText(parts: Part[]): void
  /** Undefined if only the package knows how an answer without a finish reason ends. */
  finish(state: ChatEnd): Part | undefined
}

export interface ChatEnd {
  readonly rawReason: string | undefined
  /** The newest. */
  readonly usage: ChatUsage | undefined
  /** Of every usage. */
  readonly predictions: JSONObject
  readonly hasRefusal: boolean
}

export class ChatMapper implements EventMapper {
  readonly replay = new Replay()
  readonly #dialect: ChatDialect
  readonly #calls = new ChatCalls()
  readiness: EventMapper["readiness"]
  #hasMetadata = false
  #hasRefusal = false
  #usage: ChatUsage | undefined
  #predictions: JSONObject = {}
  #rawReason: string | undefined

  constructor(dialect: ChatDialect) {
    this.#dialect = dialect
    this.readiness = dialect.isReadyAtOnce ? "ready" : "waiting"
  }

  accept(data: string, parts: Part[]): boolean {
    const chunk = parseEvent(data)
    if (!checks.chunk(chunk) || Object.hasOwn(chunk, "error")) return false
    const choice = chunk.choices[0]
    if (choice !== undefined && !this.#dialect.fits(choice)) return false
    const before = parts.length
    const isFirst = this.#addMetadata(chunk, parts)
    if (chunk.usage) this.#addUsage(chunk.usage)
    if (typeof choice?.finish_reason === "string") this.#rawReason = choice.finish_reason
    if (choice?.delta && !this.#addDelta(choice.delta, parts)) return false
    this.#record(data, chunk, parts.length - before, isFirst)
    return true
  }

  end(parts: Part[]): boolean {
    this.#dialect.endText(parts)
    this.#calls.end(parts)
    const [rawReason, usage, predictions, hasRefusal] = [
      this.#rawReason,
      this.#usage,
      this.#predictions,
      this.#hasRefusal,
    ]
    const finish = this.#dialect.finish({ rawReason, usage, predictions, hasRefusal })
    if (finish !== undefined) parts.push(finish)
    return finish !== undefined
  }

  #addUsage(usage: ChatUsage): void {
    this.#usage = usage
    this.#predictions = { ...this.#predictions, ...predictionTokens(usage) }
  }

  /** Once: some servers begin with a chunk without metadata. */
  #addMetadata({ id, model, created }: ChatChunk, parts: Part[]): boolean {
    if (this.#hasMetadata || !(id || model || created)) return false
    this.#hasMetadata = true
    parts.push(responseMetadata(id, model, created || undefined))
    return true
  }

  #addDelta(delta: ChatDelta, parts: Part[]): boolean {
    if (delta.refusal) this.#hasRefusal = true
    this.#dialect.addText(delta, parts)
    const calls = delta.tool_calls ?? []
    if (delta.content || delta.refusal || calls.length > 0) this.readiness = "ready"
    if (calls.length > 0) this.#dialect.beforeCalls(parts)
    return calls.every((call) => this.#calls.accept(call, parts))
  }

  /** A delta of text or of a call's input is joined with those before; everything else is kept as it is. */
  #record(data: string, { choices, usage }: ChatChunk, parts: number, isFirst: boolean): void {
    const choice = choices[0]
    const hasState = isFirst || typeof choice?.finish_reason === "string"
    if (parts === 0 && !hasState && !usage) return
    const delta = choice?.delta
    if (hasState || parts === 0 || !delta || delta.refusal) return this.replay.store(data, parts)
    const thought = delta.reasoning_content ?? delta.reasoning
    const call = delta.tool_calls?.[0]
    const isOneKind = !(delta.content && (thought || call)) && !(thought && call)
    if (!isOneKind) return this.replay.store(data, parts)
    // Of counts with every delta the newest are valid.
    const withUsage = usage ? " with usage" : ""
    if (call === undefined) return this.replay.storeLast(`${thought ? "thought" : "text"}${withUsage}`, data, parts)
    const { name, arguments: input } = call.function
    const isInput = !usage && !name && parts === 1 && delta.tool_calls?.length === 1 && typeof input === "string"
    if (!isInput) this.replay.store(data, parts)
    else this.replay.append(`call ${call.index}`, input, (text) => inputEvent(call.index, text))
  }
}

function inputEvent(index: number, input: string): string {
  const call = { index, function: { arguments: input } }
  return JSON.stringify({ choices: [{ index: 0, delta: { tool_calls: [call] } }] })
}

/** Tokens; `cacheWrite` where the package reads it. */
export function chatUsage(
  usage: ChatUsage | undefined,
  raw: JSONObject | undefined,
  cacheWrite?: number,
): LanguageModelV4Usage {
  if (usage === undefined) return noUsage
  const input = usage.prompt_tokens ?? 0
  const output = usage.completion_tokens ?? 0
  const cacheRead = usage.prompt_tokens_details?.cached_tokens ?? 0
  const reasoning = usage.completion_tokens_details?.reasoning_tokens ?? 0
  return {
    inputTokens: { total: input, noCache: input - cacheRead - (cacheWrite ?? 0), cacheRead, cacheWrite },
    outputTokens: { total: output, text: Math.max(0, output - reasoning), reasoning },
    ...(raw === undefined ? {} : { raw }),
  }
}

/** Of the usage, for the metadata of the finish. */
export function predictionTokens(usage: ChatUsage | undefined): JSONObject {
  const { accepted_prediction_tokens: accepted, rejected_prediction_tokens: rejected } =
    usage?.completion_tokens_details ?? {}
  return {
    ...(typeof accepted === "number" ? { acceptedPredictionTokens: accepted } : {}),
    ...(typeof rejected === "number" ? { rejectedPredictionTokens: rejected } : {}),
  }
}

/** A refusal ends with `stop`. */
export function chatFinish(rawReason: string, hasRefusal: boolean) {
  switch (rawReason) {
    case "stop":
      return hasRefusal ? "content-filter" : "stop"
    case "length":
      return "length"
    case "content_filter":
      return "content-filter"
    case "function_call":
    case "tool_calls":
      return "tool-calls"
    default:
      return "other"
  }
}
