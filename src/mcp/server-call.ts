// One call of a tool at a server: what its session gives it, and its time.
import type {
  CreateMessageRequest,
  CreateMessageResult,
  ElicitRequest,
  ElicitResult,
  RequestOptions,
} from "@modelcontextprotocol/client"
import type { JsonObject } from "../contract/json-object.ts"
import { progressTo, type Progress, type ShowProgress } from "./call-progress.ts"
import { CallTimer } from "./call-timer.ts"

/** Who answers what the server asks while this call runs. */
export interface CallAsks {
  readonly sessionId: string
  elicit(params: ElicitRequest["params"], signal: AbortSignal): Promise<ElicitResult>
  sample(params: CreateMessageRequest["params"], signal: AbortSignal): Promise<CreateMessageResult>
}

export interface CallOptions {
  readonly signal: AbortSignal
  /** Of the tool that was approved: another one is not called. */
  readonly revision?: string
  readonly meta: JsonObject
  readonly asks: CallAsks
  readonly progress: ShowProgress
}

export interface BegunCall {
  readonly asks: CallAsks
  readonly limits: RequestOptions
  /** Stands still while the server waits for an answer. */
  readonly timer: CallTimer
}

/** The longest that the SDK can be told to wait: the time of a call has a timer of its own. */
const NO_TIMEOUT_MS = 2 ** 31 - 1

export function beginCall(timeoutMs: number, { asks, progress, signal }: CallOptions): BegunCall {
  const timer = new CallTimer(timeoutMs)
  const show = progressTo(progress)
  const onprogress = (at: Progress) => {
    timer.progressed()
    show(at)
  }
  return {
    asks,
    limits: { timeout: NO_TIMEOUT_MS, signal: AbortSignal.any([signal, timer.expired]), onprogress },
    timer,
  }
}
