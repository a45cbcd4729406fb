// The turns of a session that are not over, by the id that the server calls them. A turn that ran when the session came
// in is taken in when the server first speaks of it; what is said of a turn that is over is passed over.
import type { Limits } from "./options.ts"
import { OpenTurn } from "./open-turn.ts"
import type { Said, ServerFrame } from "./read-frame.ts"

/** How many turns are remembered so that a late frame is not taken for something new. */
const remembered = 200
/** A server speaks of one at a time. */
const mostOpen = 100

export class OpenTurns {
  readonly #limits: Limits
  readonly #onJoined: (turn: OpenTurn) => void
  readonly #open = new Map<string, OpenTurn>()
  readonly #past = new Set<string>()

  constructor(limits: Limits, onJoined: (turn: OpenTurn) => void) {
    this.#limits = limits
    this.#onJoined = onJoined
  }

  get all(): readonly OpenTurn[] {
    return [...this.#open.values()].filter(({ isOver }) => !isOver)
  }

  /** The one that the server works at. */
  get running(): OpenTurn | undefined {
    return this.all.find(({ phase }) => phase === "stored") ?? this.all.at(0)
  }

  add(turn: OpenTurn): void {
    this.#open.set(turn.requestId, turn)
    void turn.over.then(() => this.#forget(turn))
  }

  /** The turn that it was about, if it is about one. */
  hear({ requestId, said }: ServerFrame): OpenTurn | undefined {
    const turn = requestId === undefined ? this.#unnamed(said) : this.#named(requestId, said)
    turn?.hear(said)
    return turn
  }

  /** Ids of turns that ended; nothing is known about others. */
  isPast(requestId: string | undefined): boolean {
    return requestId !== undefined && this.#past.has(requestId)
  }

  #named(requestId: string, said: Said): OpenTurn | undefined {
    const turn = this.#open.get(requestId)
    if (turn !== undefined || said.kind !== "event" || this.#past.has(requestId)) return turn
    return this.#join(requestId)
  }

  /** Some servers do not say which turn was cancelled: there is only one. */
  #unnamed(said: Said): OpenTurn | undefined {
    return said.kind === "cancelled" ? this.running : undefined
  }

  #join(requestId: string): OpenTurn | undefined {
    if (this.#open.size >= mostOpen) return undefined
    const turn = new OpenTurn(requestId, undefined, this.#limits)
    this.add(turn)
    this.#onJoined(turn)
    return turn
  }

  #forget({ requestId }: OpenTurn): void {
    this.#open.delete(requestId)
    this.#past.add(requestId)
    const [oldest] = this.#past
    if (this.#past.size > remembered && oldest !== undefined) this.#past.delete(oldest)
  }
}
