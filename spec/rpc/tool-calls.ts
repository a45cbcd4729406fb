// The tool calls in a list of frames, by id.
import type { Frame } from "./wire.ts"

export interface FrameCall {
  readonly id: string
  readonly tool: string | undefined
  readonly fragments: string
  readonly input: unknown
  readonly result: string | undefined
  /** Its frames, in order: `start input_delta input result`. */
  readonly order: string
}

export function callsIn(frames: readonly Frame[]): readonly FrameCall[] {
  const calls = new Map<string, FrameCall>()
  for (const frame of frames) {
    if (frame.type !== "message_update" || !("tool_id" in frame.event)) continue
    const before = calls.get(frame.event.tool_id) ?? nothing(frame.event.tool_id)
    calls.set(before.id, withEvent(before, frame.event))
  }
  return [...calls.values()]
}

type ToolEvent = Extract<Extract<Frame, { type: "message_update" }>["event"], { tool_id: string }>

function nothing(id: string): FrameCall {
  return { id, tool: undefined, fragments: "", input: undefined, result: undefined, order: "" }
}

function withEvent(call: FrameCall, event: ToolEvent): FrameCall {
  const order = `${call.order} ${event.type.slice("toolcall_".length)}`.trim()
  switch (event.type) {
    case "toolcall_start":
      return { ...call, order, tool: event.tool_name }
    case "toolcall_input_delta":
      return { ...call, order, fragments: call.fragments + event.delta }
    case "toolcall_input":
      return { ...call, order, input: event.input }
    case "toolcall_result":
      return { ...call, order, result: event.result }
  }
}
