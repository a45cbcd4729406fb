import { describe, expect, it } from "vitest"
import type { SessionEvent } from "../../contract/events.ts"
import { begun, called, done, ended, result, started, EncoderProbe } from "./fixtures/encoder-probe.ts"

describe("a turn of words", () => {
  it("is told word by word and ends once, with all of them", () => {
    const probe = new EncoderProbe().event(...begun).words("Hel", "lo")
    probe.event(ended("Hello"), done)
    expect(probe.story).toEqual(["stream_token Hel", "stream_token lo", "eventual_response"])
    expect(probe.ends).toEqual([false, false, true])
    const end = probe.frames.at(-1)
    expect(end).toMatchObject({ requestId: "r1", data: { data: { response: { responseParts: ["Hello"] } } } })
  })

  it("heals what a lost delta left out, and says nothing twice", () => {
    const probe = new EncoderProbe().event(...begun).words("Hel")
    probe.event(ended("Hello"), done)
    expect(probe.story).toEqual(["stream_token Hel", "stream_token lo", "eventual_response"])
  })

  it("is told from the text so far where somebody comes in, and goes on from there", () => {
    const probe = new EncoderProbe().event(...begun)
    probe.item({ kind: "streamed", stepId: "stp_1", blocks: [{ block: 0, kind: "text", text: "Hel" }] })
    probe.words("lo").event(ended("Hello"), done)
    expect(probe.story).toEqual(["stream_token Hel", "stream_token lo", "eventual_response"])
  })

  it("keeps thoughts apart from the answer", () => {
    const probe = new EncoderProbe().event(...begun)
    probe.delta({ type: "reasoning.delta", stepId: "stp_1", block: 0, delta: "hm" })
    probe.event({ type: "reasoning.ended", stepId: "stp_1", block: 0, text: "hm" })
    probe.event({ type: "text.ended", stepId: "stp_1", block: 1, text: "yes" }, done)
    expect(probe.story).toEqual(["stream_reasoning hm", "stream_token yes", "eventual_response"])
    expect(probe.frames.at(-1)).toMatchObject({ data: { data: { response: { responseParts: ["yes"] } } } })
  })

  it("has thoughts for its reply when there was nothing else", () => {
    const probe = new EncoderProbe().event(...begun)
    probe.event({ type: "reasoning.ended", stepId: "stp_1", block: 0, text: "hm" }, done)
    expect(probe.frames.at(-1)).toMatchObject({ data: { data: { response: { responseParts: ["hm"] } } } })
  })

  it("may begin with a sentence of a quick model, but only before the first word", () => {
    const early = new EncoderProbe().event(...begun).delta({ type: "preamble", turnId: "trn_1", text: "One moment." })
    expect(early.story).toEqual(["stream_preamble One moment."])
    const late = new EncoderProbe().event(...begun).words("Hi")
    late.delta({ type: "preamble", turnId: "trn_1", text: "One moment." })
    expect(late.story).toEqual(["stream_token Hi"])
  })

  it("joins an answer that a crash has cut in two", () => {
    const probe = new EncoderProbe().event(...begun).words("one t")
    probe.event({ type: "text.ended", stepId: "stp_1", block: 0, text: "one t", interrupted: true })
    probe.event({ type: "step.started", stepId: "stp_2", turnId: "trn_1", model: "m", continues: "stp_1" })
    probe.event({ type: "text.ended", stepId: "stp_2", block: 0, text: "wo" }, done)
    expect(probe.story).toEqual(["stream_token one t", "stream_token wo", "eventual_response"])
    expect(probe.frames.at(-1)).toMatchObject({ data: { data: { response: { responseParts: ["one two"] } } } })
  })

  it("sums what its model calls used, and says nothing of it when nothing is known", () => {
    const usage = { input: 10, output: 3, cacheRead: 0, cacheWrite5m: 0, cacheWrite1h: 0, reasoning: 0 }
    const spent = (costUsd: number): SessionEvent => {
      return { type: "response.ended", stepId: "stp_1", model: "m", finish: "stop", usage, costUsd }
    }
    const known = new EncoderProbe().event(...begun, spent(0.5), spent(0.25), done)
    expect(known.frames.at(-1)).toMatchObject({
      data: { data: { usage: { costUsd: 0.75, promptTokens: 20, completionTokens: 6 } } },
    })
    const unknown = new EncoderProbe().event(...begun, done)
    expect(unknown.frames.at(-1)).not.toHaveProperty("data.data.usage")
  })

  it.each([
    ["interrupted", "cancelled"],
    ["failed", "error AGENT_ERROR"],
    ["step-limit", "eventual_response"],
  ] as const)("that ends as %s is told as %s", (reason, story) => {
    const probe = new EncoderProbe().event(...begun)
    probe.event({ type: "turn.ended", turnId: "trn_1", reason, error: "key sk-123 was refused by 10.0.0.1" })
    expect(probe.story).toEqual([story])
    expect(JSON.stringify(probe.frames)).not.toContain("sk-123")
  })

  it("gives on what a tool wants of the client, and why a person is wanted", () => {
    const probe = new EncoderProbe().event(...begun, called("cal_1", "x"), started("cal_1"))
    const details = { directive: { type: "send_file" }, escalation: "angry" }
    probe.event({ type: "tool.ended", callId: "cal_1", outcome: "done", output: "out", details }, done)
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

describe("calls", () => {
  it("are told when they start, and their result when they end", () => {
    const probe = new EncoderProbe().event(...begun, called("cal_1", "look"), started("cal_1"), result("cal_1"))
    expect(probe.story).toEqual(["toolCall look", "toolResult look"])
  })

  it("that are refused are told as a call and its failure", () => {
    const probe = new EncoderProbe().event(...begun, called("cal_1", "look"))
    probe.event({ type: "tool.refused", callId: "cal_1", by: "deny", reason: "No." })
    expect(probe.story).toEqual(["toolCall look", "toolResult look"])
    expect(probe.frames.at(-1)).toMatchObject({
      data: { state: { rawResponse: { toolResult: { isError: true, result: "No." } } } },
    })
  })

  it("that are cut off are not told any more", () => {
    const probe = new EncoderProbe().event(...begun, called("cal_1", "look"), started("cal_1"))
    probe.event(result("cal_1", "cancelled"), { type: "turn.ended", turnId: "trn_1", reason: "interrupted" })
    expect(probe.story).toEqual(["toolCall look", "cancelled"])
  })

  it.each([
    ["{bad", '"{bad"'],
    [{ unparsed: "{bad" }, "{bad"],
  ])("whose input is no object, or was no JSON, are given as they came: %j", (input, _raw) => {
    const probe = new EncoderProbe().event(...begun)
    probe.event({ type: "tool.called", stepId: "stp_1", callId: "cal_1", tool: "x", input }, started("cal_1"))
    expect(probe.frames).toMatchObject([{ data: { state: { rawResponse: { toolCall: { arguments: { _raw } } } } } }])
  })
})
