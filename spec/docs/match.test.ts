import { describe, expect, it } from "vitest"
import { search, type Section } from "../../scripts/docs/page/match.ts"

const sections: readonly Section[] = [
  { url: "tools.html", page: "Tools", heading: "", text: "What a model can do. An approval may be needed." },
  { url: "approvals.html", page: "turnhouse approvals", heading: "", text: "Lists what waits." },
  { url: "tools.html#rules", page: "Tools", heading: "Approval rules", text: "Rules decide." },
  { url: "decisions/x.html", page: "A decision", heading: "", text: "An approval was once different. Rules." },
]

function urls(query: string): readonly string[] {
  return search(sections, query).map(({ section }) => section.url)
}

describe("search", () => {
  it("finds parts of words in any case, headings and titles before text", () => {
    expect(urls("APPROV")).toEqual(["approvals.html", "tools.html#rules", "tools.html", "decisions/x.html"])
  })

  it("needs all words", () => {
    expect(urls("rules approval")).toEqual(["tools.html#rules", "decisions/x.html"])
    expect(urls("approval zebra")).toEqual([])
  })

  it("finds nothing for an empty query", () => {
    expect(urls("  ")).toEqual([])
  })

  it("shows the text around the first word, with the words marked", () => {
    const text = `${"before ".repeat(60)}the needle ${"after ".repeat(60)}`
    const [match] = search([{ url: "a", page: "", heading: "", text }], "needle the")
    const marked = match?.excerpt.filter((part) => part.isMarked).map((part) => part.text)
    expect(marked).toEqual(["the", "needle"])
    expect(match?.excerpt.map((part) => part.text).join("")).toMatch(/^… before .* the needle after .* …$/)
  })
})
