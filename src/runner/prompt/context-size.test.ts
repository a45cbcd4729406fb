import type { LanguageModelV4Prompt } from "@ai-sdk/provider"
import { describe, expect, it } from "vitest"
import type { SessionEvent } from "../../contract/events.ts"
import { emptyContext, foldContext, type Context } from "../../projection/context.ts"
import { agedIn, requestTokens } from "./context-size.ts"
import { estimatedTokens } from "./token-estimate.ts"

const usage = { input: 5000, output: 100, cacheRead: 0, cacheWrite5m: 0, cacheWrite1h: 0, reasoning: 0 }
const prompt: LanguageModelV4Prompt = [{ role: "user", content: [{ type: "text", text: "hello" }] }]
const answered: readonly SessionEvent[] = [
  { type: "turn.started", turnId: "trn_1" },
  { type: "step.started", stepId: "stp_1", turnId: "trn_1", model: "m" },
  { type: "tool.called", stepId: "stp_1", callId: "cal_1", tool: "read", input: {} },
  { type: "response.ended", stepId: "stp_1", model: "m", finish: "tool-calls", usage },
]
const result: SessionEvent = { type: "tool.ended", callId: "cal_1", outcome: "done", output: "x".repeat(3500) }

function contextOf(...events: readonly SessionEvent[]): Context {
  return events.reduce(
    (context, event, index) => foldContext(context, { seq: index + 1, at: 0, event }),
    emptyContext(),
  )
}

function size(context: Context, model = "m"): number {
  return requestTokens(context, { name: model, window: 1_000_000 }, { prompt })
}

describe("the size of a request", () => {
  it("is the provider's report plus an estimate of later items", () => {
    expect(size(contextOf(...answered))).toBe(5100)
    expect(size(contextOf(...answered, result))).toBe(6100)
  })

  it("is estimated without a report, for another model, and after the context changed", () => {
    const estimate = estimatedTokens({ prompt })
    expect(size(contextOf(...answered.slice(0, 3)))).toBe(estimate)
    expect(size(contextOf(...answered), "other")).toBe(estimate)
    const compacted = { type: "context.compacted", compactionId: "cmp_1", summary: "s", upToSeq: 4 } as const
    expect(size(contextOf(...answered, compacted))).toBe(estimate)
  })

  it("leaves out what the next request replaces by notes", () => {
    const window = 10_000
    const steps = [1, 2, 3, 4].flatMap((at): readonly SessionEvent[] => [
      { type: "step.started", stepId: `stp_${at}`, turnId: "trn_1", model: "m" },
      { type: "tool.called", stepId: `stp_${at}`, callId: `cal_${at}`, tool: "read", input: {} },
      { type: "response.ended", stepId: `stp_${at}`, model: "m", finish: "tool-calls", usage },
      { type: "tool.ended", callId: `cal_${at}`, outcome: "done", output: "x".repeat(7000) },
    ])
    const context = contextOf(...steps)
    expect([...agedIn(context, window).keys()]).toEqual(["cal_1", "cal_2"])
    const whole = requestTokens(context, { name: "m", window: 1_000_000 }, { prompt })
    expect(whole).toBe(5100 + 2000)
    expect(requestTokens(context, { name: "m", window }, { prompt })).toBe(whole - (2000 - 80))
  })

  it("is at least half of the estimate", () => {
    const context = contextOf(...answered)
    const long: LanguageModelV4Prompt = [{ role: "system", content: "word ".repeat(70_000) }]
    expect(requestTokens(context, { name: "m", window: 1_000_000 }, { prompt: long })).toBeGreaterThan(49_000)
  })
})
