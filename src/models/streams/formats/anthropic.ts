// Maps the events of Anthropic's messages to parts.
import type { JSONObject } from "@ai-sdk/provider"
import { parseEvent } from "../event-json.ts"
import { Replay } from "../replay.ts"
import { AnthropicUsage } from "./anthropic-usage.ts"
import type { AnthropicEvent, BlockDelta, ContentBlock } from "./anthropic-events.ts"
import { responseMetadata } from "./response-metadata.ts"
import type { EventMapper, MakeMapper, Part } from "./event-mapper.ts"
import { checkAnthropicEvent } from "./generated/anthropic-events.js"

export const anthropic: MakeMapper = ({ provider }, { includeRawChunks, providerOptions, responseFormat }) => {
  const isOther = !provider.startsWith("anthropic.")
  // An answer in JSON may be the input of a tool of the package's own.
  if (isOther || includeRawChunks === true || responseFormat?.type === "json") return undefined
  return new AnthropicMapper(providerOptions?.["anthropic"]?.["includePings"] === true)
}

type Block = { readonly kind: "text" | "reasoning" } | Call
type Call = { readonly kind: "call"; readonly id: string; readonly name: string; input: string }

class AnthropicMapper implements EventMapper {
  readonly replay = new Replay()
  readiness: EventMapper["readiness"] = "waiting"
  readonly #includesPings: boolean
  readonly #blocks = new Map<number, Block>()
  readonly #usage = new AnthropicUsage()
  #isOpen = false
  #isComplete = false
  /** Of the newest block; signatures count only in thoughts. */
  #newest: ContentBlock["type"] | undefined
  #stop: { readonly reason: string | undefined; readonly sequence: string | null } = {
    reason: undefined,
    sequence: null,
  }

  constructor(includesPings: boolean) {
    this.#includesPings = includesPings
  }

  accept(data: string, parts: Part[]): boolean {
    const event = parseEvent(data)
    if (!checkAnthropicEvent(event)) return false
    if (event.type === "ping") return this.#ping(parts)
    if (this.#isComplete) return false
    const before = parts.length
    const isKnown = this.#map(event, data, parts)
    if (parts.length > before) this.readiness = "ready"
    return isKnown
  }

  /** Without its last event an answer is cut off. */
  end(): boolean {
    return this.#isComplete
  }

  #ping(parts: Part[]): boolean {
    if (!this.#includesPings) return true
    parts.push({ type: "ping" })
    this.replay.storeLast("ping", `{"type":"ping"}`, 1)
    return true
  }

  #map(event: Exclude<AnthropicEvent, { type: "ping" }>, data: string, parts: Part[]): boolean {
    switch (event.type) {
      case "content_block_delta":
        return this.#addDelta(event.index, event.delta, data, parts)
      case "content_block_start":
        return this.#startBlock(event.index, event.content_block, data, parts)
      case "content_block_stop":
        return this.#stopBlock(event.index, data, parts)
      case "message_start":
        return this.#start(event.message, data, parts)
      case "message_delta":
        this.#stop = { reason: event.delta.stop_reason ?? undefined, sequence: event.delta.stop_sequence ?? null }
        this.#usage.add(event.usage)
        return this.#store(data, 0)
      case "message_stop":
        this.#isComplete = true
        parts.push(this.#finish())
        return this.#store(data, 1)
    }
  }

  #start(message: Extract<AnthropicEvent, { type: "message_start" }>["message"], data: string, parts: Part[]): boolean {
    if (this.#isOpen) return false
    this.#isOpen = true
    const { id, model } = message
    const usage = this.#usage.start(message.usage, message.service_tier)
    parts.push(responseMetadata(id, model))
    const metadata = { id: id ?? null, model: model ?? null, usage }
    parts.push({ type: "custom", kind: "anthropic.message_start", providerMetadata: { anthropic: metadata } })
    return this.#store(data, 2)
  }

  #startBlock(index: number, block: ContentBlock, data: string, parts: Part[]): boolean {
    const id = String(index)
    switch (block.type) {
      case "text":
        this.#blocks.set(index, { kind: "text" })
        parts.push({ type: "text-start", id })
        break
      case "thinking":
        this.#blocks.set(index, { kind: "reasoning" })
        parts.push({ type: "reasoning-start", id })
        break
      case "redacted_thinking":
        this.#blocks.set(index, { kind: "reasoning" })
        parts.push({ type: "reasoning-start", id, providerMetadata: { anthropic: { redactedData: block.data } } })
        break
      case "tool_use":
        if (block.caller !== undefined || Object.keys(block.input ?? {}).length > 0) return false
        this.#blocks.set(index, { kind: "call", id: block.id, name: block.name, input: "" })
        parts.push({ type: "tool-input-start", id: block.id, toolName: block.name })
        break
    }
    this.#newest = block.type
    return this.#store(data, 1)
  }

  #addDelta(index: number, delta: BlockDelta, data: string, parts: Part[]): boolean {
    const id = String(index)
    switch (delta.type) {
      case "text_delta":
        parts.push({ type: "text-delta", id, delta: delta.text })
        this.replay.storeLast(`text ${id}`, data, 1)
        return true
      case "thinking_delta":
        parts.push({ type: "reasoning-delta", id, delta: delta.thinking })
        this.replay.storeLast(`thought ${id}`, data, 1)
        return true
      case "signature_delta":
        return this.#addSignature(id, delta.signature, data, parts)
      case "input_json_delta":
        return this.#addInput(index, delta.partial_json, parts)
    }
  }

  #addSignature(id: string, signature: string, data: string, parts: Part[]): boolean {
    if (this.#newest !== "thinking") return true
    parts.push({ type: "reasoning-delta", id, delta: "", providerMetadata: { anthropic: { signature } } })
    return this.#store(data, 1)
  }

  #addInput(index: number, delta: string, parts: Part[]): boolean {
    const block = this.#blocks.get(index)
    if (delta === "" || block?.kind !== "call") return true
    block.input += delta
    parts.push({ type: "tool-input-delta", id: block.id, delta })
    this.replay.append(`input ${index}`, delta, (text) => inputEvent(index, text))
    return true
  }

  #stopBlock(index: number, data: string, parts: Part[]): boolean {
    const before = parts.length
    const block = this.#blocks.get(index)
    if (block?.kind === "text") parts.push({ type: "text-end", id: String(index) })
    if (block?.kind === "reasoning") parts.push({ type: "reasoning-end", id: String(index) })
    if (block?.kind === "call") {
      const { id, name, input } = block
      parts.push({ type: "tool-input-end", id })
      parts.push({ type: "tool-call", toolCallId: id, toolName: name, input: input === "" ? "{}" : input })
    }
    this.#blocks.delete(index)
    this.#newest = undefined
    return this.#store(data, parts.length - before)
  }

  #finish(): Part {
    const { reason, sequence } = this.#stop
    const { raw, serviceTier } = this.#usage
    const metadata: JSONObject = {
      usage: raw ?? null,
      stopSequence: sequence,
      ...(serviceTier === null ? {} : { serviceTier }),
      iterations: null,
      container: null,
      contextManagement: null,
    }
    return {
      type: "finish",
      finishReason: { unified: finishOf(reason), raw: reason },
      usage: this.#usage.counts(),
      providerMetadata: { anthropic: metadata },
    }
  }

  #store(data: string, parts: number): true {
    this.replay.store(data, parts)
    return true
  }
}

function inputEvent(index: number, input: string): string {
  return JSON.stringify({
    type: "content_block_delta",
    index,
    delta: { type: "input_json_delta", partial_json: input },
  })
}

function finishOf(reason: string | undefined) {
  switch (reason) {
    case "pause_turn":
    case "end_turn":
    case "stop_sequence":
      return "stop"
    case "refusal":
      return "content-filter"
    case "tool_use":
      return "tool-calls"
    case "max_tokens":
    case "model_context_window_exceeded":
      return "length"
    default:
      return "other"
  }
}
