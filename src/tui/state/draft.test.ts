import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { columnsOf } from "../../display/spans.ts"
import { draftRows, cursorPlace, moveRow } from "./draft-rows.ts"
import { draftOf, emptyDraft, insert, insertCut, move, paste, remove, wholeText, type Motion } from "./draft.ts"

const at = (text: string) => {
  const cursor = text.indexOf("|")
  return { ...emptyDraft, text: text.replace("|", ""), cursor }
}
const shown = ({ text, cursor }: { text: string; cursor: number }) => `${text.slice(0, cursor)}|${text.slice(cursor)}`

describe("keys on a draft", () => {
  it.each<[string, Motion, string]>([
    ["ab|c", "left", "a|bc"],
    ["a👨‍👩‍👧|b", "left", "a|👨‍👩‍👧b"],
    ["é|", "left", "|é"],
    ["|ab", "right", "a|b"],
    ["one two  |three", "word-left", "one |two  three"],
    ["one| two three", "word-right", "one two| three"],
    ["a\nbc|d", "line-start", "a\n|bcd"],
    ["a\nb|cd\ne", "line-end", "a\nbcd|\ne"],
  ])("%j: %s leads to %j", (before, motion, after) => {
    expect(shown(move(at(before), motion))).toBe(after)
  })

  it("cuts and inserts again", () => {
    const cut = remove(at("one two| three"), "word-left")
    expect(shown(cut)).toBe("one | three")
    expect(shown(insertCut(cut))).toBe("one two| three")
  })

  it("replaces an unpaired surrogate", () => {
    expect(insert(emptyDraft, "\ud800").text).toBe("\u{fffd}")
  })
})

describe("a large paste", () => {
  const text = Array.from({ length: 20 }, (_, line) => `line ${line}`).join("\n")

  it("is one block until it is sent", () => {
    const draft = insert(paste(draftOf("see "), text), " please")
    expect(draft.text).toBe("see [pasted 1: 20 lines] please")
    expect(wholeText(draft)).toBe(`see ${text} please`)
  })

  it("is removed as a whole", () => {
    expect(remove(paste(draftOf("a"), text), "left").text).toBe("a")
  })

  it("of a few lines is inserted as it is", () => {
    expect(paste(emptyDraft, "a\nb").text).toBe("a\nb")
  })
})

describe("rows", () => {
  it("are broken at the width, wide characters included", () => {
    expect(draftRows("ab日本c\n\nd", 4).map(({ text }) => text)).toEqual(["ab日", "本c", "", "d"])
  })

  it("are passed up and down in the same column", () => {
    expect(shown(moveRow(at("abcd\nef\nghi|j"), 10, -1) ?? emptyDraft)).toBe("abcd\nef|\nghij")
    expect(moveRow(at("ab|c"), 10, -1)).toBeUndefined()
    expect(shown(moveRow(at("abcd|efgh"), 4, -1) ?? emptyDraft)).toBe("|abcdefgh")
  })

  it("never exceed the width, and show the cursor within it", () => {
    const text = fc.string({ unit: fc.constantFrom("a", "日", "👍", "\n", " ", "é", "\t"), maxLength: 60 })
    fc.assert(
      fc.property(text, fc.integer({ min: 8, max: 20 }), fc.nat(), (source, width, cut) => {
        const rows = draftRows(source, width)
        for (const row of rows) expect(columnsOf(row.text)).toBeLessThanOrEqual(width)
        const draft = move({ ...draftOf(source), cursor: 0 }, "right")
        const place = cursorPlace(rows, { ...draft, cursor: Math.min(draft.cursor, cut) })
        expect(place.row).toBeLessThan(rows.length)
        expect(place.column).toBeLessThanOrEqual(width)
      }),
    )
  })
})
