import { describe, expect, it } from "vitest"
import { verdicts } from "../fixtures/verdicts.ts"
import { checks as bodyChecks } from "./generated/bodies.js"
import { checkRpcEvent } from "./generated/events.js"
import { errorFrame } from "./errors.ts"
import { encodeFrame, type ChildFrame } from "./codec.ts"
import { sessionId, ReadFrames, you } from "./fixtures/read-frames.ts"

const recorded = verdicts("rpc", "events")

describe("frames of a child", () => {
  it("are those that the protocol's own types were checked with", () => {
    expect(allLines().map((line) => line.trimEnd())).toEqual(recorded.map(({ frame }) => frame))
  })

  it.each(recorded)("are read unchanged by those types and by ours: $frame", ({ frame, accepted, written }) => {
    const parsed: unknown = JSON.parse(frame)
    expect(accepted).toBe(true)
    expect(written).toEqual(parsed)
    expect(checkRpcEvent(parsed)).toBe(true)
    expect(hasItsBody(parsed)).toBe(true)
  })

  it("cover every event and every assistant event", () => {
    const all = allLines().join("")
    const types = ["ready", "message_update", "subagent_start", "subagent_update", "subagent_done", "agent_end"]
    const updates = ["text_delta", "thinking_delta", "toolcall_start", "toolcall_input_delta", "toolcall_input"]
    for (const type of [...types, ...updates, "toolcall_result", "response", "error"])
      expect(all).toContain(`"type":"${type}"`)
  })
})

function hasItsBody(frame: unknown): boolean {
  if (typeof frame !== "object" || frame === null || !("command" in frame)) return true
  const check = Object.entries(bodyChecks).find(([name]) => name === frame.command)?.[1]
  return check?.(frame) === true
}

const childId = "01890000-0000-7000-8000-000000000002"
const answers: readonly ChildFrame[] = [
  { type: "ready", session_id: sessionId, model: "m", protocol_version: 1 },
  { type: "response", id: "2", command: "new_session", session_id: sessionId },
  { type: "response", id: "3", command: "get_messages", messages: [{ role: "user", content: "hi" }] },
  { type: "response", id: "4", command: "set_model", model: "m" },
  {
    type: "response",
    id: "5",
    command: "get_available_models",
    models: [{ provider: "p", model_id: "m", model_name: "M" }],
  },
  { type: "response", id: "6", command: "abort", ok: true },
  {
    type: "response",
    id: "7",
    command: "get_session_stats",
    input_tokens: 1,
    output_tokens: 2,
    cost: 0.25,
    message_count: 3,
    model: "m",
    session_id: sessionId,
  },
  {
    type: "response",
    id: "8",
    command: "get_state",
    streaming: false,
    model: "m",
    session_id: sessionId,
    message_count: 0,
  },
  {
    type: "response",
    id: "",
    command: "tools_list",
    ok: true,
    tools: [{ name: "bash", description: "Runs it.", input_schema: { type: "object" } }],
  },
  errorFrame(undefined, "the frame is not one JSON object"),
  errorFrame("9", "a turn is running; abort first"),
]

/** Everything that a child can write, once. */
function allLines(): readonly string[] {
  return [...answers.map(encodeFrame), ...turns(), ...failure(), ...compaction()]
}

function turns(): readonly string[] {
  const read = new ReadFrames()
    .prompted()
    .delta({ type: "reasoning.delta", stepId: "stp_1", block: 0, delta: "Let me think" })
    .textDelta("Grüße, 🎈\u2028 and \u0000", 1)
    .delta({ type: "tool-input.delta", stepId: "stp_1", callId: "cal_1", tool: "subagent", delta: "" })
    .delta({ type: "tool-input.delta", stepId: "stp_1", callId: "cal_1", tool: "subagent", delta: '{"task":"look"}' })
    .event({ type: "tool.called", stepId: "stp_1", callId: "cal_1", tool: "subagent", input: { task: "look" } })
    .answered({ input: 40, output: 5, cacheRead: 20, cacheWrite5m: 7, cacheWrite1h: 3, reasoning: 0 })
    .event(asked, {
      type: "approval.decided",
      approvalId: "apr_1",
      outcome: "approved",
      by: you,
    })
    .event({ type: "child.spawned", childId, task: "look", reason: "scout", callId: "cal_1" })
    .delta({ type: "child.progressed", childId, status: "reading x" })
  read.at = 1500
  return read
    .event({ type: "child.ended", childId, outcome: "done", result: "Nothing there.", costUsd: 0, tokens: 1 })
    .event({ type: "tool.ended", callId: "cal_1", outcome: "done", output: "Nothing there." })
    .ended().lines
}

const asked = {
  type: "approval.requested",
  approvalId: "apr_1",
  callId: "cal_1",
  tool: "subagent",
  digest: "d",
  reason: "the configuration says so",
  audience: "driver",
  expiresAt: 45_000,
} as const

function failure(): readonly string[] {
  return new ReadFrames().prompted("follow_up").textDelta("Hal").ended("failed", "The provider is gone.").lines
}

function compaction(): readonly string[] {
  const read = new ReadFrames()
  read.view.beginCompaction("c")
  return read
    .event({ type: "compaction.started", compactionId: "cmp_1", why: "asked" })
    .event({ type: "context.compacted", compactionId: "cmp_1", summary: "It was short.", upToSeq: 1 }).lines
}
