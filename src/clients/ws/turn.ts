// A turn for the program that asked for it: its events one by one, its text so far, and its result. It goes on over lost
// connections, and need not be read to be waited for.
import { interactionKinds, readValues } from "../../contract/interactions.ts"
import type { InteractionKind, JsonValue } from "../../contract/values.ts"
import type { ActionName } from "../../protocols/ws/actions.ts"
import type { FrameMembers } from "./connection.ts"
import { ClientFault, InteractionInvalid } from "./faults.ts"
import type { OpenTurn } from "./open-turn.ts"
import type { ConfirmOptions, RequestOptions } from "./options.ts"
import type { Confirmation, Interaction, TurnEvent, TurnResult } from "./turn-events.ts"

/** What a turn needs of its session. */
export interface TurnControls {
  cancel(turn: OpenTurn): void
  ask(action: ActionName, members: FrameMembers, options: RequestOptions): Promise<unknown>
  /** Not if it is not asked any more: on another connection the question may be another. */
  askIf(isAsked: () => boolean, action: ActionName, members: FrameMembers, options: RequestOptions): Promise<unknown>
}

export class Turn implements AsyncIterable<TurnEvent> {
  readonly #open: OpenTurn
  readonly #controls: TurnControls
  #isRead = false

  constructor(open: OpenTurn, controls: TurnControls) {
    this.#open = open
    this.#controls = controls
  }

  /** Under which the server knows it, on whatever connection. */
  get requestId(): string {
    return this.#open.requestId
  }

  /** All words so far, also those before a tool was called. */
  get text(): string {
    return this.#open.text
  }

  /** What it waits for now. */
  get asked(): Confirmation | Interaction | undefined {
    return this.#open.asked
  }

  get isOver(): boolean {
    return this.#open.isOver
  }

  /** Rejects with a `TurnFault` when there is no reply. */
  get result(): Promise<TurnResult> {
    return this.#open.result
  }

  /** Once. It ends with the reply, and throws what `result` rejects with. Leaving it early does not stop the turn. */
  [Symbol.asyncIterator](): AsyncIterator<TurnEvent, undefined> {
    if (this.#isRead) throw new ClientFault("the events of a turn can be read once")
    this.#isRead = true
    return this.#open.events
  }

  /** Resolves when it is over, as `TurnCancelled` unless it was faster. */
  async cancel(): Promise<void> {
    this.#controls.cancel(this.#open)
    await this.#open.over
  }

  /**
   * Answers a `confirmation`: the one that was read, and none that took its place meanwhile. The wire has no name for
   * it, so a yes that comes late is held back here.
   */
  async confirm(approved: boolean, { card, ...options }: ConfirmOptions = {}): Promise<void> {
    const meant = card ?? this.asked
    await this.#controls.askIf(() => this.asked === meant, "confirm_tool_action", { approved }, options)
    this.#open.immediateResponse(meant)
  }

  /** Answers an `interaction`. Values that are wrong are not sent; all that is wrong is told at once. */
  async answer(values: JsonValue, options: RequestOptions = {}): Promise<void> {
    const errors = problemsIn(this.#interaction(), values)
    if (errors.length > 0) throw new InteractionInvalid(errors)
    await this.#submit({ values }, options)
  }

  async decline(options: RequestOptions = {}): Promise<void> {
    await this.#submit({ declined: true }, options)
  }

  async #submit(answer: FrameMembers, options: RequestOptions): Promise<void> {
    const asked = this.#interaction()
    const { interactionId, kind } = asked
    await this.#controls.ask("submit_interaction", { interactionId, kind, ...answer }, options)
    this.#open.immediateResponse(asked)
  }

  #interaction(): Interaction {
    const { asked } = this.#open
    if (asked?.type !== "interaction") throw new ClientFault("the turn asks for nothing that could be filled in")
    return asked
  }
}

/** What is wrong with an answer, by the rules of the server. Of a kind that is not known here, nothing. */
export function problemsIn({ kind, spec }: Interaction, values: JsonValue) {
  if (!isKnown(kind)) return []
  const checked = readValues(kind, spec, values)
  return checked.kind === "wrong" ? checked.errors : []
}

function isKnown(kind: string): kind is InteractionKind {
  return interactionKinds.some((known) => known === kind)
}
