// A turn as this wire shows it: it is sent, it runs when its words come back, it has ended with `stream_end`, and it is
// settled with the message that holds all it said. Some agents end a turn twice, and a failed one not at all.
import type { AgentMessage, DisplayMessage } from "../../protocols/ipc/frames.ts"
import { began, ended, progressed, type ToolCall } from "./calls.ts"
import { Chunks, longestText } from "./chunks.ts"
import { isEcho } from "./echo.ts"

export type TurnEnd =
  | { readonly kind: "completed"; readonly text: string }
  | { readonly kind: "cancelled"; readonly text: string }
  | { readonly kind: "failed"; readonly text: string; readonly reason: string }

export type TurnPhase = "sent" | "running" | "ended" | "settled"

export class OpenTurn {
  readonly chunks = new Chunks()
  /** The connection it was last seen on. */
  connection: number
  readonly #said: string
  /** How often the conversation had the same words before. */
  readonly #before: number
  readonly #end = Promise.withResolvers<TurnEnd>()
  readonly #onStart: (() => void)[] = []
  #phase: TurnPhase = "sent"
  #calls: readonly ToolCall[] = []
  #text = ""
  #finish: string | undefined
  #error: string | undefined
  #startsAnew = false
  #isHeard = false
  #inPlan = false

  constructor(said: string, messages: readonly DisplayMessage[], connection: number) {
    this.#said = said
    this.#before = this.#echoesIn(messages).length
    this.connection = connection
    this.#end.promise.catch(() => {}) // whoever asks how it ended is told
  }

  get end(): Promise<TurnEnd> {
    return this.#end.promise
  }

  get phase(): TurnPhase {
    return this.#phase
  }

  get calls(): readonly ToolCall[] {
    return this.#calls
  }

  /** The agent has said that it was taken. */
  get isHeard(): boolean {
    return this.#isHeard
  }

  get inPlan(): boolean {
    return this.#inPlan
  }

  /** There was an error where its acknowledgement should be. */
  get isSuspect(): boolean {
    return this.#phase === "sent" && !this.#isHeard && this.#error !== undefined
  }

  acknowledge(): void {
    this.#isHeard = true
    this.#error = undefined
  }

  /** Called when it runs; at once when it does already. */
  onStart(listener: () => void): void {
    if (this.#phase === "sent") this.#onStart.push(listener)
    else if (this.#phase === "running") listener()
  }

  isEcho(message: DisplayMessage): boolean {
    return message.role === "user" && isEcho(this.#said, message.content)
  }

  /** Its words stand in the main conversation, or in the plan. */
  begin(inPlan = false): void {
    this.acknowledge()
    this.#inPlan = inPlan
    this.#phase = "running"
    for (const listener of this.#onStart.splice(0)) listener()
  }

  /** The next piece may be all that was said so far, again. */
  startAnew(): void {
    this.#startsAnew = true
  }

  hear(message: AgentMessage): void {
    const startsAnew = this.#startsAnew
    if (/^(plan_mode_stream|stream|tool)_/.test(message.type)) this.#startsAnew = false
    switch (message.type) {
      case "stream_chunk":
      case "plan_mode_stream_chunk":
        return this.#chunk(message.text, startsAnew)
      case "tool_call_start":
        this.#calls = began(this.#calls, message)
        return
      case "tool_progress":
        this.#calls = progressed(this.#calls, message)
        return
      case "tool_result":
        this.#calls = ended(this.#calls, message)
        return
      case "error":
        this.#error = message.message
        return
      case "stream_end":
      case "plan_mode_stream_end":
        if (this.#phase === "running") this.#phase = "ended"
        this.#finish ??= message.finish_reason ?? undefined
        return
      default:
        return // not about a turn
    }
  }

  /** The whole text is known, or as much of it as there will be. */
  settle(text: string = this.#text): void {
    if (this.#finish === "error") return this.fail(this.#error ?? "the agent gave no reason", text)
    this.#settle({ kind: this.#finish === "cancelled" ? "cancelled" : "completed", text })
  }

  fail(reason: string = this.#error ?? "the agent does not say why", text: string = this.#text): void {
    this.#settle({ kind: "failed", text, reason })
  }

  lose(fault: Error): void {
    if (this.#phase === "settled") return
    this.#phase = "settled"
    this.chunks.end(fault)
    this.#end.reject(fault)
  }

  /** Where it is in a whole conversation. */
  standingIn(messages: readonly DisplayMessage[]): "absent" | "open" | "answered" {
    const echoes = this.#echoesIn(messages)
    if (echoes.length === 0 || (this.#phase === "sent" && echoes.length <= this.#before)) return "absent"
    return this.#answerIn(messages) === undefined ? "open" : "answered"
  }

  /** It is over, and this is the whole conversation. */
  settleFrom(messages: readonly DisplayMessage[]): void {
    const answer = this.#answerIn(messages)
    if (this.#phase === "ended" || (answer !== undefined && this.#error === undefined)) return this.settle(answer)
    this.fail(this.#error ?? "it ended while nobody watched, without an answer", answer)
  }

  #chunk(text: string, startsAnew: boolean): void {
    if (startsAnew && this.#text !== "" && text.startsWith(this.#text)) return this.#say(text.slice(this.#text.length))
    if (startsAnew && this.#text.startsWith(text)) this.#text = text // the agent lost the end of it
    else this.#say(text)
  }

  #say(text: string): void {
    this.#text = (this.#text + text).slice(-longestText)
    this.chunks.push(text)
  }

  #settle(end: TurnEnd): void {
    if (this.#phase === "settled") return
    this.#phase = "settled"
    this.chunks.end()
    this.#end.resolve(end)
  }

  #answerIn(messages: readonly DisplayMessage[]): string | undefined {
    const at = this.#echoesIn(messages).at(-1) ?? messages.length
    return messages.slice(at + 1).find(({ role }) => role === "assistant")?.content
  }

  #echoesIn(messages: readonly DisplayMessage[]): readonly number[] {
    return messages.flatMap((message, index) => (this.isEcho(message) ? [index] : []))
  }
}
