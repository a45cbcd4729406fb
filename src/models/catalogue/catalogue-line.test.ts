import { describe, expect, it } from "vitest"
import { formatModel, parseModel, type CatalogueModel } from "./catalogue-line.ts"

const full: CatalogueModel = {
  id: "vendor/model-1:free",
  name: "Model 1 (new)",
  contextWindow: 200_000,
  outputLimit: 8192,
  abilities: { images: true, thinking: false, tools: true, pdf: undefined },
  prices: {
    base: { input: 0.5, output: 2, cacheRead: 0.05, cacheWrite5m: undefined },
    longer: [{ inputAbove: 128_000, prices: { input: 1, output: 4, cacheRead: undefined, cacheWrite5m: 1.25 } }],
  },
}

describe("a line of a catalogue", () => {
  it("keeps every fact of a model", () => {
    expect(formatModel(full)).toBe("vendor/model-1:free 200000 8192 iTc 0.5:2:0.05:-,128000=1:4:-:1.25 Model 1 (new)")
    expect(parseModel(formatModel(full))).toEqual(full)
  })

  it("keeps that nothing is known", () => {
    const bare = {
      ...full,
      name: undefined,
      contextWindow: undefined,
      outputLimit: undefined,
      abilities: {},
      prices: undefined,
    }
    expect(formatModel(bare)).toBe("vendor/model-1:free - - - -")
    expect(parseModel("vendor/model-1:free - - - -")).toEqual(bare)
  })

  it.each(["", "id", "id 1 2 i", "\u001b[31mred 1 2 i - name", `${"x".repeat(201)} 1 2 i -`, "naïve 1 2 i - -"])(
    "that is none has no model: %j",
    (line) => expect(parseModel(line)).toBeUndefined(),
  )

  it("reads a number that is none as unknown", () => {
    expect(parseModel("m -5 1e999 i x:y nothing")).toMatchObject({
      contextWindow: undefined,
      outputLimit: undefined,
      prices: undefined,
    })
  })

  it("removes control characters from a name", () => {
    expect(parseModel("m 1 1 i - Evil\u001b]0;title\u0007 name")?.name).toBe("Evil\u{fffd}]0;title\u{fffd} name")
  })
})
