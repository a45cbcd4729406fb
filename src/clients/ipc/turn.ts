// A turn for the program that asked for it: its text piece by piece, its calls, and how it ended. The pieces of a turn
// are its text, unless the agent lost the end of it in a crash; `text` and `done` are right in any case.
import type { ToolCall } from "./calls.ts"
import { IpcFault } from "./faults.ts"
import type { OpenTurn, TurnEnd } from "./open-turn.ts"

/** From `text` alone: a turn that failed. */
export class IpcTurnFailed extends IpcFault {
  override readonly name = "IpcTurnFailed"
  readonly end: TurnEnd

  constructor(end: Extract<TurnEnd, { kind: "failed" }>) {
    super(`the turn failed: ${end.reason}`)
    this.end = end
  }
}

export class Turn implements AsyncIterable<string> {
  readonly #open: OpenTurn
  readonly #cancel: () => Promise<void>
  #isRead = false

  constructor(open: OpenTurn, cancel: () => Promise<void>) {
    this.#open = open
    this.#cancel = cancel
  }

  /** Once. Leaving the loop early does not stop the turn. */
  [Symbol.asyncIterator](): AsyncIterator<string, undefined> {
    if (this.#isRead) throw new IpcFault("the text of a turn can be read once")
    this.#isRead = true
    return this.#open.chunks
  }

  /** As far as they have come. */
  get calls(): readonly ToolCall[] {
    return this.#open.calls
  }

  /** How it ended. */
  done(): Promise<TurnEnd> {
    return this.#open.end
  }

  /** All that was said, also when the turn was cancelled halfway. */
  async text(): Promise<string> {
    const end = await this.#open.end
    if (end.kind === "failed") throw new IpcTurnFailed(end)
    return end.text
  }

  /** Stops it once it runs. An agent that has it waiting cannot be told to forget it. */
  async cancel(): Promise<void> {
    if (this.#open.phase === "running") return this.#cancel()
    this.#open.onStart(() => void this.#cancel().catch(() => {})) // how it ended is told by `done`
  }
}
