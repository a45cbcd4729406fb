// Removes repetitions from the events of a turn. After a resume the server sends a running turn from its beginning;
// only what was not received before passes. Text is compared by content, tool calls and results by order, cards by place.
import { requestTool } from "../../../contract/rules/interactions.ts"
import type { Card, TurnEvent } from "./turn-events.ts"

const none: readonly TurnEvent[] = []

export class ReplayFilter {
  readonly #reply = new ReplayedText()
  readonly #reasoning = new ReplayedText()
  /** Tool calls and results in order, and how many of them the current connection has sent. */
  readonly #chunks: string[] = []
  #chunkIndex = 0
  /** By place: a repeated card is the same object. */
  readonly #cards = new Map<string, Card>()
  #hasPreamble = false
  /** Where the text after the newest tool call starts, and the text before that call. */
  #partStart = 0
  #previousPartStart = 0
  #openCard: Card | undefined
  #length = 0

  /** All text so far. */
  get text(): string {
    return this.#reply.text
  }

  get openCard(): Card | undefined {
    return this.#openCard
  }

  /** Characters received, for the limit. */
  get length(): number {
    return this.#length
  }

  /** A new connection: the server starts at the beginning of the turn. */
  restart(): void {
    this.#reply.restart()
    this.#reasoning.restart()
    this.#chunkIndex = 0
    this.#openCard = undefined
  }

  closeCard(card: Card | undefined): void {
    if (this.#openCard === card) this.#openCard = undefined
  }

  /** The events that are new. */
  filter(event: TurnEvent): readonly TurnEvent[] {
    switch (event.type) {
      case "token":
        return this.#token(event.text)
      case "reasoning":
        return this.#reasoningText(event.text)
      case "preamble":
        if (this.#hasPreamble) return none
        this.#hasPreamble = true
        return this.#count(event, event.text)
      case "tool-call":
        return this.#isNewChunk(`call ${event.tool}`) ? [event] : none
      case "tool-result":
        if (isAnsweredBy(this.#openCard, event.tool)) this.#openCard = undefined
        return this.#isNewChunk(`result ${event.tool}`) ? [event] : none
      case "confirmation":
        return this.#card(event, `${this.#chunkIndex} ${event.tool} ${event.description}`)
      case "interaction":
        return this.#card(event, event.interactionId)
      default:
        return this.#count(event, event.type)
    }
  }

  /** The part of the reply that was not received, because the connection was lost or nothing was streamed. */
  complete(reply: string, isFromMessages: boolean): readonly TurnEvent[] {
    const { text } = this.#reply
    if (text === "") return reply === "" ? none : this.#token(reply)
    if (!isFromMessages && this.#reply.isCaughtUp) return none
    const last = text.slice(this.#partStart)
    if ((last === "" ? text.slice(this.#previousPartStart) : last) === reply) return none
    this.#reply.catchUp()
    if (reply.startsWith(last)) return this.#token(reply.slice(last.length))
    this.#reply.replace(reply)
    return [{ type: "corrected", text: reply }]
  }

  #token(piece: string): readonly TurnEvent[] {
    this.#length += piece.length
    const added = this.#reply.add(piece)
    if (added.kind === "new") return added.text === "" ? none : [{ type: "token", text: added.text }]
    this.#partStart = Math.min(this.#partStart, added.from)
    this.#previousPartStart = Math.min(this.#previousPartStart, this.#partStart)
    return [{ type: "corrected", text: this.#reply.text }]
  }

  #reasoningText(piece: string): readonly TurnEvent[] {
    this.#length += piece.length
    const added = this.#reasoning.add(piece)
    const text = added.kind === "new" ? added.text : piece
    return text === "" ? none : [{ type: "reasoning", text }]
  }

  #isNewChunk(chunk: string): boolean {
    const isKnown = this.#chunks[this.#chunkIndex] === chunk
    if (!isKnown) {
      this.#chunks.length = this.#chunkIndex
      this.#chunks.push(chunk)
      this.#length += chunk.length
      const end = this.#reply.text.length
      if (end > this.#partStart) this.#previousPartStart = this.#partStart
      this.#partStart = end
    }
    this.#chunkIndex += 1
    return !isKnown
  }

  #card(card: Card, place: string): readonly TurnEvent[] {
    const known = this.#cards.get(place)
    this.#openCard = known ?? card
    if (known !== undefined) return none
    this.#cards.set(place, card)
    return this.#count(card, place)
  }

  #count(event: TurnEvent, text: string): readonly TurnEvent[] {
    this.#length += text.length
    return [event]
  }
}

type Added =
  | { readonly kind: "new"; readonly text: string }
  /** The repetition differs from this position on. */
  | { readonly kind: "different"; readonly from: number }

/** Text that a server may send again from its beginning. */
class ReplayedText {
  #text = ""
  /** How far the current connection has sent it. */
  #position = 0

  get text(): string {
    return this.#text
  }

  get isCaughtUp(): boolean {
    return this.#position === this.#text.length
  }

  restart(): void {
    this.#position = 0
  }

  catchUp(): void {
    this.#position = this.#text.length
  }

  replace(text: string): void {
    this.#text = text
    this.catchUp()
  }

  add(piece: string): Added {
    const from = this.#position
    const known = this.#text.slice(from, from + piece.length)
    if (!piece.startsWith(known)) {
      this.replace(this.#text.slice(0, from) + piece)
      return { kind: "different", from }
    }
    this.#text += piece.slice(known.length)
    this.#position = from + piece.length
    return { kind: "new", text: piece.slice(known.length) }
  }
}

/** The result of the tool means that its card is no longer pending. */
function isAnsweredBy(card: Card | undefined, tool: string): boolean {
  if (card === undefined) return false
  return card.type === "confirmation" ? card.tool === tool : raisingTools.has(tool)
}

const raisingTools: ReadonlySet<string> = new Set(Object.values(requestTool))
