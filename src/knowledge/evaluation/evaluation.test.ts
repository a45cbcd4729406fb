import { describe, expect, it } from "vitest"
import { percentile, qualityOf } from "./metrics.ts"
import { readQuestions } from "./questions.ts"

const line = '{"question": "How long?", "documents": ["a.md"], "kind": "plain"}'

describe("questions", () => {
  it("are read from lines and from an array", () => {
    const expected = [{ question: "How long?", documents: ["a.md"], kind: "plain" }]
    expect(readQuestions(`${line}\n\n`)).toEqual(expected)
    expect(readQuestions(`[${line}]`)).toEqual(expected)
  })

  it.each([
    ["", "the file has no questions"],
    ["[]", "the file has no questions"],
    [`${line}\nnonsense`, "line 2 is not valid JSON"],
    ["[1]", "question 1 is not an object"],
    ['{"question": "", "documents": ["a"]}', 'line 1: "question" must be a text'],
    ['{"question": "x", "documents": []}', 'line 1: "documents" must be a list'],
    ['{"question": "x", "documents": "a"}', 'line 1: "documents" must be a list'],
    ['{"question": "x", "documents": ["a"], "kind": 1}', 'line 1: "kind" must be a text'],
    ['{"question": "x", "document": ["a"]}', 'line 1: unknown field "document"'],
  ])("with a mistake are refused with its place: %s", (text, reason) =>
    expect(() => readQuestions(text)).toThrow(reason),
  )
})

describe("quality", () => {
  it("is that of the first right document", () => {
    const quality = qualityOf([
      { right: ["a", "b"], found: ["a", "x", "b"] },
      { right: ["a"], found: ["x", "a"] },
      { right: ["a"], found: ["x"] },
      { right: ["a"], found: [] },
    ])
    expect(quality).toMatchObject({ questions: 4, recallAt1: 0.25, recallAt5: 0.5, mrr: 0.375 })
    expect(quality.ndcg).toBeCloseTo((1.5 / (1 + 1 / Math.log2(3)) + 1 / Math.log2(3)) / 4)
    expect(qualityOf([])).toMatchObject({ questions: 0, recallAt1: 0, mrr: 0 })
  })

  it("has percentiles", () => expect([percentile([3, 1, 2], 0.5), percentile([], 0.5)]).toEqual([2, 0]))
})
