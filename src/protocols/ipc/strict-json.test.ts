import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { parseStrict } from "./strict-json.ts"

const most = 1000
const nested = (levels: number) => `${"[".repeat(levels)}${"]".repeat(levels)}`

describe("strict JSON", () => {
  it("parses valid JSON to the same value as JSON.parse", () => {
    fc.assert(
      fc.property(fc.json({ maxDepth: 5 }), (text) => {
        expect(parseStrict(text, most)).toMatchObject({ kind: "value", value: JSON.parse(text) })
      }),
    )
  })

  it("rejects exactly the texts that are not JSON", () => {
    const piece = fc.constantFrom(
      "{",
      "}",
      "[",
      "]",
      ",",
      ":",
      "1",
      "-",
      ".",
      "e",
      '"a"',
      '"b"',
      '"',
      "\\",
      " ",
      "null",
    )
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 12 }), (pieces) => {
        const text = pieces.join("")
        const read = parseStrict(text, most)
        if (read.kind === "bad" && read.problem !== "the line is not one JSON value") return
        expect(read.kind === "value").toBe(isJson(text))
      }),
    )
  })

  it("rejects a duplicate key, however it is escaped", () => {
    for (const twice of [
      '{"a":1,"a":1}',
      '{"a":1,"\\u0061":1}',
      '[{"x":{"a":{},"b":[1],"a":2}}]',
      '{"__proto__":1,"__proto__":2}',
    ])
      expect(parseStrict(twice, most)).toMatchObject({ kind: "bad", problem: expect.stringContaining("duplicate key") })
    for (const once of [
      '{"a":"a","b":"a"}',
      '[{"a":1},{"a":1}]',
      '{"a":{"a":["a","a"]},"b":"a"}',
      '{"a":"\\"a\\":1,"}',
    ])
      expect(parseStrict(once, most).kind).toBe("value")
  })

  it("rejects escaped lone surrogates", () => {
    for (const half of ['"\\ud800"', '"\\uDC00"', '{"\\ud800":1}', '"\\ud800\\ud800"', '"\\ud83c🎈"'])
      expect(parseStrict(half, most)).toMatchObject({ kind: "bad", problem: expect.stringContaining("lone surrogate") })
    expect(parseStrict('"\\ud83c\\udf88\\\\ud800"', most)).toMatchObject({ value: "🎈\\ud800" })
  })

  it("limits nesting to 127 levels, and the number of tokens", () => {
    expect(parseStrict(nested(127), most).kind).toBe("value")
    expect(parseStrict(nested(128), most)).toMatchObject({ problem: expect.stringContaining("127 levels") })
    expect(parseStrict("[1,2,3]", 6).kind).toBe("value")
    expect(parseStrict("[1,2,3,4]", 6)).toMatchObject({ problem: expect.stringContaining("6 tokens") })
    expect(parseStrict('"[[[[,,,,{{{{"', 3).kind).toBe("value")
  })

  it("stops at the first error, however long the rest is", () => {
    for (const piece of ['"\\ud8"', '"\\u"', "1. ", '""', '"":', "-"])
      expect(parseStrict(piece.repeat(2_000_000), most).kind).toBe("bad")
  })

  it("rejects a number that is out of range", () => {
    expect(parseStrict("[1e400]", most)).toMatchObject({ problem: "a number is out of range" })
    expect(parseStrict("1e308", most)).toMatchObject({ value: 1e308 })
  })

  it("marks numbers that are not written as integers", () => {
    const text = '{"a":2.0,"b":[1e3,-0,3],"c":"1.5","d":1.5}'
    expect(parseStrict(text, most)).toEqual({
      kind: "value",
      value: { a: 2, b: [1000, -0, 3], c: "1.5", d: 1.5 },
      probe: { a: 0.5, b: [0.5, 0.5, 3], c: "1.5", d: 0.5 },
    })
  })
})

function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}
