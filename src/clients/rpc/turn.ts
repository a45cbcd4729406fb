// A turn for the program that asked for it: its events one by one, and how it ended. Events that nobody takes hold the
// child back, so a turn is either read (`for await`, `text`) or waited for (`done`).
import { RpcFault } from "./faults.ts"
import type { Flow } from "./flow.ts"
import type { OpenTurn, TurnEnd, TurnEvent } from "./open-turn.ts"

/** From `text` alone: a turn that has no text to give. */
export class RpcNoText extends RpcFault {
  override readonly name = "RpcNoText"
  readonly end: TurnEnd

  constructor(end: Extract<TurnEnd, { reason: string }>) {
    super(`the turn was ${end.kind === "failed" ? "begun and failed" : "refused"}: ${end.reason}`)
    this.end = end
  }
}

export class Turn implements AsyncIterable<TurnEvent> {
  readonly #open: OpenTurn
  readonly #flow: Flow
  readonly #abort: () => Promise<void>
  #isRead = false

  constructor(open: OpenTurn, flow: Flow, abort: () => Promise<void>) {
    this.#open = open
    this.#flow = flow
    this.#abort = abort
  }

  /** Once. Leaving the loop early does not stop the turn: the rest of its events is dropped. */
  [Symbol.asyncIterator](): AsyncIterator<TurnEvent, undefined> {
    if (this.#isRead) throw new RpcFault("the events of a turn can be read once")
    this.#isRead = true
    return this.#open.events
  }

  /** How it ended. When nobody has begun to read its events they are dropped. */
  async done(): Promise<TurnEnd> {
    if (!this.#isRead) this.#open.events.discard()
    const answered = this.#flow.awaitAnswer()
    try {
      return await this.#open.end
    } finally {
      answered()
    }
  }

  /** All that was said, also when the turn was cancelled halfway. */
  async text(): Promise<string> {
    let text = ""
    for await (const event of this) if (event.type === "text_delta") text += event.delta
    const end = await this.done()
    if (end.kind === "failed" || end.kind === "refused") throw new RpcNoText(end)
    return text
  }

  /** Resolves when the child has stopped; the turn has then ended, as `cancelled` unless it was faster. */
  abort(): Promise<void> {
    return this.#abort()
  }
}
