// The caller's view of a turn. Unread events hold the child back, so a turn is either read (`for await`, `text`) or
// awaited (`done`).
import { TurnReader } from "../base/turn.ts"
import type { Flow } from "./child/flow.ts"
import { RpcFault } from "./faults.ts"
import type { OpenTurn, TurnEnd, TurnEvent } from "./open-turn.ts"

/** Thrown by `text` only: the turn failed or was refused. */
export class RpcNoText extends RpcFault {
  override readonly name = "RpcNoText"
  readonly end: TurnEnd

  constructor(end: Extract<TurnEnd, { reason: string }>) {
    super(`the turn ${end.kind === "failed" ? "failed" : "was refused"}: ${end.reason}`)
    this.end = end
  }
}

export class Turn extends TurnReader<TurnEvent> {
  readonly #open: OpenTurn
  readonly #flow: Flow
  readonly #abort: () => Promise<void>

  constructor(open: OpenTurn, flow: Flow, abort: () => Promise<void>) {
    super(open.events, () => new RpcFault("the events of a turn can be read once"))
    this.#open = open
    this.#flow = flow
    this.#abort = abort
  }

  /** How the turn ended. Drops its events unless they are being read. */
  done(): Promise<TurnEnd> {
    if (!this.isRead) this.#open.events.discard()
    return this.#flow.awaiting(this.#open.result)
  }

  /** The whole text, also of a cancelled turn. */
  async text(): Promise<string> {
    let text = ""
    for await (const event of this) if (event.type === "text_delta") text += event.delta
    const end = await this.done()
    if (end.kind === "failed" || end.kind === "refused") throw new RpcNoText(end)
    return text
  }

  /** Resolves when the child has stopped; the turn then ended as `cancelled`, unless it ended first. */
  abort(): Promise<void> {
    return this.#abort()
  }
}
