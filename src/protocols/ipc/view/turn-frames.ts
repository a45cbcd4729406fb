// The turn that is open, as viewers are told of it: its words piece by piece, its calls and their results, and what the
// status line says meanwhile. How the turn began and how it ends is not its business.
import type { SessionDelta } from "../../../contract/deltas.ts"
import type { EventOf, Recorded } from "../../../contract/events.ts"
import type { WatchItem } from "../../../contract/host-port.ts"
import type { OpenTurn } from "./turn-items.ts"
import type { AgentMessage } from "../frames.ts"
import type { Pace } from "./throttle.ts"
import type { StatusLine } from "./status-line.ts"
import { statusWords } from "./status-text.ts"
import { ToldCalls } from "./tool-frames.ts"
import { TurnText } from "./turn-text.ts"

const progressEveryMs = 250
const nothing: readonly AgentMessage[] = []

export class ToldTurn {
  readonly calls: ToldCalls
  /** The model of its steps; a selection counts from the next turn on. */
  model: string | undefined
  /** Where its last step began. */
  lastStep: Pick<Recorded, "seq" | "at">
  readonly #text: TurnText
  readonly #line: StatusLine
  readonly #pace: Pace
  /** What the status line says while the model answers. */
  readonly #atWork: string
  #isThinking = false

  constructor(line: StatusLine, pace: Pace, began: ToldTurn["lastStep"], atWork: string, open?: OpenTurn) {
    this.#line = line
    this.#atWork = atWork
    this.#pace = pace
    this.lastStep = open?.step ?? began
    this.#text = new TurnText(open?.text, open?.step?.stepId, open?.step?.cutOff)
    this.calls = new ToldCalls(open?.calls.map(({ callId, tool, input }) => [callId, { tool, input }] as const))
  }

  /** All that was told of its words. */
  get said(): string {
    return this.#text.said
  }

  delta(delta: SessionDelta, now: number): readonly AgentMessage[] {
    switch (delta.type) {
      case "text.delta":
        return this.#spoke(this.#text.piece(delta.stepId, delta.block, delta.delta))
      case "reasoning.delta":
        if (this.#isThinking) return nothing
        this.#isThinking = true
        return this.#line.say(statusWords.thinking)
      case "tool.progressed":
        return this.#progressed(delta, now)
      case "voting.progressed":
        return [{ type: "tool_progress", name: "mdap", message: delta.message, progress: share(delta.fraction) }]
      default:
        return nothing // this wire has no place for it
    }
  }

  /** Nothing at all for what is not its own. `corrected` is asked when viewers were told more than is true. */
  tell({ event, seq, at }: Recorded, corrected: () => readonly AgentMessage[]): readonly AgentMessage[] | undefined {
    switch (event.type) {
      case "step.started":
        this.model = event.model
        this.lastStep = { seq, at }
        this.#text.stepStarted(event.stepId, event.continues !== undefined)
        return nothing
      case "text.ended": {
        const rest = this.#text.ended(event.stepId, event.block, event.text, event.interrupted === true)
        return rest === undefined ? corrected() : this.#spoke(rest)
      }
      case "tool.called":
        this.#isThinking = false
        return [this.calls.called(event), this.#line.announce(statusWords.executing(event.tool))]
      case "tool.modified":
        this.calls.modified(event)
        return nothing
      case "tool.refused":
      case "tool.ended":
      case "tool.unsettled":
        return this.#settled(event)
      default:
        return undefined
    }
  }

  streamed({ stepId, blocks }: Extract<WatchItem, { kind: "streamed" }>): readonly AgentMessage[] {
    return this.#spoke(this.#text.soFar(stepId, blocks))
  }

  #spoke(text: string): readonly AgentMessage[] {
    if (text === "") return nothing
    const chunk = { type: "stream_chunk", text } as const
    if (!this.#isThinking) return [chunk]
    this.#isThinking = false
    return [...this.#line.say(this.#atWork), chunk]
  }

  #settled(event: EventOf<"tool.refused" | "tool.ended" | "tool.unsettled">): readonly AgentMessage[] {
    const tool = this.calls.find(event.callId)?.tool
    const result = this.calls.settled(event)
    if (result === undefined || tool === undefined) return nothing
    this.#pace.forget(`progress ${tool}`)
    if (event.type === "tool.ended" && event.outcome === "cancelled") return [result] // the turn is about to end
    const { executing } = this.calls
    return [
      result,
      ...this.#line.say(executing === undefined ? statusWords.toolResult : statusWords.executing(executing)),
    ]
  }

  #progressed(delta: Extract<SessionDelta, { type: "tool.progressed" }>, now: number): readonly AgentMessage[] {
    const name = this.calls.find(delta.callId)?.tool
    if (name === undefined) return nothing
    const { message, fraction } = delta
    const progress = fraction === undefined ? null : share(fraction)
    const frame = () => ({ type: "tool_progress", name, message, progress }) as const
    return this.#pace.offer(`progress ${name}`, progressEveryMs, now, frame)
  }
}

function share(fraction: number): number {
  return Math.min(1, Math.max(0, fraction))
}
