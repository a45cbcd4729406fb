// What of a turn was given out, so that nothing is given out twice. After a resume the server tells a running turn from
// its beginning; what was heard before is passed over, and only the rest goes on. Words are compared by their text, calls
// and results by their order, cards by their place.
import { raisingTool } from "../../contract/interactions.ts"
import type { Confirmation, Interaction, TurnEvent } from "./turn-events.ts"

const nothing: readonly TurnEvent[] = []

export class Told {
  readonly #words = new Voice()
  readonly #reasoning = new Voice()
  /** Calls and results in their order, and how many of them the server has told on this connection. */
  readonly #chunks: string[] = []
  #chunkAt = 0
  /** By their place: a card that is told again is the same one. */
  readonly #cards = new Map<string, Confirmation | Interaction>()
  #hasPreamble = false
  /** Where the words after the newest call begin, and those before it. */
  #partAt = 0
  #partBefore = 0
  #open: Confirmation | Interaction | undefined
  #length = 0

  /** All words so far. */
  get text(): string {
    return this.#words.given
  }

  /** What is asked now. */
  get open(): Confirmation | Interaction | undefined {
    return this.#open
  }

  /** Characters that came, for a limit. */
  get length(): number {
    return this.#length
  }

  /** Another connection: whatever the server tells now begins at the beginning. */
  again(): void {
    this.#words.again()
    this.#reasoning.again()
    this.#chunkAt = 0
    this.#open = undefined
  }

  immediateResponse(card: Confirmation | Interaction | undefined): void {
    if (this.#open === card) this.#open = undefined
  }

  /** What is to be given out of it. */
  hear(event: TurnEvent): readonly TurnEvent[] {
    switch (event.type) {
      case "token":
        return this.#token(event.text)
      case "reasoning":
        return this.#thought(event.text)
      case "preamble":
        if (this.#hasPreamble) return nothing
        this.#hasPreamble = true
        return this.#counted(event, event.text)
      case "tool-call":
        return this.#isNewChunk(`call ${event.tool}`) ? [event] : nothing
      case "tool-result":
        if (isAbout(this.#open, event.tool)) this.#open = undefined
        return this.#isNewChunk(`result ${event.tool}`) ? [event] : nothing
      case "confirmation":
        return this.#card(event, `${this.#chunkAt} ${event.tool} ${event.description}`)
      case "interaction":
        return this.#card(event, event.interactionId)
      default:
        return this.#counted(event, event.type)
    }
  }

  /** The reply is known: what of it was never heard, because the connection was lost or nothing was streamed. */
  completed(reply: string, isFromMessages: boolean): readonly TurnEvent[] {
    const { given } = this.#words
    if (given === "") return reply === "" ? nothing : this.#token(reply)
    if (!isFromMessages && this.#words.isLevel) return nothing
    const last = given.slice(this.#partAt)
    if ((last === "" ? given.slice(this.#partBefore) : last) === reply) return nothing
    this.#words.level()
    if (reply.startsWith(last)) return this.#token(reply.slice(last.length))
    this.#words.restate(reply)
    return [{ type: "corrected", text: reply }]
  }

  #token(piece: string): readonly TurnEvent[] {
    this.#length += piece.length
    const heard = this.#words.hear(piece)
    if (heard.kind === "more") return heard.text === "" ? nothing : [{ type: "token", text: heard.text }]
    this.#partAt = Math.min(this.#partAt, heard.from)
    this.#partBefore = Math.min(this.#partBefore, this.#partAt)
    return [{ type: "corrected", text: this.#words.given }]
  }

  #thought(piece: string): readonly TurnEvent[] {
    this.#length += piece.length
    const heard = this.#reasoning.hear(piece)
    const text = heard.kind === "more" ? heard.text : piece
    return text === "" ? nothing : [{ type: "reasoning", text }]
  }

  #isNewChunk(chunk: string): boolean {
    const isKnown = this.#chunks[this.#chunkAt] === chunk
    if (!isKnown) {
      this.#chunks.length = this.#chunkAt
      this.#chunks.push(chunk)
      this.#length += chunk.length
      const end = this.#words.given.length
      if (end > this.#partAt) this.#partBefore = this.#partAt
      this.#partAt = end
    }
    this.#chunkAt += 1
    return !isKnown
  }

  #card(card: Confirmation | Interaction, place: string): readonly TurnEvent[] {
    const known = this.#cards.get(place)
    this.#open = known ?? card
    if (known !== undefined) return nothing
    this.#cards.set(place, card)
    return this.#counted(card, place)
  }

  #counted(event: TurnEvent, text: string): readonly TurnEvent[] {
    this.#length += text.length
    return [event]
  }
}

type Heard =
  | { readonly kind: "more"; readonly text: string }
  /** The server tells it otherwise from here on. */
  | { readonly kind: "other"; readonly from: number }

/** One stream of words. */
class Voice {
  #given = ""
  /** How far the server has come in telling it again. */
  #at = 0

  get given(): string {
    return this.#given
  }

  get isLevel(): boolean {
    return this.#at === this.#given.length
  }

  again(): void {
    this.#at = 0
  }

  level(): void {
    this.#at = this.#given.length
  }

  restate(text: string): void {
    this.#given = text
    this.level()
  }

  hear(piece: string): Heard {
    const from = this.#at
    const known = this.#given.slice(from, from + piece.length)
    if (!piece.startsWith(known)) {
      this.restate(this.#given.slice(0, from) + piece)
      return { kind: "other", from }
    }
    this.#given += piece.slice(known.length)
    this.#at = from + piece.length
    return { kind: "more", text: piece.slice(known.length) }
  }
}

/** A call that has its result waits for nobody. */
function isAbout(open: Confirmation | Interaction | undefined, tool: string): boolean {
  if (open === undefined) return false
  return open.type === "confirmation" ? open.tool === tool : raisingTools.has(tool)
}

const raisingTools: ReadonlySet<string> = new Set(Object.values(raisingTool))
