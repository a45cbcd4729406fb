import { describe, expect, it } from "vitest"
import type { JsonValue } from "../../src/contract/values.ts"
import { fill, fillObject, fit } from "./matching.ts"

const none = new Map<string, JsonValue>()
const id = "01a1e27a-835e-7643-a342-3ac2f3dbfc94"

describe("fit", () => {
  it.each<[JsonValue, JsonValue]>([
    [
      { a: 1, b: [true, null] },
      { b: [true, null], a: 1 },
    ],
    ["<any>", { whatever: 1 }],
    ["<string>", ""],
    ["<integer>", 7],
    ["<number>", 0.5],
    ["<boolean>", false],
    ["<object>", {}],
    ["<list>", []],
    ["<uuid>", id],
    ["</^apr_\\d+$/>", "apr_12"],
    [
      { a: 1, "...": "<any>" },
      { a: 1, b: 2 },
    ],
    ["< no name >", "< no name >"],
  ])("fits: %j %j", (expected, received) => {
    expect(fit(expected, received, none).kind).toBe("fits")
  })

  it.each<[JsonValue, JsonValue | undefined, string, string, string]>([
    [{ a: 1 }, { a: 2 }, "a", "1", "2"],
    [{ a: 1 }, { a: "1" }, "a", "1", '"1"'],
    [{ a: { b: [1, 2] } }, { a: { b: [1, 3] } }, "a.b.1", "2", "3"],
    [{ a: [1] }, { a: [1, 2] }, "a.the number of items", "1", "2"],
    [{ a: 1 }, {}, "a", "1", "nothing"],
    [{ a: null }, {}, "a", "null", "nothing"],
    [{}, { a: null }, "a", "no such field", "null"],
    [{ a: {} }, { a: { __proto__: 1, b: 1 } }, "a.b", "no such field", "1"],
    [[], {}, "", "[]", "{}"],
    [{}, [], "", "{}", "[]"],
    ["<integer>", 7.5, "", '"<integer>"', "7.5"],
    ["<uuid>", "01a1e27a", "", '"<uuid>"', '"01a1e27a"'],
    ["</^a/>", "ba", "", '"</^a/>"', '"ba"'],
    ["<string>", undefined, "", '"<string>"', "nothing"],
    [{ toString: "<any>" }, {}, "toString", '"<any>"', "nothing"],
  ])("differs: %j %j", (expected, received, where, wanted, shown) => {
    expect(fit(expected, received, none)).toEqual({ kind: "differs", where, expected: wanted, received: shown })
  })

  it("reports a different field before an extra one", () => {
    expect(fit({ type: "a" }, { type: "b", more: 1 }, none)).toMatchObject({ where: "type" })
  })
})

describe("a captured name", () => {
  it("matches the captured value within a frame and after it", () => {
    const first = fit({ id: "<uuid as visit>", again: "<visit>" }, { id, again: id }, none)
    if (first.kind === "differs") throw new Error(first.where)
    expect(fit("<visit>", id, first.captures).kind).toBe("fits")
    expect(fit("<visit>", "another", first.captures).kind).toBe("differs")
    expect(fill({ action: "get", ids: ["<visit>"], path: "<visit>/x", other: "<unknown>/x" }, first.captures)).toEqual({
      action: "get",
      ids: [id],
      path: `${id}/x`,
      other: "<unknown>/x",
    })
  })

  it("that was not captured is an error in the scenario", () => {
    expect(() => fit("<visit>", id, none)).toThrow("no value was captured as <visit>")
    expect(() => fill(["<visit>"], none)).toThrow("no value was captured as <visit>")
  })

  it("can be captured by a kind or a pattern", () => {
    const one = fit({ n: "<integer as count>", t: "</^apr_/ as approval>" }, { n: 3, t: "apr_1" }, none)
    expect(one).toEqual({
      kind: "fits",
      captures: new Map<string, JsonValue>([
        ["count", 3],
        ["approval", "apr_1"],
      ]),
    })
    expect(fillObject({ limit: "<count>" }, new Map([["count", 3]]))).toEqual({ limit: 3 })
  })
})
