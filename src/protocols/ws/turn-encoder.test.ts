import { describe, expect, it } from "vitest"
import type { SessionEvent } from "../../contract/events.ts"
import { begun, called, done, ended, result, started, Telling } from "./fixtures/encoder-probe.ts"

describe("a turn of words", () => {
  it("is told word by word and ends once, with all of them", () => {
    const telling = new Telling().event(...begun).words("Hel", "lo")
    telling.event(ended("Hello"), done)
    expect(telling.story).toEqual(["stream_token Hel", "stream_token lo", "eventual_response"])
    expect(telling.ends).toEqual([false, false, true])
    const end = telling.frames.at(-1)
    expect(end).toMatchObject({ requestId: "r1", data: { data: { response: { responseParts: ["Hello"] } } } })
  })

  it("heals what a lost delta left out, and says nothing twice", () => {
    const telling = new Telling().event(...begun).words("Hel")
    telling.event(ended("Hello"), done)
    expect(telling.story).toEqual(["stream_token Hel", "stream_token lo", "eventual_response"])
  })

  it("is told from the text so far where somebody comes in, and goes on from there", () => {
    const telling = new Telling().event(...begun)
    telling.item({ kind: "streamed", stepId: "stp_1", blocks: [{ block: 0, kind: "text", text: "Hel" }] })
    telling.words("lo").event(ended("Hello"), done)
    expect(telling.story).toEqual(["stream_token Hel", "stream_token lo", "eventual_response"])
  })

  it("keeps thoughts apart from the answer", () => {
    const telling = new Telling().event(...begun)
    telling.delta({ type: "reasoning.delta", stepId: "stp_1", block: 0, delta: "hm" })
    telling.event({ type: "reasoning.ended", stepId: "stp_1", block: 0, text: "hm" })
    telling.event({ type: "text.ended", stepId: "stp_1", block: 1, text: "yes" }, done)
    expect(telling.story).toEqual(["stream_reasoning hm", "stream_token yes", "eventual_response"])
    expect(telling.frames.at(-1)).toMatchObject({ data: { data: { response: { responseParts: ["yes"] } } } })
  })

  it("has thoughts for its reply when there was nothing else", () => {
    const telling = new Telling().event(...begun)
    telling.event({ type: "reasoning.ended", stepId: "stp_1", block: 0, text: "hm" }, done)
    expect(telling.frames.at(-1)).toMatchObject({ data: { data: { response: { responseParts: ["hm"] } } } })
  })

  it("may begin with a sentence of a quick model, but only before the first word", () => {
    const early = new Telling().event(...begun).delta({ type: "preamble", turnId: "trn_1", text: "One moment." })
    expect(early.story).toEqual(["stream_preamble One moment."])
    const late = new Telling().event(...begun).words("Hi")
    late.delta({ type: "preamble", turnId: "trn_1", text: "One moment." })
    expect(late.story).toEqual(["stream_token Hi"])
  })

  it("joins an answer that a crash has cut in two", () => {
    const telling = new Telling().event(...begun).words("one t")
    telling.event({ type: "text.ended", stepId: "stp_1", block: 0, text: "one t", interrupted: true })
    telling.event({ type: "step.started", stepId: "stp_2", turnId: "trn_1", model: "m", continues: "stp_1" })
    telling.event({ type: "text.ended", stepId: "stp_2", block: 0, text: "wo" }, done)
    expect(telling.story).toEqual(["stream_token one t", "stream_token wo", "eventual_response"])
    expect(telling.frames.at(-1)).toMatchObject({ data: { data: { response: { responseParts: ["one two"] } } } })
  })

  it("sums what its model calls used, and says nothing of it when nothing is known", () => {
    const usage = { input: 10, output: 3, cacheRead: 0, cacheWrite5m: 0, cacheWrite1h: 0, reasoning: 0 }
    const spent = (costUsd: number): SessionEvent => {
      return { type: "response.ended", stepId: "stp_1", model: "m", finish: "stop", usage, costUsd }
    }
    const known = new Telling().event(...begun, spent(0.5), spent(0.25), done)
    expect(known.frames.at(-1)).toMatchObject({
      data: { data: { usage: { costUsd: 0.75, promptTokens: 20, completionTokens: 6 } } },
    })
    const unknown = new Telling().event(...begun, done)
    expect(unknown.frames.at(-1)).not.toHaveProperty("data.data.usage")
  })

  it.each([
    ["interrupted", "cancelled"],
    ["failed", "error AGENT_ERROR"],
    ["step-limit", "eventual_response"],
  ] as const)("that ends as %s is told as %s", (reason, story) => {
    const telling = new Telling().event(...begun)
    telling.event({ type: "turn.ended", turnId: "trn_1", reason, error: "key sk-123 was refused by 10.0.0.1" })
    expect(telling.story).toEqual([story])
    expect(JSON.stringify(telling.frames)).not.toContain("sk-123")
  })

  it("gives on what a tool wants of the client, and why a person is wanted", () => {
    const telling = new Telling().event(...begun, called("cal_1", "x"), started("cal_1"))
    const details = { directive: { type: "send_file" }, escalation: "angry" }
    telling.event({ type: "tool.ended", callId: "cal_1", outcome: "done", output: "out", details }, done)
    expect(telling.frames.at(-1)).toMatchObject({
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
    const telling = new Telling().event(...begun, called("cal_1", "look"), started("cal_1"), result("cal_1"))
    expect(telling.story).toEqual(["toolCall look", "toolResult look"])
  })

  it("that are refused are told as a call and its failure", () => {
    const telling = new Telling().event(...begun, called("cal_1", "look"))
    telling.event({ type: "tool.refused", callId: "cal_1", by: "deny", reason: "No." })
    expect(telling.story).toEqual(["toolCall look", "toolResult look"])
    expect(telling.frames.at(-1)).toMatchObject({
      data: { state: { rawResponse: { toolResult: { isError: true, result: "No." } } } },
    })
  })

  it("that are cut off are not told any more", () => {
    const telling = new Telling().event(...begun, called("cal_1", "look"), started("cal_1"))
    telling.event(result("cal_1", "cancelled"), { type: "turn.ended", turnId: "trn_1", reason: "interrupted" })
    expect(telling.story).toEqual(["toolCall look", "cancelled"])
  })

  it.each([
    ["{bad", '"{bad"'],
    [{ unparsed: "{bad" }, "{bad"],
  ])("whose input is no object, or was no JSON, are given as they came: %j", (input, _raw) => {
    const telling = new Telling().event(...begun)
    telling.event({ type: "tool.called", stepId: "stp_1", callId: "cal_1", tool: "x", input }, started("cal_1"))
    expect(telling.frames).toMatchObject([{ data: { state: { rawResponse: { toolCall: { arguments: { _raw } } } } } }])
  })
})
