// The open turns of this viewer, and which messages belong to them. The agent names no turn: one starts when its message
// appears in the conversation, and what follows belongs to it until it ends. Turns of other viewers are ignored.
import type { AgentMessage, DisplayMessage } from "../../../protocols/ipc/frames.ts"
import { IpcLost } from "../faults.ts"
import { OpenTurn } from "./open-turn.ts"

type Sync = Pick<Extract<AgentMessage, { type: "conversation_sync" }>, "is_busy" | "messages">

/** How long the message of a turn may arrive after its end. */
const MESSAGE_MS = 2000

/** A message sent while a turn runs is acknowledged as queued. */
const acknowledgements: ReadonlySet<string> = new Set(["user_input", "queue_message"])

export class OpenTurns {
  #open: OpenTurn[] = []
  #connection = 0
  /** An agent in plan mode sends the plan next. */
  #awaitsPlan = false

  add(sent: string, messages: readonly DisplayMessage[]): OpenTurn {
    const turn = new OpenTurn(sent, messages, this.#connection)
    this.#open.push(turn)
    void turn.over.then(() => this.#remove(turn))
    return turn
  }

  /** A message was sent over a lost connection, and its arrival is not known. */
  get hasUnconfirmed(): boolean {
    return this.#open.some(({ phase, connection }) => phase === "sent" && connection < this.#connection)
  }

  /** A turn runs or may have been refused: an error may be about it. */
  get mayHaveFailed(): boolean {
    return this.#inPhase("running") !== undefined || this.#open.some(({ mayBeRefused }) => mayBeRefused)
  }

  reattached(): void {
    this.#connection += 1
    this.#expectRepeat()
  }

  /** The agent sent its whole greeting; only the plan may follow. */
  greeted(): void {
    this.#expectRepeat()
    this.#awaitsPlan = this.#open.some(({ inPlan }) => inPlan)
  }

  receive(message: AgentMessage): void {
    if (this.#awaitsPlan) this.#handlePlan(message.type !== "plan_mode_sync")
    if (message.type === "conversation_sync") return this.#sync(message, false)
    if (message.type === "plan_mode_sync") return this.#sync(message, true)
    if (message.type === "message_added") return this.#addMessage(message.message, false)
    if (message.type === "plan_mode_message_added") return this.#addMessage(message.message, true)
    if (message.type === "plan_mode_exited") return this.#handlePlan(true)
    if (message.type === "status_update") this.#inPhase("ended")?.settle() // its message would have come before this
    if (message.type === "ack" && acknowledgements.has(message.command)) return this.#unacknowledged()?.acknowledge()
    const turn = this.#inPhase("running") ?? (message.type === "error" ? this.#unacknowledged() : undefined)
    turn?.receive(message)
    if (turn?.phase === "ended") this.#settleLater(turn)
  }

  fail(fault: Error): void {
    for (const turn of this.#open) turn.fail(fault)
  }

  #remove(turn: OpenTurn): void {
    this.#open = this.#open.filter((other) => other !== turn)
  }

  #expectRepeat(): void {
    for (const turn of this.#open) turn.expectRepeat()
  }

  /** A turn in a plan that no longer exists has ended; how is not known. */
  #handlePlan(hasEnded: boolean): void {
    this.#awaitsPlan = false
    if (!hasEnded) return
    for (const turn of this.#open) if (turn.inPlan) turn.fail(new IpcLost("the agent left plan mode during the turn"))
  }

  #addMessage(message: DisplayMessage, inPlan: boolean): void {
    const ended = this.#inPhase("ended")
    if (message.role === "assistant") return (ended ?? this.#inPhase("running"))?.settle(message.content)
    if (message.role !== "user") return
    ended?.settle()
    const turn = this.#open.find((open) => open.phase === "sent" && open.isEcho(message))
    if (turn === undefined) return
    turn.connection = this.#connection
    turn.start(inPlan)
  }

  /** Updates each turn from the whole conversation that it belongs to. */
  #sync({ is_busy: isBusy, messages }: Sync, inPlan: boolean): void {
    for (const turn of this.#open.filter((open) => open.inPlan === inPlan)) {
      const isOld = turn.connection < this.#connection
      if (turn.mayBeRefused) turn.settleAsFailed()
      if (turn.phase === "sent" && !isOld) continue // sent after the sync was written
      const found = turn.findIn(messages)
      if (found === "answered" || (!isBusy && turn.phase !== "sent")) turn.settleFrom(messages)
      else if (found === "open") this.#continue(turn)
      else if (!isBusy) turn.fail(new IpcLost("the connection was lost before the agent received the message"))
    }
  }

  #continue(turn: OpenTurn): void {
    turn.connection = this.#connection
    if (turn.phase === "sent") turn.start()
  }

  #settleLater(turn: OpenTurn): void {
    const timer = setTimeout(() => turn.settle(), MESSAGE_MS).unref()
    void turn.over.then(() => clearTimeout(timer))
  }

  #inPhase(phase: OpenTurn["phase"]): OpenTurn | undefined {
    return this.#open.find((turn) => turn.phase === phase)
  }

  #unacknowledged(): OpenTurn | undefined {
    return this.#open.find(({ phase, isAcknowledged }) => phase === "sent" && !isAcknowledged)
  }
}
