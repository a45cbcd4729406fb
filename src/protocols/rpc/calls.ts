// Tool calls of a turn: start, deltas of the input, the input, the result, in this order for each call. Results wait
// until the model has finished its step, so that every input of a step is sent before the first result.
import type { CallId } from "../../contract/ids.ts"
import type { JsonValue } from "../../contract/values.ts"
import { sendDelta, sendUpdate, type FrameSink } from "./codec.ts"

export interface SentCall {
  readonly tool: string
  /** What will run. */
  input: JsonValue | undefined
  /** The deltas of the input that were sent. */
  sentInput: string
}

export class Calls {
  readonly #sink: FrameSink
  /** Calls without a result. */
  readonly #open = new Map<CallId, SentCall>()
  #heldResults: { readonly callId: CallId; readonly result: string }[] = []
  #isStreaming = false
  #missesDeltas = false

  constructor(sink: FrameSink) {
    this.#sink = sink
  }

  find(callId: CallId): SentCall | undefined {
    return this.#open.get(callId)
  }

  stepStarted(): void {
    this.#isStreaming = true
    this.#missesDeltas = false
  }

  /** Deltas may have been left out here. */
  gap(): void {
    this.#missesDeltas = true
  }

  inputDelta(callId: CallId, tool: string, delta: string): void {
    const call = this.#start(callId, tool)
    if (delta === "") return
    call.sentInput += delta
    sendDelta(this.#sink, { type: "toolcall_input_delta", tool_id: callId, delta })
  }

  called(callId: CallId, tool: string, input: JsonValue): void {
    const call = this.#start(callId, tool)
    const rest = this.#missesDeltas ? missingInput(call.sentInput, input) : ""
    if (rest !== "") sendDelta(this.#sink, { type: "toolcall_input_delta", tool_id: callId, delta: rest })
    call.input = input
    call.sentInput = ""
    sendUpdate(this.#sink, { type: "toolcall_input", tool_id: callId, input })
  }

  /** A hook changed the input. The wire has no frame for it: the input was already sent. */
  modified(callId: CallId, input: JsonValue): void {
    const call = this.#open.get(callId)
    if (call !== undefined) call.input = input
  }

  settled(callId: CallId, result: string): void {
    if (this.#isStreaming) this.#heldResults.push({ callId, result })
    else this.#sendResult(callId, result)
  }

  stepAnswered(): void {
    this.#isStreaming = false
    for (const { callId, result } of this.#heldResults) this.#sendResult(callId, result)
    this.#heldResults = []
  }

  /** Closes every call: a parent waits for the result of each call that was started. */
  turnEnded(): void {
    this.stepAnswered()
    for (const callId of this.#open.keys()) this.#sendResult(callId, "Cancelled before its input was complete.")
  }

  #start(callId: CallId, tool: string): SentCall {
    const known = this.#open.get(callId)
    if (known !== undefined) return known
    const call = { tool, input: undefined, sentInput: "" }
    this.#open.set(callId, call)
    sendUpdate(this.#sink, { type: "toolcall_start", tool_id: callId, tool_name: tool })
    return call
  }

  #sendResult(callId: CallId, result: string): void {
    if (!this.#open.delete(callId)) return
    sendUpdate(this.#sink, { type: "toolcall_result", tool_id: callId, result })
  }
}

/** Deltas are the JSON as the model writes it; where that is not how we write it, the missing end is not known. */
function missingInput(sent: string, input: JsonValue): string {
  const whole = JSON.stringify(input)
  return sent !== "" && sent.length < whole.length && whole.startsWith(sent) ? whole.slice(sent.length) : ""
}
