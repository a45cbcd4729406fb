// The summaries of a model's thoughts in OpenAI's responses. The last part of an item ends with the item, because only
// its end has the encrypted thoughts that the next request sends back; a part before it ends when the next one begins.
import type { JSONObject, JSONValue } from "@ai-sdk/provider"
import type { Part } from "./event-mapper.ts"

type Metadata = (fields: Record<string, JSONValue>) => Record<string, JSONObject>
type Status = "active" | "can-end" | "ended"

interface Item {
  readonly encrypted: string | null
  /** By the index of the part; integer keys stay in order. */
  readonly parts: Record<number, Status>
}

export class ReasoningSummaries {
  readonly #metadata: Metadata
  readonly #items = new Map<string, Item>()

  constructor(metadata: Metadata) {
    this.#metadata = metadata
  }

  start(itemId: string, encrypted: string | null, parts: Part[]): void {
    this.#items.set(itemId, { encrypted, parts: { 0: "active" } })
    parts.push(this.#startOf(itemId, 0, encrypted))
  }

  /** The first part has begun with the item. */
  startPart(itemId: string, index: number, parts: Part[]): void {
    const item = this.#items.get(itemId)
    if (index <= 0 || item === undefined) return
    item.parts[index] = "active"
    for (const [other, status] of Object.entries(item.parts)) {
      if (status !== "can-end") continue
      parts.push({ type: "reasoning-end", id: `${itemId}:${other}`, providerMetadata: this.#metadata({ itemId }) })
      item.parts[Number(other)] = "ended"
    }
    parts.push(this.#startOf(itemId, index, item.encrypted))
  }

  addText(itemId: string, index: number, delta: string, parts: Part[]): void {
    const providerMetadata = this.#metadata({ itemId })
    parts.push({ type: "reasoning-delta", id: `${itemId}:${index}`, delta, providerMetadata })
  }

  endPart(itemId: string, index: number): void {
    const item = this.#items.get(itemId)
    if (item !== undefined) item.parts[index] = "can-end"
  }

  end(itemId: string, encrypted: string | null, parts: Part[]): void {
    const item = this.#items.get(itemId)
    this.#items.delete(itemId)
    for (const [index, status] of Object.entries(item?.parts ?? {})) {
      if (status === "ended") continue
      const providerMetadata = this.#metadata({ itemId, reasoningEncryptedContent: encrypted })
      parts.push({ type: "reasoning-end", id: `${itemId}:${index}`, providerMetadata })
    }
  }

  #startOf(itemId: string, index: number, encrypted: string | null): Part {
    const providerMetadata = this.#metadata({ itemId, reasoningEncryptedContent: encrypted })
    return { type: "reasoning-start", id: `${itemId}:${index}`, providerMetadata }
  }
}
