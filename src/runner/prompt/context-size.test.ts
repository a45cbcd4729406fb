import type { LanguageModelV4Prompt } from "@ai-sdk/provider"
import { describe, expect, it } from "vitest"
import type { SessionEvent } from "../../contract/events.ts"
import { emptyContext, foldContext, type Context } from "../../projection/context.ts"
import { requestTokens } from "./context-size.ts"
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
  return requestTokens(context, model, { prompt })
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

  it("is at least half of the estimate", () => {
    const context = contextOf(...answered)
    const long: LanguageModelV4Prompt = [{ role: "system", content: "word ".repeat(70_000) }]
    expect(requestTokens(context, "m", { prompt: long })).toBeGreaterThan(49_000)
  })
})
