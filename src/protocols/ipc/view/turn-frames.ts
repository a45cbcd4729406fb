// Frames of the open turn: its text, its tool calls, and the status line meanwhile. How a turn begins and ends is up to
// the conversation.
import type { SessionDelta } from "../../../contract/deltas.ts"
import type { EventOf, Recorded } from "../../../contract/events.ts"
import type { WatchItem } from "../../../contract/host-port.ts"
import type { AgentMessage } from "../frames.ts"
import { statusTexts, type StatusLine } from "./status-line.ts"
import type { Throttle } from "./throttle.ts"
import { ToolCalls } from "./tool-frames.ts"
import type { OpenTurn } from "./turn-items.ts"
import { TurnText } from "./turn-text.ts"
import type { PlanId } from "../../../contract/ids.ts"

const PROGRESS_EVERY_MS = 250
const nothing: readonly AgentMessage[] = []

export class TurnFrames {
  readonly calls: ToolCalls
  /** The model of its steps; a selection counts from the next turn on. */
  model: string | undefined
  /** Where its last step began. */
  lastStep: Pick<Recorded, "seq" | "at">
  readonly #text: TurnText
  readonly #line: StatusLine
  readonly #throttle: Throttle
  /** What the status line shows while the model answers. */
  readonly #answering: string
  #isThinking = false

  constructor(line: StatusLine, throttle: Throttle, start: TurnFrames["lastStep"], answering: string, open?: OpenTurn) {
    this.#line = line
    this.#throttle = throttle
    this.#answering = answering
    this.lastStep = open?.step ?? start
    this.#text = new TurnText(open?.text, open?.step?.stepId, open?.step?.cutOff)
    this.calls = new ToolCalls(open?.calls.map(({ callId, tool, input }) => [callId, { tool, input }] as const))
  }

  /** All text that viewers were sent. */
  get text(): string {
    return this.#text.sent
  }

  delta(delta: SessionDelta, now: number): readonly AgentMessage[] {
    switch (delta.type) {
      case "text.delta":
        return this.#chunk(this.#text.delta(delta.stepId, delta.block, delta.delta))
      case "reasoning.delta":
        if (this.#isThinking) return nothing
        this.#isThinking = true
        return this.#line.update(statusTexts.thinking)
      case "tool.progressed":
        return this.#progressed(delta, now)
      case "voting.progressed":
        return [{ type: "tool_progress", name: "mdap", message: delta.message, progress: share(delta.fraction) }]
      default:
        return nothing // this protocol has no frame for it
    }
  }

  /** Undefined for an event that does not belong to a turn. `resync` is used when viewers were sent more than is true. */
  encode({ event, seq, at }: Recorded, resync: () => readonly AgentMessage[]): readonly AgentMessage[] | undefined {
    switch (event.type) {
      case "step.started":
        this.model = event.model
        this.lastStep = { seq, at }
        this.#text.startStep(event.stepId, event.continues !== undefined)
        return nothing
      case "text.ended": {
        const rest = this.#text.ended(event.stepId, event.block, event.text, event.interrupted === true)
        return rest === undefined ? resync() : this.#chunk(rest)
      }
      case "tool.called":
        this.#isThinking = false
        return [this.calls.called(event), this.#line.announce(statusTexts.executing(event.tool))]
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
    return this.#chunk(this.#text.soFar(stepId, blocks))
  }

  #chunk(text: string): readonly AgentMessage[] {
    if (text === "") return nothing
    const chunk = { type: "stream_chunk", text } as const
    if (!this.#isThinking) return [chunk]
    this.#isThinking = false
    return [...this.#line.update(this.#answering), chunk]
  }

  #settled(event: EventOf<"tool.refused" | "tool.ended" | "tool.unsettled">): readonly AgentMessage[] {
    const tool = this.calls.find(event.callId)?.tool
    const result = this.calls.settled(event)
    if (result === undefined || tool === undefined) return nothing
    this.#throttle.discard(`progress ${tool}`)
    if (event.type === "tool.ended" && event.outcome === "cancelled") return [result] // the turn is about to end
    const { executing } = this.calls
    const status = executing === undefined ? statusTexts.toolResult : statusTexts.executing(executing)
    return [result, ...this.#line.update(status)]
  }

  #progressed(delta: Extract<SessionDelta, { type: "tool.progressed" }>, now: number): readonly AgentMessage[] {
    const name = this.calls.find(delta.callId)?.tool
    if (name === undefined) return nothing
    const { fraction, output } = delta
    const message = (output && this.calls.printed(delta.callId, output)) ?? delta.message
    const progress = fraction === undefined ? null : share(fraction)
    const frame = () => ({ type: "tool_progress", name, message, progress }) as const
    return this.#throttle.offer(`progress ${name}`, PROGRESS_EVERY_MS, now, frame)
  }
}

function share(fraction: number): number {
  return Math.min(1, Math.max(0, fraction))
}

/** The frame of streamed text. */
export type ChunkType = "stream_chunk" | "plan_mode_stream_chunk"

/** In plan mode, text and messages of a turn have frames of their own. Tool calls, progress and status have not. */
export function asPlanFrame(message: AgentMessage): AgentMessage {
  switch (message.type) {
    case "stream_chunk":
      return { type: "plan_mode_stream_chunk", text: message.text }
    case "stream_end":
      return { type: "plan_mode_stream_end", finish_reason: message.finish_reason }
    case "message_added":
      return { type: "plan_mode_message_added", message: message.message }
    default:
      return message
  }
}

/** The name of a plan in this protocol. */
export function planSessionId(planId: PlanId): string {
  return `plan-${planId.slice("pln_".length)}`
}
