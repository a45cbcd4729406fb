// The open turns of a session by request id. A turn of another client is added with its first frame; frames of ended
// turns are ignored.
import type { FrameContent, ServerFrame } from "../connection/read-frame.ts"
import type { Limits } from "../options.ts"
import { OpenTurn } from "./open-turn.ts"

/** Ended turns that are remembered, so that a late frame does not start a new one. */
const MAX_ENDED = 200
/** Open turns; a server sends one at a time. */
const MAX_OPEN = 100

export class OpenTurns {
  readonly #limits: Limits
  readonly #onJoined: (turn: OpenTurn) => void
  readonly #open = new Map<string, OpenTurn>()
  readonly #ended = new Set<string>()

  constructor(limits: Limits, onJoined: (turn: OpenTurn) => void) {
    this.#limits = limits
    this.#onJoined = onJoined
  }

  get all(): readonly OpenTurn[] {
    return [...this.#open.values()].filter(({ isOver }) => !isOver)
  }

  /** The one that the server works on. */
  get running(): OpenTurn | undefined {
    return this.all.find(({ phase }) => phase === "stored") ?? this.all.at(0)
  }

  add(turn: OpenTurn): void {
    this.#open.set(turn.requestId, turn)
    void turn.over.then(() => this.#remove(turn))
  }

  /** Returns the turn that the frame belongs to. */
  receive({ requestId, content }: ServerFrame): OpenTurn | undefined {
    const turn = requestId === undefined ? this.#withoutId(content) : this.#withId(requestId, content)
    turn?.receive(content)
    return turn
  }

  hasEnded(requestId: string | undefined): boolean {
    return requestId !== undefined && this.#ended.has(requestId)
  }

  #withId(requestId: string, content: FrameContent): OpenTurn | undefined {
    const turn = this.#open.get(requestId)
    if (turn !== undefined || content.kind !== "event" || this.#ended.has(requestId)) return turn
    if (this.#open.size >= MAX_OPEN) return undefined
    const joined = new OpenTurn(requestId, undefined, this.#limits)
    this.add(joined)
    this.#onJoined(joined)
    return joined
  }

  /** Some servers do not name the cancelled turn: only one can run. */
  #withoutId(content: FrameContent): OpenTurn | undefined {
    return content.kind === "cancelled" ? this.running : undefined
  }

  #remove({ requestId }: OpenTurn): void {
    this.#open.delete(requestId)
    this.#ended.add(requestId)
    const [oldest] = this.#ended
    if (this.#ended.size > MAX_ENDED && oldest !== undefined) this.#ended.delete(oldest)
  }
}
