// Maps the events of OpenAI's responses to parts.
import type { JSONObject, JSONValue } from "@ai-sdk/provider"
import { parseEvent } from "../event-json.ts"
import { Replay } from "../replay.ts"
import type { EventMapper, MakeMapper, Part } from "./event-mapper.ts"
import { responseMetadata } from "./response-metadata.ts"
import { checkResponsesEvent } from "./generated/responses-events.js"
import type { AddedItem, DoneItem, EndedResponse, ResponsesEvent } from "./responses-events.ts"
import { ReasoningSummaries } from "./reasoning-summaries.ts"
import { responsesFinish } from "./responses-finish.ts"

export const responses: MakeMapper = ({ provider }, { includeRawChunks, providerOptions }) => {
  const name = provider.includes("azure") ? "azure" : "openai"
  const given = [providerOptions?.[name], providerOptions?.["openai"]]
  // Where the vendor stores the answer, thoughts end without their encrypted content.
  const isOther = given.some((options) => options?.["store"] === true || options?.["logprobs"] !== undefined)
  return includeRawChunks === true || isOther ? undefined : new ResponsesMapper(name)
}

interface Call {
  readonly id: string
  readonly async: boolean | null | undefined
}

class ResponsesMapper implements EventMapper {
  readonly replay = new Replay()
  readiness: EventMapper["readiness"] = "waiting"
  /** The key of the metadata. */
  readonly #name: string
  readonly #calls = new Map<number, Call>()
  /** Ids of the open items by their index: some servers change the id from event to event. */
  readonly #itemIds = new Map<number, string>()
  readonly #summaries: ReasoningSummaries
  #responseId: string | null = null
  #phase: string | undefined
  #hasCall = false
  #ended: EndedResponse | undefined
  #context: string | undefined
  #serviceTier: string | undefined

  constructor(name: string) {
    this.#name = name
    this.#summaries = new ReasoningSummaries((fields) => this.#metadata(fields))
  }

  accept(data: string, parts: Part[]): boolean {
    const event = parseEvent(data)
    if (!checkResponsesEvent(event)) return false
    const before = parts.length
    if (!this.#map(event, parts)) return false
    const readiness = readinessAfter(event, this.readiness)
    this.#record(event, data, parts.length - before, readiness !== this.readiness)
    this.readiness = readiness
    return true
  }

  end(parts: Part[]): boolean {
    const metadata = {
      responseId: this.#responseId,
      ...(this.#serviceTier === undefined ? {} : { serviceTier: this.#serviceTier }),
      ...(this.#context === undefined ? {} : { reasoningContext: this.#context }),
    }
    parts.push({ ...responsesFinish(this.#ended, this.#hasCall), providerMetadata: this.#metadata(metadata) })
    return true
  }

  #map(event: ResponsesEvent, parts: Part[]): boolean {
    switch (event.type) {
      case "response.output_text.delta":
        parts.push({ type: "text-delta", id: this.#idOf(event), delta: event.delta })
        return true
      case "response.function_call_arguments.delta":
        return this.#addInput(event.output_index, event.delta, parts)
      case "response.reasoning_summary_text.delta":
        this.#summaries.addText(this.#idOf(event), event.summary_index, event.delta, parts)
        return true
      case "response.reasoning_summary_part.added":
        this.#summaries.startPart(this.#idOf(event), event.summary_index, parts)
        return true
      case "response.reasoning_summary_part.done":
        this.#summaries.endPart(this.#idOf(event), event.summary_index)
        return true
      case "response.output_item.added":
        return this.#startItem(event.output_index, event.item, parts)
      case "response.output_item.done":
        return this.#endItem(event.output_index, event.item, parts)
      case "response.created":
        this.#start(event.response, parts)
        return true
      case "response.completed":
      case "response.incomplete":
        this.#end(event.response)
        return true
      default:
        return true
    }
  }

  #start(response: { id: string; created_at: number; model: string }, parts: Part[]): void {
    const { id, created_at: created, model } = response
    this.#responseId = id
    parts.push(responseMetadata(id, model, created))
  }

  #end(response: EndedResponse): void {
    this.#ended = response
    this.#serviceTier = response.service_tier ?? this.#serviceTier
    this.#context = response.reasoning?.context ?? this.#context
  }

  #startItem(index: number, item: AddedItem, parts: Part[]): boolean {
    if (item.type === "function_call") return this.#startCall(index, item, parts)
    this.#itemIds.set(index, item.id)
    if (item.type === "reasoning") {
      this.#summaries.start(item.id, item.encrypted_content ?? null, parts)
      return true
    }
    this.#phase = item.phase ?? undefined
    const providerMetadata = this.#metadata({ itemId: item.id, ...(item.phase ? { phase: item.phase } : {}) })
    parts.push({ type: "text-start", id: item.id, providerMetadata })
    return true
  }

  /** Calls of `parallel`, which was not offered, are several in one. */
  #startCall(index: number, item: Extract<AddedItem, { type: "function_call" }>, parts: Part[]): boolean {
    if (item.name === "parallel") return false
    this.#calls.set(index, { id: item.call_id, async: item.async })
    parts.push({ type: "tool-input-start", id: item.call_id, toolName: item.name })
    return true
  }

  #addInput(index: number, delta: string, parts: Part[]): boolean {
    const call = this.#calls.get(index)
    if (call !== undefined) parts.push({ type: "tool-input-delta", id: call.id, delta })
    return true
  }

  #endItem(index: number, item: DoneItem, parts: Part[]): boolean {
    if (item.type === "function_call") return this.#endCall(index, item, parts)
    const itemId = this.#itemIds.get(index) ?? item.id
    this.#itemIds.delete(index)
    if (item.type === "reasoning") {
      this.#summaries.end(itemId, item.encrypted_content ?? null, parts)
      return true
    }
    const phase = item.phase ?? this.#phase
    this.#phase = undefined
    const providerMetadata = this.#metadata({ itemId, ...(phase === undefined ? {} : { phase }) })
    parts.push({ type: "text-end", id: itemId, providerMetadata })
    return true
  }

  #endCall(index: number, item: Extract<DoneItem, { type: "function_call" }>, parts: Part[]): boolean {
    if (item.name === "parallel") return false
    const isAsync = item.async ?? this.#calls.get(index)?.async ?? undefined
    this.#calls.delete(index)
    this.#hasCall = true
    const fields = { itemId: item.id, ...(isAsync === undefined ? {} : { async: isAsync }) }
    parts.push({ type: "tool-input-end", id: item.call_id })
    parts.push({
      type: "tool-call",
      toolCallId: item.call_id,
      toolName: item.name,
      input: item.arguments,
      providerMetadata: this.#metadata(fields),
    })
    return true
  }

  #idOf({ item_id: id, output_index: index }: { item_id: string; output_index?: number | null | undefined }): string {
    return index === undefined || index === null ? id : (this.#itemIds.get(index) ?? id)
  }

  #metadata(fields: Record<string, JSONValue>): Record<string, JSONObject> {
    return { [this.#name]: fields }
  }

  /**
   * The texts of deltas do not matter: the package repeats those of calls from their last event. `isAwaited`: the package
   * does not take the call for answered before this event, and gets nothing more until it does.
   */
  #record(event: ResponsesEvent, data: string, parts: number, isAwaited: boolean): void {
    if (event.type === "response.output_text.delta") this.replay.storeLast(`text ${event.item_id}`, data, parts)
    else if (event.type === "response.reasoning_summary_text.delta")
      this.replay.storeLast(`thought ${event.item_id} ${event.summary_index}`, data, parts)
    else if (event.type === "response.function_call_arguments.delta")
      this.replay.storeLast(`input ${event.output_index}`, data, parts)
    else if (isAwaited || !ignored.has(event.type)) this.replay.store(data, parts)
  }
}

const ignored: ReadonlySet<ResponsesEvent["type"]> = new Set([
  "response.content_part.added",
  "response.content_part.done",
  "response.output_text.done",
  "response.reasoning_summary_text.done",
  "response.queued",
  "keepalive",
  "response.function_call_arguments.done",
])

/** A refused request ends before its first output; after `in_progress` that is unlikely. */
function readinessAfter(event: ResponsesEvent, before: EventMapper["readiness"]): EventMapper["readiness"] {
  if (before === "ready" || event.type === "response.created") return before
  if (event.type === "response.in_progress") return "accepted"
  const isOutput = !ignored.has(event.type) || event.type === "response.function_call_arguments.done"
  return isOutput ? "ready" : before
}
