// The caller's view of a turn: events, text so far, pending card and result. It continues over lost connections, and
// its result can be awaited without reading the events.
import { interactionKinds, readValues } from "../../../contract/rules/interactions.ts"
import type { InteractionKind, JsonValue } from "../../../contract/values.ts"
import { TurnReader } from "../../base/turn.ts"
import type { FrameFields } from "../connection/connection.ts"
import type { Requests } from "../connection/requests.ts"
import { ClientFault, InteractionInvalid } from "../faults.ts"
import type { ConfirmOptions, RequestOptions } from "../options.ts"
import type { OpenTurn } from "./open-turn.ts"
import type { Confirmation, Interaction, TurnEvent, TurnResult } from "./turn-events.ts"

/** Iterating throws what `result` rejects with. */
export class Turn extends TurnReader<TurnEvent> {
  readonly #open: OpenTurn
  readonly #requests: Requests
  readonly #cancel: (turn: OpenTurn) => void

  constructor(open: OpenTurn, requests: Requests, cancel: (turn: OpenTurn) => void) {
    super(open.events, () => new ClientFault("the events of a turn can be read once"))
    this.#open = open
    this.#requests = requests
    this.#cancel = cancel
  }

  /** The server's id of the turn, on every connection. */
  get requestId(): string {
    return this.#open.requestId
  }

  /** All text so far, including text before tool calls. */
  get text(): string {
    return this.#open.text
  }

  /** The pending card. */
  get asked(): Confirmation | Interaction | undefined {
    return this.#open.openCard
  }

  get isOver(): boolean {
    return this.#open.isOver
  }

  /** Rejects with a `TurnFault` when there is no reply. */
  get result(): Promise<TurnResult> {
    return this.#open.result
  }

  /** Resolves when the turn is over, with `TurnCancelled` unless it ended first. */
  async cancel(): Promise<void> {
    this.#cancel(this.#open)
    await this.#open.over
  }

  /**
   * Answers the pending `confirmation`. The protocol has no id for it, so an answer to a confirmation that is no longer
   * pending is not sent.
   */
  async confirm(approved: boolean, { card: given, ...options }: ConfirmOptions = {}): Promise<void> {
    const card = given ?? this.asked
    await this.#requests.sendIf(() => this.asked === card, "confirm_tool_action", { approved }, options)
    this.#open.closeCard(card)
  }

  /** Answers the pending `interaction`. Invalid values are not sent; the fault lists all problems. */
  async answer(values: JsonValue, options: RequestOptions = {}): Promise<void> {
    const errors = problemsIn(this.#interaction(), values)
    if (errors.length > 0) throw new InteractionInvalid(errors)
    await this.#submit({ values }, options)
  }

  async decline(options: RequestOptions = {}): Promise<void> {
    await this.#submit({ declined: true }, options)
  }

  async #submit(answer: FrameFields, options: RequestOptions): Promise<void> {
    const card = this.#interaction()
    const { interactionId, kind } = card
    await this.#requests.send("submit_interaction", { interactionId, kind, ...answer }, options)
    this.#open.closeCard(card)
  }

  #interaction(): Interaction {
    const card = this.asked
    if (card?.type !== "interaction") throw new ClientFault("no card of this turn is pending")
    return card
  }
}

/** Checks values by the server's rules. Values of an unknown kind have no problems. */
export function problemsIn({ kind, spec }: Interaction, values: JsonValue) {
  if (!isKnown(kind)) return []
  const checked = readValues(kind, spec, values)
  return checked.kind === "wrong" ? checked.errors : []
}

function isKnown(kind: string): kind is InteractionKind {
  return interactionKinds.some((known) => known === kind)
}
