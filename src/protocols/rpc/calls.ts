// The tool calls of a turn: start, pieces of the input, the input, the result, in this order for each call. Results
// wait until the model has finished its step, so that every input of a step stands before the first result.
import type { CallId } from "../../contract/ids.ts"
import type { JsonValue } from "../../contract/values.ts"
import { tellPiece, update, type FrameSink } from "./sink.ts"

export interface ToldCall {
  readonly tool: string
  /** What runs, or is to run. */
  input: JsonValue | undefined
  /** Pieces of the input that were told. */
  pieces: string
}

export class ToldCalls {
  readonly #sink: FrameSink
  /** Without a result as yet. */
  readonly #open = new Map<CallId, ToldCall>()
  #heldResults: { readonly callId: CallId; readonly result: string }[] = []
  #modelSpeaks = false
  #piecesMissing = false

  constructor(sink: FrameSink) {
    this.#sink = sink
  }

  find(callId: CallId): ToldCall | undefined {
    return this.#open.get(callId)
  }

  stepStarted(): void {
    this.#modelSpeaks = true
    this.#piecesMissing = false
  }

  /** Pieces may have been left out here. */
  gap(): void {
    this.#piecesMissing = true
  }

  piece(callId: CallId, tool: string, delta: string): void {
    const call = this.#start(callId, tool)
    if (delta === "") return
    call.pieces += delta
    tellPiece(this.#sink, { type: "toolcall_input_delta", tool_id: callId, delta })
  }

  called(callId: CallId, tool: string, input: JsonValue): void {
    const call = this.#start(callId, tool)
    const rest = this.#piecesMissing ? missingPieces(call.pieces, input) : ""
    if (rest !== "") tellPiece(this.#sink, { type: "toolcall_input_delta", tool_id: callId, delta: rest })
    call.input = input
    call.pieces = ""
    update(this.#sink, { type: "toolcall_input", tool_id: callId, input })
  }

  /** What runs is not what the model wrote; the wire has said the input already. */
  modified(callId: CallId, input: JsonValue): void {
    const call = this.#open.get(callId)
    if (call !== undefined) call.input = input
  }

  settled(callId: CallId, result: string): void {
    if (this.#modelSpeaks) this.#heldResults.push({ callId, result })
    else this.#tellResult(callId, result)
  }

  stepAnswered(): void {
    this.#modelSpeaks = false
    for (const { callId, result } of this.#heldResults) this.#tellResult(callId, result)
    this.#heldResults = []
  }

  /** What was begun is closed: nobody waits for ever for the result of a call that never became one. */
  turnEnded(): void {
    this.stepAnswered()
    for (const callId of this.#open.keys()) this.#tellResult(callId, "Cancelled before its input was complete.")
  }

  #start(callId: CallId, tool: string): ToldCall {
    const known = this.#open.get(callId)
    if (known !== undefined) return known
    const call = { tool, input: undefined, pieces: "" }
    this.#open.set(callId, call)
    update(this.#sink, { type: "toolcall_start", tool_id: callId, tool_name: tool })
    return call
  }

  #tellResult(callId: CallId, result: string): void {
    if (!this.#open.delete(callId)) return
    update(this.#sink, { type: "toolcall_result", tool_id: callId, result })
  }
}

/** The pieces are the model's own spelling; where that is not the usual one, the end of it is not known. */
function missingPieces(told: string, input: JsonValue): string {
  const whole = JSON.stringify(input)
  return told !== "" && told.length < whole.length && whole.startsWith(told) ? whole.slice(told.length) : ""
}
