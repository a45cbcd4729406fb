// The tool calls of an answer while it streams. Bounded: calls above the limit are counted, and the first of them tells
// the model so; nothing of the others is kept.
import type { LanguageModelV4ToolCall } from "@ai-sdk/provider"
import type { SessionDelta } from "../../contract/deltas.ts"
import type { CallId, StepId } from "../../contract/ids.ts"
import { parseJson } from "../../contract/json-object.ts"
import { limits } from "../../contract/limits.ts"
import type { JsonValue } from "../../contract/values.ts"
import type { CalledPart } from "../../session/report.ts"
import type { Scrubber } from "../session-context.ts"
import { invalidJson, tooLargeInput } from "./bad-input.ts"

/** Characters of a tool's name. A longer one fits no tool; it is cut, since every delta of the call repeats it. */
const MAX_NAME_LENGTH = 200

export interface PendingCall {
  readonly kind: "call"
  readonly callId: CallId
  readonly tool: string
  readonly scrubbing: ReturnType<Scrubber["stream"]>
  inputText: string | undefined
  providerMetadata: JsonValue | undefined
}

export interface LiveCallsOptions {
  readonly scrubber: Scrubber
  readonly newId: () => string
  readonly publish: (delta: SessionDelta) => void
  /** Our name for the tool that the model names. */
  readonly toolName?: (name: string) => string
}

export class LiveCalls {
  readonly #stepId: StepId
  readonly #options: LiveCallsOptions
  readonly #began: (call: PendingCall) => void
  /** By the provider's id; the newest where it gave one id to several calls. */
  readonly #calls = new Map<string, PendingCall>()
  #count = 0
  #firstExcess: PendingCall | undefined
  readonly #excessIds = new Set<string>()
  isHeld = false

  constructor(stepId: StepId, options: LiveCallsOptions, began: (call: PendingCall) => void) {
    this.#stepId = stepId
    this.#options = options
    this.#began = began
  }

  /** The open call with this id, or a new one. */
  start(id: string, name: string): PendingCall | undefined {
    const known = this.#calls.get(id)
    if (known !== undefined && known.inputText === undefined) return known
    if (this.#count >= limits.callsPerAnswer) return this.#addExcess(id, name)
    this.#count += 1
    const call = this.#begin(name)
    this.#calls.set(id, call)
    return call
  }

  inputDelta(id: string, piece: string): void {
    const call = this.#calls.get(id)
    const delta = call?.scrubbing.push(piece) ?? ""
    if (call === undefined || call.inputText !== undefined || delta === "") return
    this.#publish(call, delta)
  }

  end({ toolCallId, toolName, input, providerMetadata }: LanguageModelV4ToolCall): void {
    const known = this.#calls.get(toolCallId)
    if (known?.inputText === input) return // sent twice
    const call = this.start(toolCallId, toolName)
    if (call === undefined) return
    call.inputText = input
    call.providerMetadata = providerMetadata
  }

  /** A call with an incomplete input counts only where the length limit cut it off, so that the model learns of it. */
  part(call: PendingCall, isCutOff: boolean): readonly CalledPart[] {
    if (call !== this.#firstExcess) return calledPart(call, isCutOff, this.#options.scrubber)
    const problem = tooManyCalls(limits.callsPerAnswer + this.#excessIds.size)
    return [{ kind: "call", callId: call.callId, tool: call.tool, input: {}, problem }]
  }

  #addExcess(id: string, name: string): undefined {
    this.#excessIds.add(id)
    this.#firstExcess ??= this.#begin(name)
  }

  #begin(name: string): PendingCall {
    const { newId, scrubber, toolName = (given) => given } = this.#options
    const tool = toolName(name.slice(0, MAX_NAME_LENGTH).toWellFormed())
    const begun = { inputText: undefined, providerMetadata: undefined }
    const call: PendingCall = { kind: "call", callId: `cal_${newId()}`, tool, scrubbing: scrubber.stream(), ...begun }
    this.#began(call)
    this.#publish(call, "")
    return call
  }

  /** Anything that a model writes may hold a secret, the name of a tool included. */
  #publish({ callId, tool }: PendingCall, delta: string): void {
    if (this.isHeld) return
    const { publish, scrubber } = this.#options
    publish({ type: "tool-input.delta", stepId: this.#stepId, callId, tool: scrubber.text(tool), delta })
  }
}

function calledPart(call: PendingCall, isCutOff: boolean, scrubber: Scrubber): readonly CalledPart[] {
  const { callId, tool, inputText, providerMetadata } = call
  if (inputText === undefined)
    return isCutOff ? [{ kind: "call", callId, tool, input: {}, problem: cutOffProblem }] : []
  const named = { kind: "call", callId, tool } as const
  if (inputText.length > limits.toolInputLength)
    return [{ ...named, ...tooLargeInput(scrubber.text(inputText), inputText.length) }]
  try {
    const input = parseJson(inputText === "" ? "{}" : inputText)
    return [{ ...named, input, providerMetadata }]
  } catch {
    const bad = invalidJson(scrubber.text(inputText))
    return [{ ...named, ...bad, ...(isCutOff ? { problem: cutOffProblem } : {}) }]
  }
}

function tooManyCalls(count: number): string {
  return `Your answer has ${count} calls; at most ${limits.callsPerAnswer} run. This call and those after it did not run. Send those that are still needed in your next answers.`
}

const cutOffProblem =
  "The call did not run: your answer reached the limit of output tokens before its arguments were complete. Send it again with shorter arguments, or divide the work into several calls."
