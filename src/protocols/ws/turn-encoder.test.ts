import { describe, expect, it } from "vitest"
import type { SessionEvent } from "../../contract/events.ts"
import { turnStarted, called, turnEnded, ended, result, started, EncoderProbe } from "./fixtures/encoder-probe.ts"

describe("a turn with text", () => {
  it("streams tokens and ends once with the whole text", () => {
    const probe = new EncoderProbe().event(...turnStarted).text("Hel", "lo")
    probe.event(ended("Hello"), turnEnded)
    expect(probe.summary).toEqual(["stream_token Hel", "stream_token lo", "eventual_response"])
    expect(probe.ends).toEqual([false, false, true])
    const end = probe.frames.at(-1)
    expect(end).toMatchObject({ requestId: "r1", data: { data: { response: { responseParts: ["Hello"] } } } })
  })

  it("sends what a lost delta left out, and nothing twice", () => {
    const probe = new EncoderProbe().event(...turnStarted).text("Hel")
    probe.event(ended("Hello"), turnEnded)
    expect(probe.summary).toEqual(["stream_token Hel", "stream_token lo", "eventual_response"])
  })

  it("continues from the text so far when the watch starts mid-step", () => {
    const probe = new EncoderProbe().event(...turnStarted)
    probe.item({ kind: "streamed", stepId: "stp_1", blocks: [{ block: 0, kind: "text", text: "Hel" }] })
    probe.text("lo").event(ended("Hello"), turnEnded)
    expect(probe.summary).toEqual(["stream_token Hel", "stream_token lo", "eventual_response"])
  })

  it("separates reasoning from the answer", () => {
    const probe = new EncoderProbe().event(...turnStarted)
    probe.delta({ type: "reasoning.delta", stepId: "stp_1", block: 0, delta: "hm" })
    probe.event({ type: "reasoning.ended", stepId: "stp_1", block: 0, text: "hm" })
    probe.event({ type: "text.ended", stepId: "stp_1", block: 1, text: "yes" }, turnEnded)
    expect(probe.summary).toEqual(["stream_reasoning hm", "stream_token yes", "eventual_response"])
    expect(probe.frames.at(-1)).toMatchObject({ data: { data: { response: { responseParts: ["yes"] } } } })
  })

  it("uses the reasoning as reply when there is no text", () => {
    const probe = new EncoderProbe().event(...turnStarted)
    probe.event({ type: "reasoning.ended", stepId: "stp_1", block: 0, text: "hm" }, turnEnded)
    expect(probe.frames.at(-1)).toMatchObject({ data: { data: { response: { responseParts: ["hm"] } } } })
  })

  it("sends a preamble only before the first token", () => {
    const early = new EncoderProbe()
      .event(...turnStarted)
      .delta({ type: "preamble", turnId: "trn_1", text: "One moment." })
    expect(early.summary).toEqual(["stream_preamble One moment."])
    const late = new EncoderProbe().event(...turnStarted).text("Hi")
    late.delta({ type: "preamble", turnId: "trn_1", text: "One moment." })
    expect(late.summary).toEqual(["stream_token Hi"])
  })

  it("joins an answer that a crash split", () => {
    const probe = new EncoderProbe().event(...turnStarted).text("one t")
    probe.event({ type: "text.ended", stepId: "stp_1", block: 0, text: "one t", interrupted: true })
    probe.event({ type: "step.started", stepId: "stp_2", turnId: "trn_1", model: "m", continues: "stp_1" })
    probe.event({ type: "text.ended", stepId: "stp_2", block: 0, text: "wo" }, turnEnded)
    expect(probe.summary).toEqual(["stream_token one t", "stream_token wo", "eventual_response"])
    expect(probe.frames.at(-1)).toMatchObject({ data: { data: { response: { responseParts: ["one two"] } } } })
  })

  it("sums the usage of its model calls, and omits it when unknown", () => {
    const usage = { input: 10, output: 3, cacheRead: 0, cacheWrite5m: 0, cacheWrite1h: 0, reasoning: 0 }
    const spent = (costUsd: number): SessionEvent => {
      return { type: "response.ended", stepId: "stp_1", model: "m", finish: "stop", usage, costUsd }
    }
    const known = new EncoderProbe().event(...turnStarted, spent(0.5), spent(0.25), turnEnded)
    expect(known.frames.at(-1)).toMatchObject({
      data: { data: { usage: { costUsd: 0.75, promptTokens: 20, completionTokens: 6 } } },
    })
    const unknown = new EncoderProbe().event(...turnStarted, turnEnded)
    expect(unknown.frames.at(-1)).not.toHaveProperty("data.data.usage")
  })

  it.each([
    ["interrupted", "cancelled"],
    ["failed", "error AGENT_ERROR"],
    ["step-limit", "eventual_response"],
  ] as const)("that ends as %s sends %s", (reason, story) => {
    const probe = new EncoderProbe().event(...turnStarted)
    probe.event({ type: "turn.ended", turnId: "trn_1", reason, error: "key sk-123 was refused by 10.0.0.1" })
    expect(probe.summary).toEqual([story])
    expect(JSON.stringify(probe.frames)).not.toContain("sk-123")
  })

  it("reports a tool's directive and the reason of an escalation", () => {
    const probe = new EncoderProbe().event(...turnStarted, called("cal_1", "x"), started("cal_1"))
    const details = { directive: { type: "send_file" }, escalation: "angry" }
    probe.event({ type: "tool.ended", callId: "cal_1", outcome: "done", output: "out", details }, turnEnded)
    expect(probe.frames.at(-1)).toMatchObject({
      data: {
        data: {
          needsEscalation: true,
          escalationReason: "angry",
          directive: { type: "send_file" },
          response: { resolutionStatus: "requires_escalation" },
        },
      },
    })
  })
})

describe("tool calls", () => {
  it("are sent when they start, with their result when they end", () => {
    const probe = new EncoderProbe().event(...turnStarted, called("cal_1", "look"), started("cal_1"), result("cal_1"))
    expect(probe.summary).toEqual(["toolCall look", "toolResult look"])
  })

  it("a refused call is sent as a call and a failed result", () => {
    const probe = new EncoderProbe().event(...turnStarted, called("cal_1", "look"))
    probe.event({ type: "tool.refused", callId: "cal_1", by: "deny", reason: "No." })
    expect(probe.summary).toEqual(["toolCall look", "toolResult look"])
    expect(probe.frames.at(-1)).toMatchObject({
      data: { state: { rawResponse: { toolResult: { isError: true, result: "No." } } } },
    })
  })

  it("an interrupted call has no result", () => {
    const probe = new EncoderProbe().event(...turnStarted, called("cal_1", "look"), started("cal_1"))
    probe.event(result("cal_1", "cancelled"), { type: "turn.ended", turnId: "trn_1", reason: "interrupted" })
    expect(probe.summary).toEqual(["toolCall look", "cancelled"])
  })

  it.each([
    ["{bad", '"{bad"'],
    [{ unparsed: "{bad" }, "{bad"],
  ])("input that is not an object or not JSON is sent as _raw: %j", (input, _raw) => {
    const probe = new EncoderProbe().event(...turnStarted)
    probe.event({ type: "tool.called", stepId: "stp_1", callId: "cal_1", tool: "x", input }, started("cal_1"))
    expect(probe.frames).toMatchObject([{ data: { state: { rawResponse: { toolCall: { arguments: { _raw } } } } } }])
  })
})
