// A turn of this viewer: sent, running when its message appears in the conversation, ended with `stream_end`, settled
// with the message that has its whole text. Some agents end a turn twice, and a failed one not at all.
import type { AgentMessage, DisplayMessage } from "../../../protocols/ipc/frames.ts"
import { EventQueue } from "../../base/event-queue.ts"
import { TurnState } from "../../base/turn.ts"
import { appendText } from "../state/messages.ts"
import { addCall, addProgress, addResult, type ToolCall } from "../state/tool-calls.ts"
import { holdsPlaceholder } from "../../../contract/text/placeholder.ts"

export type TurnEnd =
  | { readonly kind: "completed"; readonly text: string }
  | { readonly kind: "cancelled"; readonly text: string }
  | { readonly kind: "failed"; readonly text: string; readonly reason: string }

export type TurnPhase = "sent" | "running" | "ended" | "settled"

export class OpenTurn extends TurnState<string, TurnEnd> {
  /** The connection that last had a sign of it. */
  connection: number
  readonly #sent: string
  /** How often the conversation had the same message before. */
  readonly #echoesBefore: number
  readonly #onStart: (() => void)[] = []
  #phase: Exclude<TurnPhase, "settled"> = "sent"
  #calls: readonly ToolCall[] = []
  #text = ""
  #finishReason: string | undefined
  #error: string | undefined
  #mayRepeat = false
  #isAcknowledged = false
  #inPlan = false

  constructor(sent: string, messages: readonly DisplayMessage[], connection: number) {
    super(new EventQueue({ merge: appendText }))
    this.#sent = sent
    this.#echoesBefore = this.#echoesIn(messages).length
    this.connection = connection
  }

  get phase(): TurnPhase {
    return this.isOver ? "settled" : this.#phase
  }

  get calls(): readonly ToolCall[] {
    return this.#calls
  }

  get isAcknowledged(): boolean {
    return this.#isAcknowledged
  }

  get inPlan(): boolean {
    return this.#inPlan
  }

  /** An error arrived instead of the acknowledgement. */
  get mayBeRefused(): boolean {
    return this.phase === "sent" && !this.#isAcknowledged && this.#error !== undefined
  }

  acknowledge(): void {
    this.#isAcknowledged = true
    this.#error = undefined
  }

  /** Called when the turn runs; at once if it does already. */
  onStart(listener: () => void): void {
    if (this.phase === "sent") this.#onStart.push(listener)
    else if (this.phase === "running") listener()
  }

  isEcho(message: DisplayMessage): boolean {
    return message.role === "user" && isEcho(this.#sent, message.content)
  }

  /** Its message is in the main conversation, or in the plan. */
  start(inPlan = false): void {
    this.acknowledge()
    this.#inPlan = inPlan
    this.#phase = "running"
    for (const listener of this.#onStart.splice(0)) listener()
  }

  /** The next chunk may repeat the whole text so far. */
  expectRepeat(): void {
    this.#mayRepeat = true
  }

  receive(message: AgentMessage): void {
    const mayRepeat = this.#mayRepeat
    if (/^(plan_mode_stream|stream|tool)_/.test(message.type)) this.#mayRepeat = false
    switch (message.type) {
      case "stream_chunk":
      case "plan_mode_stream_chunk":
        return this.#addChunk(message.text, mayRepeat)
      case "tool_call_start":
        this.#calls = addCall(this.#calls, message)
        return
      case "tool_progress":
        this.#calls = addProgress(this.#calls, message)
        return
      case "tool_result":
        this.#calls = addResult(this.#calls, message)
        return
      case "error":
        this.#error = message.message
        return
      case "stream_end":
      case "plan_mode_stream_end":
        if (this.#phase === "running") this.#phase = "ended"
        this.#finishReason ??= message.finish_reason ?? undefined
        return
      default:
        return // not about a turn
    }
  }

  /** `text` is the whole text, or as much of it as there will be. */
  settle(text: string = this.#text): void {
    if (this.#finishReason === "error") return this.settleAsFailed(this.#error ?? "the agent gave no reason", text)
    this.complete({ kind: this.#finishReason === "cancelled" ? "cancelled" : "completed", text })
  }

  settleAsFailed(reason: string = this.#error ?? "the agent gave no reason", text: string = this.#text): void {
    this.complete({ kind: "failed", text, reason })
  }

  /** Where it is in a whole conversation. */
  findIn(messages: readonly DisplayMessage[]): "absent" | "open" | "answered" {
    const echoes = this.#echoesIn(messages)
    if (echoes.length === 0 || (this.phase === "sent" && echoes.length <= this.#echoesBefore)) return "absent"
    return this.#answerIn(messages) === undefined ? "open" : "answered"
  }

  /** The turn is over, and this is the whole conversation. */
  settleFrom(messages: readonly DisplayMessage[]): void {
    const answer = this.#answerIn(messages)
    if (this.phase === "ended" || (answer !== undefined && this.#error === undefined)) return this.settle(answer)
    this.settleAsFailed(this.#error ?? "it ended without an answer while the connection was lost", answer)
  }

  #addChunk(text: string, mayRepeat: boolean): void {
    if (mayRepeat && this.#text !== "" && text.startsWith(this.#text))
      return this.#addText(text.slice(this.#text.length))
    if (mayRepeat && this.#text.startsWith(text)) this.#text = text // the agent lost the end of it
    else this.#addText(text)
  }

  #addText(text: string): void {
    this.#text = appendText(this.#text, text)
    if (text !== "") this.events.push(text)
  }

  #answerIn(messages: readonly DisplayMessage[]): string | undefined {
    const index = this.#echoesIn(messages).at(-1) ?? messages.length
    return messages.slice(index + 1).find(({ role }) => role === "assistant")?.content
  }

  #echoesIn(messages: readonly DisplayMessage[]): readonly number[] {
    return messages.flatMap((message, index) => (this.isEcho(message) ? [index] : []))
  }
}

/** The only way to recognise an own turn in this protocol. Agents may append the named files, and Turnhouse replaces
 *  secrets by placeholders. */
function isEcho(sent: string, content: string): boolean {
  const sentText = sent.toWellFormed().trim()
  const receivedText = content.trim()
  if (sentText !== "" && receivedText.startsWith(sentText))
    return receivedText.length === sentText.length || /\s/.test(receivedText[sentText.length] ?? "")
  return sentText === receivedText || isRedacted(sentText, receivedText)
}

function isRedacted(sent: string, content: string): boolean {
  if (!holdsPlaceholder(content)) return false
  const [first = "", ...pieces] = content.split(/‹redacted:[^›]*›/)
  if (!sent.startsWith(first)) return false
  let from = first.length
  for (const piece of pieces) {
    const at = sent.indexOf(piece, from)
    if (at === -1) return false
    from = at + piece.length
  }
  return true
}
