// A turn from its command to its response. Its events end with `agent_end`; its outcome is known with the response, or
// with the error that refused it.
import type { AssistantEvent, ExtendedEvent, RpcEvent, TurnUsage } from "../../protocols/rpc/frames.ts"
import { TurnState } from "../base/turn.ts"
import type { Flow } from "./child/flow.ts"
import type { Response } from "./child/read-event.ts"

export type SubagentEvent = Extract<RpcEvent, { type: "subagent_start" | "subagent_update" | "subagent_done" }>

/** Text, tool calls, sub-agents and, from an extended child, approvals. */
export type TurnEvent = AssistantEvent | SubagentEvent | ExtendedEvent

export type TurnEnd =
  | { readonly kind: "completed"; readonly usage: TurnUsage }
  | { readonly kind: "cancelled"; readonly usage: TurnUsage }
  /** The model or the child failed during the turn. The child can continue. */
  | { readonly kind: "failed"; readonly reason: string; readonly usage: TurnUsage }
  /** No turn started, and the session is unchanged. `isBusy`: another turn is running. */
  | { readonly kind: "refused"; readonly reason: string; readonly isBusy: boolean }

const noUsage: TurnUsage = { input_tokens: 0, output_tokens: 0 }

export class OpenTurn extends TurnState<TurnEvent, TurnEnd> {
  readonly id: string
  readonly #flow: Flow
  #usage: TurnUsage | undefined
  #hasStarted = false
  #error: string | undefined
  #timeout: Error | undefined

  constructor(id: string, flow: Flow) {
    super(flow.createQueue())
    this.id = id
    this.#flow = flow
  }

  /** True until `agent_end`: events of the child belong to this turn. */
  get takesEvents(): boolean {
    return !this.isOver && this.#usage === undefined
  }

  get hasStarted(): boolean {
    return this.#hasStarted
  }

  addEvent(event: TurnEvent, weight: number): void {
    this.#hasStarted = true
    this.#flow.push(this.events, event, weight)
  }

  endEvents(usage: TurnUsage): void {
    this.#hasStarted = true
    this.#usage = usage
    if (this.#timeout === undefined) this.events.end()
  }

  /** An error with the turn's id: a refusal, or the start of a failure. */
  setError(reason: string): void {
    this.#error = reason
  }

  endWithResponse(response: Response): void {
    const usage = this.#usage ?? noUsage
    const error = this.#error ?? (response["ok"] === false ? reasonIn(response) : undefined)
    if (error !== undefined) return this.complete({ kind: "failed", reason: error, usage })
    this.complete({ kind: response["cancelled"] === true ? "cancelled" : "completed", usage })
  }

  /** No response will come. */
  endWithError(): void {
    const reason = this.#error ?? noReason
    if (this.#hasStarted) return this.complete({ kind: "failed", reason, usage: this.#usage ?? noUsage })
    this.complete({ kind: "refused", reason, isBusy: isBusyError(reason) })
  }

  /** However the turn ends on the wire, its reader gets this fault. */
  setTimedOut(fault: Error): void {
    this.#timeout ??= fault
  }

  override complete(end: TurnEnd): void {
    if (this.#timeout === undefined) super.complete(end)
    else super.fail(this.#timeout)
  }

  override fail(fault: Error): void {
    super.fail(this.#timeout ?? fault)
  }
}

const noReason = "no reason was given"

export function reasonIn(response: Response): string {
  return typeof response["error"] === "string" ? response["error"] : noReason
}

/** The text by which every child refuses a turn while another is running. */
export function isBusyError(reason: string): boolean {
  return reason.includes("abort first")
}
