// The caller's view of a turn. The pieces add up to its text, unless the agent lost the end of it in a crash; `text` and
// `done` are correct in any case.
import { TurnReader } from "../../base/turn.ts"
import { IpcFault } from "../faults.ts"
import type { ToolCall } from "../state/tool-calls.ts"
import type { OpenTurn, TurnEnd } from "./open-turn.ts"

/** Thrown by `text` only. */
export class IpcTurnFailed extends IpcFault {
  override readonly name = "IpcTurnFailed"
  readonly end: TurnEnd

  constructor(end: Extract<TurnEnd, { kind: "failed" }>) {
    super(`the turn failed: ${end.reason}`)
    this.end = end
  }
}

export class Turn extends TurnReader<string> {
  readonly #open: OpenTurn
  readonly #cancel: () => Promise<void>

  constructor(open: OpenTurn, cancel: () => Promise<void>) {
    super(open.events, () => new IpcFault("the text of a turn can be read once"))
    this.#open = open
    this.#cancel = cancel
  }

  /** So far. */
  get calls(): readonly ToolCall[] {
    return this.#open.calls
  }

  /** How the turn ended. */
  done(): Promise<TurnEnd> {
    return this.#open.result
  }

  /** The whole text, also of a cancelled turn. */
  async text(): Promise<string> {
    const end = await this.#open.result
    if (end.kind === "failed") throw new IpcTurnFailed(end)
    return end.text
  }

  /** Stops the turn once it runs. The protocol cannot remove a queued one. */
  async cancel(): Promise<void> {
    if (this.#open.phase === "running") return this.#cancel()
    this.#open.onStart(() => void this.#cancel().catch(() => {})) // `done` reports the end
  }
}
