import { describe, expect, it } from "vitest"
import { Fields } from "./fields.ts"

describe("Fields", () => {
  const fields = new Fields({ text: " a ", blank: "  ", flag: false, number: 0, list: [1], object: { inner: "b" } })

  it("reads a field by kind; a field of another kind is missing", () => {
    expect([fields.text("text"), fields.text("flag")]).toEqual([" a ", undefined])
    expect([fields.boolean("flag"), fields.boolean("text")]).toEqual([false, undefined])
    expect([fields.number("number"), fields.number("text")]).toEqual([0, undefined])
    expect([fields.array("list"), fields.array("object")]).toEqual([[1], undefined])
    expect([fields.object("object")?.text("inner"), fields.object("list")]).toEqual(["b", undefined])
  })

  it("trims strings; a blank string is missing", () => {
    expect([fields.string("text"), fields.string("blank")]).toEqual(["a", undefined])
  })

  it("ignores inherited properties", () => {
    expect(fields.get("constructor")).toBeUndefined()
  })
})
