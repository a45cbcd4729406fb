// The tool calls of a turn: each has one start and exactly one result, whatever happens to it.
import type { EventOf } from "../../../contract/events.ts"
import type { CallId } from "../../../contract/ids.ts"
import type { JsonValue } from "../../../contract/values.ts"
import { addOutput, lastLines, type OutputPiece } from "../../../contract/rules/live-output.ts"
import type { AgentMessage } from "../frames.ts"
import { frameLimits } from "../limits.ts"

export interface OpenCall {
  readonly tool: string
  /** The arguments that run, or will run. */
  input: JsonValue
  /** The newest part of what it has printed. */
  printed?: OutputPiece
}

type Settled = EventOf<"tool.refused" | "tool.ended" | "tool.unsettled">
type Result = { readonly output: string } | { readonly error: string }

/** Tells viewers that a tool is the agent's own. */
const server = "cli-local"

export class ToolCalls {
  readonly #open: Map<CallId, OpenCall>

  constructor(open: Iterable<readonly [CallId, OpenCall]> = []) {
    this.#open = new Map(open)
  }

  find(callId: CallId): OpenCall | undefined {
    return this.#open.get(callId)
  }

  /** The tool of the newest call without a result. */
  get executing(): string | undefined {
    return [...this.#open.values()].at(-1)?.tool
  }

  called({ callId, tool, input }: EventOf<"tool.called">): AgentMessage {
    this.#open.set(callId, { tool, input })
    return { type: "tool_call_start", id: callId, name: tool, server, input }
  }

  /** The arguments were changed before the call ran. The start frame has been sent already. */
  modified({ callId, input }: EventOf<"tool.modified">): void {
    const call = this.#open.get(callId)
    if (call !== undefined) call.input = input
  }

  /** The last lines that the call has printed, as a message for viewers. */
  printed(callId: CallId, output: OutputPiece): string | undefined {
    const call = this.#open.get(callId)
    if (call === undefined) return undefined
    call.printed = addOutput(call.printed, output)
    return progressMessage(call.printed)
  }

  /** For a viewer that joins: what running calls have printed. */
  progressFrames(): readonly AgentMessage[] {
    return [...this.#open.values()].flatMap(({ tool: name, printed }) =>
      printed === undefined
        ? []
        : [{ type: "tool_progress", name, message: progressMessage(printed), progress: null } as const],
    )
  }

  settled(event: Settled): AgentMessage | undefined {
    return this.#settle(event.callId, resultOf(event))
  }

  /** So that no call stays open. */
  cancelAll(): readonly AgentMessage[] {
    return [...this.#open.keys()].flatMap((callId) => this.#settle(callId, { error: cancelled }) ?? [])
  }

  #settle(id: CallId, result: Result): AgentMessage | undefined {
    const call = this.#open.get(id)
    if (call === undefined) return undefined
    this.#open.delete(id)
    const [output, error] = "error" in result ? [null, cutOutput(result.error)] : [cutOutput(result.output), null]
    return { type: "tool_result", id, name: call.tool, output, error }
  }
}

/** Each frame has the last lines anew: viewers keep the newest frame, and may miss others. */
function progressMessage(printed: OutputPiece): string {
  const lines = lastLines(printed, frameLimits.progressLines)
  return lines.join("\n").slice(-frameLimits.progressLength).toWellFormed()
}

const cancelled = "Cancelled"

function resultOf(event: Settled): Result {
  switch (event.type) {
    case "tool.refused":
      return { error: event.reason }
    case "tool.unsettled":
      return { error: `The outcome is unknown. ${event.evidence}` }
    case "tool.ended":
      if (event.outcome === "cancelled") return { error: cancelled }
      return event.outcome === "done"
        ? { output: event.output }
        : { error: event.output || "It failed without output." }
  }
}

/** Counts whole characters, so that none is split. */
export function cutOutput(text: string): string {
  const { toolOutputLength: most } = frameLimits
  if (text.length <= most) return text
  let count = 0
  let cutAt = text.length
  for (let at = 0; at < text.length; at += (text.codePointAt(at) ?? 0) > 0xffff ? 2 : 1) {
    if (count === most) cutAt = at
    count += 1
  }
  if (count <= most) return text
  return `${text.slice(0, cutAt)}\n\n[Output truncated: ${most} of ${count} characters]`
}
