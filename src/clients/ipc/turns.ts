// The turns that this viewer asked for, and which of the agent's messages belong to them. The agent names no turn: one
// begins when its words come back, and what follows is its until it ends. Turns of others are nobody's here.
import type { AgentMessage, DisplayMessage } from "../../protocols/ipc/frames.ts"
import { IpcLost } from "./faults.ts"
import { OpenTurn } from "./open-turn.ts"

type Sync = Pick<Extract<AgentMessage, { type: "conversation_sync" }>, "is_busy" | "messages">

/** How long the message of a turn may lie behind its end. */
const messageMs = 2000

/** While a turn runs, words for the next one are acknowledged as queued. */
const acknowledgements: ReadonlySet<string> = new Set(["user_input", "queue_message"])

export class Turns {
  #open: OpenTurn[] = []
  #connection = 0
  /** Whoever is in plan mode shows the plan next. */
  #awaitsPlan = false

  open(said: string, messages: readonly DisplayMessage[]): OpenTurn {
    const turn = new OpenTurn(said, messages, this.#connection)
    this.#open.push(turn)
    const forget = () => {
      this.#open = this.#open.filter((other) => other !== turn)
    }
    turn.end.then(forget, forget)
    return turn
  }

  /** Some were asked for over a connection that is gone, and nobody knows whether the agent has heard them. */
  get hasDoubtful(): boolean {
    return this.#open.some(({ phase, connection }) => phase === "sent" && connection < this.#connection)
  }

  /** One of ours runs, or may have been refused: an error may be about it. */
  get mayHaveFailed(): boolean {
    return this.#running() !== undefined || this.#open.some(({ isSuspect }) => isSuspect)
  }

  reattached(): void {
    this.#connection += 1
    this.startAnew()
  }

  /** The next piece of text may be all that was said so far, again. */
  startAnew(): void {
    for (const turn of this.#open) turn.startAnew()
  }

  /** Everything was shown anew, but for the plan. */
  greeted(): void {
    this.startAnew()
    this.#awaitsPlan = this.#open.some(({ inPlan }) => inPlan)
  }

  hear(message: AgentMessage): void {
    if (this.#awaitsPlan) this.#planGone(message.type !== "plan_mode_sync")
    if (message.type === "conversation_sync") return this.#sync(message, false)
    if (message.type === "plan_mode_sync") return this.#sync(message, true)
    if (message.type === "message_added") return this.#message(message.message, false)
    if (message.type === "plan_mode_message_added") return this.#message(message.message, true)
    if (message.type === "plan_mode_exited") return this.#planGone(true)
    if (message.type === "status_update") this.#ended()?.settle() // its message would have come before this
    if (message.type === "ack" && acknowledgements.has(message.command)) return this.#unheard()?.acknowledge()
    const turn = this.#running() ?? (message.type === "error" ? this.#unheard() : undefined)
    turn?.hear(message)
    if (turn?.phase === "ended") this.#hasEnded(turn)
  }

  fail(fault: Error): void {
    for (const turn of this.#open) turn.lose(fault)
  }

  /** What ran in the plan has ended by then; how, nobody has seen. */
  #planGone(isGone: boolean): void {
    this.#awaitsPlan = false
    if (!isGone) return
    for (const turn of this.#open) if (turn.inPlan) turn.lose(new IpcLost("plan mode was left before its end was seen"))
  }

  #message(message: DisplayMessage, inPlan: boolean): void {
    if (message.role === "assistant") return (this.#ended() ?? this.#running())?.settle(message.content)
    if (message.role !== "user") return
    this.#ended()?.settle()
    const turn = this.#open.find((open) => open.phase === "sent" && open.isEcho(message))
    if (turn === undefined) return
    turn.connection = this.#connection
    turn.begin(inPlan)
  }

  /** What is true of each turn when the whole conversation that it belongs to is known. */
  #sync({ is_busy: isBusy, messages }: Sync, inPlan: boolean): void {
    for (const turn of this.#open.filter((open) => open.inPlan === inPlan)) {
      const isOld = turn.connection < this.#connection
      if (turn.isSuspect) turn.fail()
      if (turn.phase === "sent" && !isOld) continue // it was asked for after this was said
      const standing = turn.standingIn(messages)
      if (standing === "answered" || (!isBusy && turn.phase !== "sent")) turn.settleFrom(messages)
      else if (standing === "open") this.#goesOn(turn)
      else if (!isBusy) turn.lose(new IpcLost("the agent has not heard it: the connection was lost"))
    }
  }

  #goesOn(turn: OpenTurn): void {
    turn.connection = this.#connection
    if (turn.phase === "sent") turn.begin()
  }

  #hasEnded(turn: OpenTurn): void {
    const settle = () => turn.settle()
    const timer = setTimeout(settle, messageMs).unref()
    const forget = () => clearTimeout(timer)
    turn.end.then(forget, forget)
  }

  #running(): OpenTurn | undefined {
    return this.#open.find(({ phase }) => phase === "running")
  }

  #unheard(): OpenTurn | undefined {
    return this.#open.find(({ phase, isHeard }) => phase === "sent" && !isHeard)
  }

  #ended(): OpenTurn | undefined {
    return this.#open.find(({ phase }) => phase === "ended")
  }
}
