import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { QuickReplies } from "./quick-replies.ts"

function read(...pieces: readonly string[]) {
  const replies = new QuickReplies()
  const shown = pieces.map((piece) => replies.push(piece))
  return { text: shown.join("") + replies.end(), shown, proposed: replies.proposed }
}

describe("quick replies", () => {
  it("are removed from the answer, with the white space before them", () => {
    const { text, proposed } = read('Which size?\n\n<quick-replies>["S", " L "]</quick-replies>\n')
    expect(text.trimEnd()).toBe("Which size?")
    expect(proposed).toEqual(["S", "L"])
  })

  it("do not depend on how the answer is split", () => {
    const whole = 'Which <b>size</b>?  \n<quick-replies>["S","L"]</quick-replies>'
    fc.assert(
      fc.property(fc.array(fc.nat(whole.length), { maxLength: 8 }), (cuts) => {
        const ends = [...cuts.toSorted((a, b) => a - b), whole.length]
        const pieces = ends.map((end, index) => whole.slice(ends[index - 1] ?? 0, end))
        expect(read(...pieces)).toMatchObject({ text: "Which <b>size</b>?", proposed: ["S", "L"] })
      }),
    )
  })

  it("hold back no text that cannot become a tag", () => {
    expect(read("Hello ", "world", " <quick", "er> is better", " ").shown).toEqual([
      "Hello",
      " world",
      "",
      " <quicker> is better",
      "",
    ])
    expect(read("a < b <").text).toBe("a < b <")
  })

  it("are at most four, without blank, long and non-string ones", () => {
    const many = JSON.stringify(["a", "", 3, "x".repeat(500), "b", "c", "d", "e"])
    expect(read(`Hm.<quick-replies>${many}</quick-replies>`).proposed).toEqual(["a", "b", "c", "d"])
  })

  it.each(["nonsense", "{}", '["half'])("are dropped if they are malformed: %s", (inner) => {
    expect(read(`Hm.\n<quick-replies>${inner}</quick-replies>`)).toMatchObject({ text: "Hm.", proposed: [] })
    expect(read(`Hm.\n<quick-replies>${inner}`)).toMatchObject({ text: "Hm.", proposed: [] })
  })

  it("do not hide text after them", () => {
    expect(read('One<quick-replies>["S"]</quick-replies> and two.')).toMatchObject({
      text: "One and two.",
      proposed: ["S"],
    })
  })
})
