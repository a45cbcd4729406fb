// Follows one turn from a command line, wherever the session lives: prints it, asks the person about approvals, turns
// signals into an interrupt, and knows when it is over.
import type { Recorded } from "../../contract/events.ts"
import type { SessionHandle, WatchItem } from "../../contract/host-port.ts"
import type { PromptId, TurnId } from "../../contract/ids.ts"
import { describeRefusal } from "../../contract/describe-refusal.ts"
import { AppFault } from "../../app/app-fault.ts"
import { exitCodes } from "../../app/exit-codes.ts"
import { printNotice } from "../../app/terminal.ts"
import { ApprovalPrompt, type ApprovalPromptOptions } from "./approval-prompt.ts"
import { printJson } from "./print-json.ts"
import type { SessionView } from "./session-view.ts"
import { onSignals } from "../../app/signals.ts"
import { isRefusal, type TurnEnd } from "./turn-end.ts"
import { TurnPrinter } from "./turn-printer.ts"

/** How long a turn may be stalled by a log that cannot be written before the command ends. */
const STALLED_MS = 5000

export interface FollowOptions extends ApprovalPromptOptions {
  /** The prompt whose turn is followed; without one it is the open turn. */
  readonly promptId: PromptId | undefined
  readonly json: boolean
  /** Nobody else uses the session: whatever runs or asks in it is ours. */
  readonly alone: boolean
  /** Resolves when there is no terminal and no reader any more: from then on nothing is printed or asked. */
  readonly hungUp?: Promise<unknown>
}

export interface Following {
  readonly ended: Promise<TurnEnd>
  /** Stops following: another process finishes the turn. */
  handOver(): Promise<TurnEnd>
}

/** Comes back when everything that is stored was shown and what follows is heard. */
export async function followTurn(handle: SessionHandle, view: SessionView, options: FollowOptions): Promise<Following> {
  const followed = new FollowedTurn(handle, view, options)
  await followed.begin()
  return followed
}

class FollowedTurn implements Following {
  readonly ended: Promise<TurnEnd>
  readonly #handle: SessionHandle
  readonly #view: SessionView
  readonly #options: FollowOptions
  readonly #desk: ApprovalPrompt
  readonly #printer: TurnPrinter
  readonly #end = Promise.withResolvers<TurnEnd>()
  /** The turn that matters: the one that our prompt is delivered to, else the one that is open. */
  #turnId: TurnId | undefined
  #refusedCalls = 0
  #signal = 0
  #isHungUp = false
  #stalled: NodeJS.Timeout | undefined

  constructor(handle: SessionHandle, view: SessionView, options: FollowOptions) {
    this.#handle = handle
    this.#view = view
    this.#options = options
    this.#desk = new ApprovalPrompt(handle, view, options)
    this.#printer = new TurnPrinter(view)
    this.#turnId = options.promptId === undefined ? view.state.turn?.id : undefined
    this.ended = this.#end.promise
    this.ended.catch(() => {}) // it is heard later, unless something goes wrong before
  }

  async begin(): Promise<void> {
    const stopListening = onSignals((number) => this.#onSignal(number), ["SIGINT", "SIGTERM"])
    void this.#options.hungUp?.then(() => this.#hangUp())
    if (this.#waits() && this.#view.state.turn !== undefined)
      printNotice("another turn runs in this session; the prompt waits")
    for (const request of this.#view.requests) this.#desk.ask(request, this.#isOurs())
    const unwatch = await this.#handle.watch(this.#view.state.seq, (item) => this.#hear(item))
    const leave = () => {
      unwatch()
      stopListening()
      clearTimeout(this.#stalled)
      this.#desk.close()
      if (!this.#options.json && !this.#isHungUp) this.#printer.sum()
    }
    void this.ended.then(leave, leave)
  }

  handOver(): Promise<TurnEnd> {
    this.#over("handed over")
    return this.ended
  }

  #hear(item: WatchItem): void {
    if (item.kind === "lost") return this.#end.reject(new AppFault(describeRefusal(item.refusal), exitCodes.failed))
    if (item.kind === "delta" && item.delta.type === "turn.stalled" && this.#isOurs()) this.#onStalled(item.delta.what)
    if (item.kind === "event") this.#onProgress(item.recorded)
    if (!this.#isHungUp) this.#print(item)
    if (item.kind === "event") this.#onEvent(item.recorded)
  }

  #onProgress(recorded: Recorded): void {
    clearTimeout(this.#stalled)
    this.#view.take(recorded)
  }

  /** Results cannot be stored. If that does not pass, the turn stays in the log as it is. */
  #onStalled(what = "the disk refuses it"): void {
    const resume = `'turnhouse run --session ${this.#handle.sessionId}' continues the turn`
    const why = `The turn cannot go on because the log cannot be written: ${what}.`
    const fault = new AppFault(`${why} The prompt is stored. Fix the cause, then ${resume}.`, exitCodes.failed)
    this.#stalled = setTimeout(() => this.#end.reject(fault), STALLED_MS)
  }

  #print(item: WatchItem): void {
    if (this.#options.json) printJson(item)
    else if (!this.#waits()) this.#printer.show(item)
  }

  #hangUp(): void {
    this.#isHungUp = true
    this.#desk.close()
  }

  #onEvent({ event }: Recorded): void {
    switch (event.type) {
      case "prompt.promoted":
        if (event.promptId === this.#options.promptId) this.#turnId = event.turnId
        return
      case "prompt.withdrawn":
        return event.promptId === this.#options.promptId ? this.#withdrawn(event.reason) : undefined
      case "tool.refused":
        if (this.#isOurs() && isRefusal(event)) this.#refusedCalls += 1
        return
      case "approval.requested":
      case "child.asked": {
        const request = this.#view.request(event.approvalId)
        return request === undefined ? undefined : this.#desk.ask(request, this.#isOurs())
      }
      case "approval.decided":
      case "child.answered":
        return this.#desk.settle(event.approvalId)
      case "turn.parked":
        return event.until === undefined && event.waitsFor === undefined ? this.#over("parked") : undefined
      case "turn.ended":
        return event.turnId === this.#turnId || this.#signal > 0 ? this.#over(event.reason, event) : undefined
      case "session.hibernated":
        printNotice(`the session was put to rest; 'turnhouse resume ${this.#handle.sessionId}' wakes it`)
        return this.#over("parked")
      default:
        return // only shown
    }
  }

  #withdrawn(reason: string): void {
    if (this.#signal === 0) printNotice(`the prompt was withdrawn: ${reason}`)
    const isStopping = this.#signal > 0 && this.#options.alone && this.#view.state.turn !== undefined
    if (!isStopping) this.#over("interrupted")
  }

  #over(reason: TurnEnd["reason"], { code, finish }: Pick<TurnEnd, "code" | "finish"> = {}): void {
    this.#end.resolve({ reason, code, finish, refusedCalls: this.#refusedCalls, signal: this.#signal })
  }

  /** Our prompt waits behind a turn of somebody else, whose words are not the answer to it. */
  #waits(): boolean {
    const { promptId, alone } = this.#options
    return promptId !== undefined && !alone && this.#turnId === undefined
  }

  #isOurs(): boolean {
    return this.#options.alone || (this.#turnId !== undefined && this.#view.state.turn?.id === this.#turnId)
  }

  #onSignal(number: number): void {
    if (this.#signal > 0) process.exit(128 + number) // asked twice: the reaper cleans up behind us
    this.#signal = number
    void this.#interrupt(number)
  }

  /** When not even that can be stored, leaving is all that can be done: the session is found as it is. */
  async #interrupt(number: number): Promise<void> {
    const { promptId, alone } = this.#options
    const waits = promptId !== undefined && this.#turnId === undefined
    const isTakenBack = waits && (await this.#handle.send({ type: "withdraw", promptId })).kind === "accepted"
    if (isTakenBack && !alone) return // the turn that runs is somebody else's and not ours to stop
    const sent = await this.#handle.send({ type: "interrupt" })
    if (sent.kind === "accepted") return
    printNotice(`turnhouse: ${describeRefusal(sent.refusal)}`)
    process.exit(128 + number)
  }
}
