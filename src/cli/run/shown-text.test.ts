import { expect, it } from "vitest"
import { ShownText } from "./shown-text.ts"

it("what was heard in pieces is not shown again at its end", () => {
  const shown = new ShownText()
  for (const piece of ["Hel", "lo."]) shown.add("stp_1", 0, piece)
  expect(shown.rest("stp_1", 0, "Hello.")).toBe("")
})

it("what was missed is shown from where it broke off, once", () => {
  const shown = new ShownText()
  shown.add("stp_1", 0, "Hel")
  expect(shown.rest("stp_1", 0, "Hello.")).toBe("lo.")
  expect(shown.rest("stp_1", 0, "Hello.")).toBe("")
  expect(shown.rest("stp_1", 0, "Hello. More.")).toBe(" More.")
})

it("blocks and steps are told apart", () => {
  const shown = new ShownText()
  shown.add("stp_1", 0, "One")
  expect(shown.rest("stp_1", 1, "Two")).toBe("Two")
  expect(shown.rest("stp_2", 0, "Three")).toBe("Three")
})

it("words that a crash took back stay shown, and another text begins on a line of its own", () => {
  const shown = new ShownText()
  shown.add("stp_1", 0, "Hello there")
  expect(shown.rest("stp_1", 0, "Hello")).toBe("")
  shown.add("stp_2", 0, "Hello there")
  expect(shown.rest("stp_2", 0, "Good morning")).toBe("\nGood morning")
})
