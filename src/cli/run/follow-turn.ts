// Follows one turn, wherever its session runs: prints it, asks for approvals, and turns signals into an interrupt.
import { setTimeout as setTimeoutOf } from "node:timers/promises"
import type { EventOf, Recorded } from "../../contract/events.ts"
import type { SessionHandle, WatchItem } from "../../contract/host-port.ts"
import type { PromptId, TurnId } from "../../contract/ids.ts"
import { describeRefusal } from "../../contract/text/describe-refusal.ts"
import { AppFault } from "../../app/app-fault.ts"
import { printNotice } from "../../app/terminal.ts"
import { ApprovalPrompt, type ApprovalPromptOptions } from "./approval-prompt.ts"
import { printJson } from "../log-lines.ts"
import type { OpenApproval } from "../../projection/open-requests.ts"
import type { SessionView } from "../../app/sessions/session-view.ts"
import { onSignals } from "../../app/signals.ts"
import { isRefusal, type TurnEnd } from "./turn-end.ts"
import { openOutput, type OpenedOutput } from "../print/open-output.ts"
import { requestText, turnEndText } from "./notices.ts"
import type { Notifier } from "../notifier.ts"
import { TurnPrinter } from "../print/turn-printer.ts"

/** How long the log may be unwritable before the command gives up. */
const STALLED_MS = 5000
/** How long the last line waits for the size of the context. */
const SHARE_MS = 1000

export interface FollowOptions extends ApprovalPromptOptions {
  /** The prompt whose turn is followed; absent for the open turn. */
  readonly promptId: PromptId | undefined
  readonly json: boolean
  /** This process runs the session: every turn and request in it is its own. */
  readonly ownsSession: boolean
  /** Calls the user back to the terminal. */
  readonly notifier?: Notifier | undefined
  /** How full the context window is, from 0 to 1, where that is known. */
  readonly contextShare?: () => Promise<number | undefined>
  /** Resolves when terminal and reader are gone: from then on nothing is printed or asked. */
  readonly hungUp?: Promise<unknown>
}

export interface Following {
  readonly ended: Promise<TurnEnd>
  /** Stops following: another process finishes the turn. */
  handOver(): Promise<TurnEnd>
}

/** Resolves when stored events are printed and live ones are watched. */
export async function followTurn(handle: SessionHandle, view: SessionView, options: FollowOptions): Promise<Following> {
  const opened = await openOutput({ notes: process.stderr, use: options.json ? "stored" : "live" })
  const followed = new FollowedTurn(handle, view, options, opened)
  await followed.start()
  return followed
}

class FollowedTurn implements Following {
  readonly ended: Promise<TurnEnd>
  readonly #handle: SessionHandle
  readonly #view: SessionView
  readonly #options: FollowOptions
  readonly #approvals: ApprovalPrompt
  readonly #printer: TurnPrinter
  readonly #end = Promise.withResolvers<TurnEnd>()
  /** The followed turn: the one with this command's prompt, else the open one. */
  #turnId: TurnId | undefined
  #refusedCalls = 0
  #signal = 0
  #isHungUp = false
  /** The turn before the prompt is parked, and the prompt is taken back. */
  #isParked = false
  #stalled: NodeJS.Timeout | undefined
  #contextShare: number | undefined

  constructor(handle: SessionHandle, view: SessionView, options: FollowOptions, { output, region }: OpenedOutput) {
    this.#handle = handle
    this.#view = view
    this.#options = options
    this.#approvals = new ApprovalPrompt(handle, view, options, region)
    this.#printer = new TurnPrinter(view, output)
    this.#turnId = options.promptId === undefined ? view.state.turn?.id : undefined
    this.ended = this.#end.promise
    this.ended.catch(() => {}) // handled later
  }

  async start(): Promise<void> {
    const stopListening = onSignals((number) => this.#onSignal(number), ["SIGINT", "SIGTERM"])
    void this.#options.hungUp?.then(() => this.#onHangUp())
    if (this.#isQueued() && this.#view.state.turn !== undefined)
      printNotice("another turn is running in this session; the prompt is queued")
    for (const request of this.#view.requests) this.#ask(request)
    const unwatch = await this.#handle.watch(this.#view.state.seq, (item) => this.#onItem(item))
    const leave = () => {
      unwatch()
      stopListening()
      clearTimeout(this.#stalled)
      this.#approvals.close()
      this.#options.notifier?.close()
      if (!this.#options.json && !this.#isHungUp) this.#printer.sum(this.#contextShare)
    }
    void this.ended.then(leave, leave)
  }

  handOver(): Promise<TurnEnd> {
    this.#finish("handed over")
    return this.ended
  }

  #onItem(item: WatchItem): void {
    if (item.kind === "lost") return this.#end.reject(new AppFault(describeRefusal(item.refusal)))
    if (item.kind === "delta" && item.delta.type === "turn.stalled" && this.#isOwnTurn())
      this.#onStalled(item.delta.what)
    if (item.kind === "event") this.#onProgress(item.recorded)
    if (!this.#isHungUp) this.#print(item)
    if (item.kind === "event") this.#onEvent(item.recorded)
  }

  #onProgress(recorded: Recorded): void {
    clearTimeout(this.#stalled)
    this.#view.take(recorded)
  }

  /** Results cannot be stored. If that lasts, the turn stays open in the log. */
  #onStalled(what = "write error"): void {
    const resume = `resume the turn with 'turnhouse run --session ${this.#handle.sessionId}'`
    const problem = `The turn cannot continue because the log cannot be written: ${what.replace(/\.$/, "")}.`
    const fault = new AppFault(`${problem} The prompt is stored. Fix the cause, then ${resume}.`)
    this.#stalled = setTimeout(() => this.#end.reject(fault), STALLED_MS)
  }

  #print(item: WatchItem): void {
    if (this.#options.json) printJson(item)
    else if (!this.#isQueued()) this.#printer.show(item)
  }

  #ask(request: OpenApproval): void {
    this.#options.notifier?.needed(request.approvalId, requestText(request))
    this.#approvals.ask(request, this.#isOwnTurn())
  }

  #onHangUp(): void {
    this.#isHungUp = true
    this.#approvals.close()
  }

  #onEvent({ event, at }: Recorded): void {
    switch (event.type) {
      case "prompt.promoted":
        if (event.promptId === this.#options.promptId) this.#turnId = event.turnId
        return
      case "prompt.withdrawn":
        return event.promptId === this.#options.promptId ? this.#withdrawn(event.reason) : undefined
      case "tool.refused":
        if (this.#isOwnTurn() && isRefusal(event)) this.#refusedCalls += 1
        return
      case "approval.requested":
      case "child.asked": {
        const request = this.#view.request(event.approvalId)
        return request === undefined ? undefined : this.#ask(request)
      }
      case "approval.decided":
      case "child.answered":
        this.#options.notifier?.settled(event.approvalId)
        return this.#approvals.settle(event.approvalId, { outcome: event.outcome, by: event.by, at })
      case "turn.parked":
        return event.until === undefined && event.waitsFor === undefined ? this.#onParked() : undefined
      case "turn.ended":
        return event.turnId === this.#turnId || this.#signal > 0 ? void this.#endTurn(event) : undefined
      case "session.hibernated":
        printNotice(`the session was suspended; resume it with 'turnhouse resume ${this.#handle.sessionId}'`)
        return this.#finish("parked")
      default:
        return // only shown
    }
  }

  /** A prompt behind the parked turn is taken back: it must not run unexpectedly when the turn is resumed. */
  #onParked(): void {
    const { promptId } = this.#options
    if (promptId === undefined || this.#turnId !== undefined) return this.#finish("parked")
    this.#isParked = true
    void this.#withdrawBehindParked(promptId)
  }

  async #withdrawBehindParked(promptId: PromptId): Promise<void> {
    const sent = await this.#handle.send({ type: "withdraw", promptId })
    if (sent.kind === "accepted") printNotice("turnhouse: the prompt was not sent: the turn before it is parked")
    this.#finish("parked")
  }

  #withdrawn(reason: string): void {
    if (this.#isParked) return
    if (this.#signal === 0) printNotice(`prompt withdrawn: ${reason}`)
    const isStopping = this.#signal > 0 && this.#options.ownsSession && this.#view.state.turn !== undefined
    if (!isStopping) this.#finish("interrupted")
  }

  async #endTurn(event: EventOf<"turn.ended">): Promise<void> {
    const { json, contextShare } = this.#options
    if (!json && !this.#isHungUp && contextShare !== undefined)
      this.#contextShare = await Promise.race([
        contextShare().catch(() => undefined), // the turn has ended; its host may be gone
        setTimeoutOf(SHARE_MS, undefined, { ref: false }),
      ])
    this.#options.notifier?.turnEnded(this.#printer.turnMs, turnEndText(event))
    this.#finish(event.reason, event)
  }

  #finish(reason: TurnEnd["reason"], { code, finish }: Pick<TurnEnd, "code" | "finish"> = {}): void {
    this.#end.resolve({ reason, code, finish, refusedCalls: this.#refusedCalls, signal: this.#signal })
  }

  /** Our prompt is queued behind another client's turn, whose text is not printed. */
  #isQueued(): boolean {
    const { promptId, ownsSession } = this.#options
    return promptId !== undefined && !ownsSession && this.#turnId === undefined
  }

  #isOwnTurn(): boolean {
    return this.#options.ownsSession || (this.#turnId !== undefined && this.#view.state.turn?.id === this.#turnId)
  }

  #onSignal(number: number): void {
    if (this.#signal > 0) process.exit(128 + number) // second signal: the reaper cleans up
    this.#signal = number
    void this.#interrupt(number)
  }

  /** If the interrupt cannot be stored either, the command exits and the session stays as it is. */
  async #interrupt(number: number): Promise<void> {
    const { promptId, ownsSession } = this.#options
    const waits = promptId !== undefined && this.#turnId === undefined
    const isWithdrawn = waits && (await this.#handle.send({ type: "withdraw", promptId })).kind === "accepted"
    if (isWithdrawn && !ownsSession) return // the running turn belongs to another client
    const sent = await this.#handle.send({ type: "interrupt" })
    if (sent.kind === "accepted") return
    printNotice(`turnhouse: ${describeRefusal(sent.refusal)}`)
    process.exit(128 + number)
  }
}
