// A turn as the wire shows it, from the command that asks for it to the response that closes it. Its events end with
// `agent_end`; how it ended is known with its response, or with the error that refused it.
import type { AssistantEvent, ExtendedEvent, RpcEvent, TurnUsage } from "../../protocols/rpc/frames.ts"
import { EventQueue } from "./event-queue.ts"
import type { Flow } from "./flow.ts"
import { reasonIn, type Response } from "./pending-answers.ts"

export type SubagentEvent = Extract<RpcEvent, { type: "subagent_start" | "subagent_update" | "subagent_done" }>

/** What happens in a turn: words, tool calls, sub-agents and, from an extended child, approvals. */
export type TurnEvent = AssistantEvent | SubagentEvent | ExtendedEvent

export type TurnEnd =
  | { readonly kind: "completed"; readonly usage: TurnUsage }
  | { readonly kind: "cancelled"; readonly usage: TurnUsage }
  /** The model or the child failed in the middle of it. The child can go on. */
  | { readonly kind: "failed"; readonly reason: string; readonly usage: TurnUsage }
  /** There was no turn, and the session is as before. `isBusy`: another one is running. */
  | { readonly kind: "refused"; readonly reason: string; readonly isBusy: boolean }

const nothingUsed: TurnUsage = { input_tokens: 0, output_tokens: 0 }

export class OpenTurn {
  readonly id: string
  readonly events: EventQueue<TurnEvent>
  readonly #end = Promise.withResolvers<TurnEnd>()
  #usage: TurnUsage | undefined
  #hasBegun = false
  #isSettled = false
  #error: string | undefined
  #overruled: Error | undefined

  constructor(id: string, flow: Flow) {
    this.id = id
    this.events = new EventQueue(flow)
    this.#end.promise.catch(() => {}) // whoever asks how it ended is told
  }

  get end(): Promise<TurnEnd> {
    return this.#end.promise
  }

  /** True until its `agent_end`: what the child tells belongs to it. */
  get takesEvents(): boolean {
    return !this.#isSettled && this.#usage === undefined
  }

  get hasBegun(): boolean {
    return this.#hasBegun
  }

  get isSettled(): boolean {
    return this.#isSettled
  }

  take(event: TurnEvent, weight: number): void {
    this.#hasBegun = true
    this.events.push(event, weight)
  }

  agentEnded(usage: TurnUsage): void {
    this.#hasBegun = true
    this.#usage = usage
    if (this.#overruled === undefined) this.events.end()
  }

  /** An error with its id: the refusal of a turn, or the first word of one that fails. */
  erred(reason: string): void {
    this.#error = reason
  }

  answered(response: Response): void {
    const usage = this.#usage ?? nothingUsed
    const error = this.#error ?? (response["ok"] === false ? reasonIn(response) : undefined)
    if (error !== undefined) return this.#settle({ kind: "failed", reason: error, usage })
    this.#settle({ kind: response["cancelled"] === true ? "cancelled" : "completed", usage })
  }

  /** No response will come. */
  erredForGood(): void {
    const reason = this.#error ?? "no reason was given"
    if (this.#hasBegun) return this.#settle({ kind: "failed", reason, usage: this.#usage ?? nothingUsed })
    this.#settle({ kind: "refused", reason, isBusy: saysBusy(reason) })
  }

  /** However it ends on the wire, whoever waits for it gets this fault. */
  overrule(fault: Error): void {
    this.#overruled ??= fault
  }

  fail(fault: Error): void {
    if (this.#isSettled) return
    this.#isSettled = true
    const told = this.#overruled ?? fault
    this.events.fail(told)
    this.#end.reject(told)
  }

  #settle(end: TurnEnd): void {
    if (this.#isSettled) return
    if (this.#overruled !== undefined) return this.fail(this.#overruled)
    this.#isSettled = true
    this.events.end()
    this.#end.resolve(end)
  }
}

/** The words by which every child refuses a turn while another is running. */
export function saysBusy(reason: string): boolean {
  return reason.includes("abort first")
}
