import { describe, expect, it } from "vitest"
import type { LanguageModelV4StreamPart } from "@ai-sdk/provider"
import { limits } from "../contract/limits.ts"
import { AnswerSize } from "./answer-size.ts"

const half = "x".repeat(limits.answerTextLength / 2)

function fitting(parts: Iterable<LanguageModelV4StreamPart>) {
  const size = new AnswerSize()
  return [...parts].map((part) => size.fitting(part))
}

describe("the size of an answer", () => {
  it("counts text and thoughts together, and cuts the piece that does not fit", () => {
    const parts = fitting([
      { type: "text-delta", id: "1", delta: half },
      { type: "reasoning-delta", id: "2", delta: `${half}more` },
      { type: "text-delta", id: "1", delta: "x" },
    ])
    expect(parts.map((part) => (part?.type.endsWith("-delta") === true ? "delta" : part))).toEqual([
      "delta",
      "delta",
      undefined,
    ])
    expect(parts[1]).toEqual({ type: "reasoning-delta", id: "2", delta: half })
  })

  it("ends an answer with too many blocks, calls or arguments", () => {
    const blocks = fitting(Array.from({ length: 1001 }, (_, n) => ({ type: "text-start", id: `${n}` }) as const))
    expect(blocks.indexOf(undefined)).toBe(1000)
    const call = (n: number, input: string) =>
      ({ type: "tool-call", toolCallId: `${n}`, toolName: "look", input }) as const
    expect(fitting(Array.from({ length: 10_001 }, (_, n) => call(n, "{}"))).indexOf(undefined)).toBe(10_000)
    const large = "x".repeat(limits.answerInputLength)
    expect(fitting([call(1, large), call(2, large), call(3, "{}")]).indexOf(undefined)).toBe(2)
  })
})
