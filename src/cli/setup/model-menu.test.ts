import { describe, expect, it } from "vitest"
import { modelMenu, rankModels, readModelAnswer, withPreferred } from "./model-menu.ts"

const known = (id: string, input = 1) => ({
  provider: "p",
  id,
  name: id,
  contextWindow: 200_000,
  prices: { input, output: 5 * input },
})
const unknown = (id: string) => ({ provider: "p", id, name: id })
const ids = (models: readonly { readonly id: string }[]) => models.map(({ id }) => id)

describe("the order of models", () => {
  it("is: the preferred one, those with known facts, the others", () => {
    const models = [unknown("new"), known("small"), known("large")]
    expect(ids(rankModels(models, "large"))).toEqual(["large", "small", "new"])
    expect(ids(rankModels(models, undefined))).toEqual(["small", "large", "new"])
  })

  it("leaves out models without tools, and dated names of models that are listed", () => {
    const models = [
      known("a"),
      known("a-20260101"),
      known("b-20260101"),
      { ...known("c"), abilities: { tools: false } },
    ]
    expect(ids(rankModels(models, undefined))).toEqual(["a", "b-20260101"])
    expect(ids(rankModels(models, "c"))).toEqual(["c", "a", "b-20260101"])
  })

  it("has the model in use although the provider does not list it", () => {
    const { models, preferred } = withPreferred([known("a")], "p", { current: "private", byDefault: "a" })
    expect(preferred).toBe("private")
    expect(ids(rankModels(models, preferred))).toEqual(["private", "a"])
  })

  it("has the default by its short name only where a dated one is listed", () => {
    const choice = { current: undefined, byDefault: "sonnet" }
    const dated = withPreferred([known("a"), known("sonnet-20260101", 3)], "p", choice)
    expect(dated.models[0]).toMatchObject({ id: "sonnet", prices: { input: 3 } })
    expect(withPreferred([known("a")], "p", choice)).toEqual({ models: [known("a")], preferred: undefined })
  })
})

describe("the list of models", () => {
  it("shows context window and prices, and marks the default", () => {
    expect(modelMenu([known("large", 3), unknown("new")], [], "large", 80).lines).toEqual([
      "     MODEL    CONTEXT  $ IN  $ OUT",
      "  1  large *  200,000     3     15",
      "  2  new            ?     ?      ?",
    ])
  })

  it("leaves out prices in a narrow terminal", () => {
    const { lines } = modelMenu([known("large")], [], "large", 40)
    expect(lines).toEqual(["     MODEL    CONTEXT", "  1  large *  200,000"])
  })

  it("shows ten of a thousand and says how many more there are", () => {
    const models = Array.from({ length: 1000 }, (_, at) => unknown(`model-${at}`))
    const { shown, lines } = modelMenu(models, [], undefined, 80)
    expect(shown).toHaveLength(10)
    expect(lines.at(-1)).toBe("     and 990 more; type to search")
    expect(ids(modelMenu(models, ["99", "7"], undefined, 80).shown)).toEqual(["model-799", "model-997"])
  })
})

describe("an answer to it", () => {
  const models = [known("gpt-6"), known("gpt-6-mini"), known("o5")]
  const menu = modelMenu(models, [], undefined, 80)

  it.for([
    ["", { kind: "model", id: "gpt-6" }],
    ["2", { kind: "model", id: "gpt-6-mini" }],
    ["o5", { kind: "model", id: "o5" }],
    ["p/o5", { kind: "model", id: "o5" }],
    ["6", { kind: "search", words: ["6"] }],
    [" Mini  GPT ", { kind: "search", words: ["mini", "gpt"] }],
  ] as const)("%j is %j", ([answer, expected]) => {
    expect(readModelAnswer(answer, menu, "p")).toEqual(expected)
  })
})
