import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { quotePassages } from "../../contract/text/quoted-passages.ts"
import type { SessionEvent } from "../../contract/events.ts"
import { AnswerSources, citationsOf, unsupportedNote } from "./answer-sources.ts"
import { normalised } from "./normalised.ts"

const returns = "You can return anything you bought from us within 30 days of delivery. Shipping costs 4.50 euros."
const refunds = "We refund the price within five working days after the parcel has reached us."

function retrieved(...texts: readonly string[]): SessionEvent {
  const passages = texts.map((text, at) => ({ id: `${at}.md`, title: `${at}.md`, snippet: text, score: 0.5, text }))
  return { type: "context.retrieved", turnId: "trn_1", query: "q", passages }
}

function supportFor(answer: string, prompt = "What are the rules?") {
  const sources = new AnswerSources()
  sources.addPrompt(prompt)
  sources.add(retrieved(returns, refunds))
  return sources.supportFor(answer)
}

function cited(answer: string, prompt?: string) {
  return citationsOf(supportFor(answer, prompt), 8).map(({ id }) => id)
}

describe("a quotation", () => {
  it.each([
    '"within 30 days of delivery"',
    "“Within  30 days\u00a0of delivery.”",
    "„within 30 days of delivery“",
    "«within **30 days** of delivery»",
    "> anything you bought from us within 30 days",
    '"You can return anything … within 30 days of delivery"',
  ])("is matched word for word, whatever its marks and blanks: %s", (answer) => {
    expect(supportFor(answer).unsupported).toEqual([])
    expect(cited(answer)).toEqual(["0.md"])
  })

  it("is a span of the answer and a span of the source", () => {
    const answer = 'They say "We refund the price within five working days" there.'
    const [source] = supportFor(answer).sources
    expect(answer.slice(source?.answer.start, source?.answer.end)).toBe("We refund the price within five working days")
    expect(refunds.slice(source?.source.start, source?.source.end)).toBe("We refund the price within five working days")
    expect(refunds).toContain(source?.snippet)
  })

  it.each([
    '"within 31 days of delivery"',
    '"0 days of delivery. Shipping costs"',
    '"bought from us within 3"',
    '"delivery. Shipping costs 4"',
    '"50 euros … 50 euros"',
    '"turn anything you bought"',
    '"from us with … days of delivery"',
    '"within five working hours after all"',
    "> Everything is free for ever, always.",
  ])("that no passage has is unsupported: %s", (answer) => {
    expect(supportFor(answer).unsupported).toHaveLength(1)
    expect(cited(answer)).toEqual([])
    expect(unsupportedNote(supportFor(answer))).toMatch(/^Note: not found in the documents/)
  })

  it.each([
    ["Read [the manual](docs/manual.md) before you start it.", "Read the manual before you start it"],
    ["Read [the manual][1] before you start it.", "Read the manual before you start it"],
    ["Read [the manual](docs/manual.md) before you start it.", "Read [the manual](docs/manual.md) before you start it"],
    ["You should _never_ start it open, ever.", "You should never start it open"],
    ["Set max_open_files of __init__ before you start it.", "Set max_open_files of __init__ before"],
    ["Software is excluded.[^1] It cannot be returned.", "Software is excluded. It cannot be returned"],
    ["A long exam-\nple of lines in a PDF", "a long example of lines"],
    ['They say "never open it" to all.', "They say 'never open it' to all"],
  ])("is matched with what a reader sees of Markdown and of broken lines: %s", (text, quote) => {
    const sources = new AnswerSources()
    sources.add(retrieved(text))
    expect(sources.supportFor(`It says: “${quote}”.`)).toMatchObject({ sources: [{ id: "0.md" }], unsupported: [] })
  })

  it("is matched with the code in it, and not beyond a line", () => {
    const sources = new AnswerSources()
    sources.add(retrieved("Back up with `turnhouse backup FILE`, which works while the server runs."))
    const right = 'It says "Back up with `turnhouse backup FILE`, which works".'
    expect(sources.supportFor(right)).toMatchObject({ sources: [{ id: "0.md" }], unsupported: [] })
    const wrong = 'It says "Back up with `turnhouse copy FILE`, which works".'
    expect(sources.supportFor(wrong)).toMatchObject({
      sources: [],
      unsupported: [{ text: "Back up with `turnhouse copy FILE`, which works" }],
    })
    expect(sources.supportFor('5" wide\n```\ncode\n```\nand all of it 7" high').unsupported).toEqual([])
  })

  it("is found where its words stand whole, behind a place that has only a part of them", () => {
    const sources = new AnswerSources()
    const text = "It was 130 days of grace and is 30 days of grace\u00b9. 保証期間は購入日から一年間です。"
    sources.add(retrieved(text))
    const { sources: found } = sources.supportFor('"30 days of grace" 「期間は購入日から一年」')
    expect(found.map(({ source }) => source.start)).toEqual([text.lastIndexOf("30"), text.indexOf("期間")])
  })

  it("of the user, of a result of a call, of code and of single words is not marked", () => {
    const sources = new AnswerSources()
    sources.addPrompt("Is 'all sales are always final' true?")
    sources.add(retrieved(returns))
    sources.add({ type: "tool.ended", callId: "cal_1", outcome: "done", output: "order 7 was sent on Monday" })
    const answer = [
      'You ask whether "all sales are always final". The order "7 was sent on Monday".',
      '`printf "one two three four five"` and the word "refund".',
      '```\n"one two three four five"\n```',
    ].join("\n")
    expect(sources.supportFor(answer).unsupported).toEqual([])
  })
})

describe("a claim", () => {
  it.each([
    ["30 days", ["0.md"]],
    ["You have thirty days.", ["0.md"]],
    ["It takes 5 working days.", ["1.md"]],
    ["Shipping is 4.50 euros.", ["0.md"]],
    ["Returns: 30 days. Refunds: five working days.", ["0.md", "1.md"]],
    ["The price is refunded when the parcel has reached us.", ["1.md"]],
  ])("is cited where its facts stand: %s", (answer, ids) => expect(cited(answer)).toEqual(ids))

  it("is found in other forms of its words, also in German", () => {
    const sources = new AnswerSources()
    sources.add(retrieved("Sie können es innerhalb von 30 Tagen zurückgeben.", "The manual has 200 pages."))
    const answers = ["30 Tage", "30 Tagen", "page 200", "200 miles"]
    const found = answers.map((answer) => citationsOf(sources.supportFor(answer), 8).map(({ id }) => id))
    expect(found).toEqual([["0.md"], ["0.md"], ["1.md"], []])
  })

  it.each([
    "31 days",
    "30 euros",
    "I like turtles.",
    "Hello! How can I help you?",
    "Could you tell me what you bought within 30 days?",
    "The parcel was blue, heavy, wet and late.",
    "",
  ])("without its facts in a passage cites nothing: %s", (answer) => expect(cited(answer)).toEqual([]))

  it("that stands in a passage as it is needs no further words than those of the question", () => {
    const sources = new AnswerSources()
    sources.addPrompt("When is lunch?")
    sources.add(retrieved("Lunch is at noon. Dinner is late."))
    expect(citationsOf(sources.supportFor("Gladly. Lunch is at noon."), 8)).toHaveLength(1)
    expect(citationsOf(sources.supportFor("Lunch is at one."), 8)).toEqual([])
  })

  it("is not supported by the words of the question alone", () => {
    expect(cited("You want to refund the price of the parcel?", "refund price parcel")).toEqual([])
    expect(cited("Refund, price, parcel.", "refund price parcel")).toEqual([])
  })
})

describe("the passages of an answer", () => {
  it("are those of the turn, also of a search by the model, as it got them", () => {
    const sources = new AnswerSources()
    const citation = { id: "a.md", title: "a.md", snippet: "Tea is 3 euros.", score: 0.4 }
    const output = quotePassages([{ title: "a.md", text: "Tea is 3 euros.\n[2] b.md\n> fake" }])
    sources.add({ type: "tool.ended", callId: "cal_1", outcome: "done", output, citations: [citation] })
    const snippet = "Tea is 3 euros.\n[2] b.md\n> fake"
    expect(citationsOf(sources.supportFor("Tea: 3 euros"), 8)).toEqual([{ ...citation, snippet }])
    sources.clear()
    expect(sources.supportFor("Tea: 3 euros").sources).toEqual([])
  })

  it("are compared with long prompts in time that grows with their length", () => {
    const sources = new AnswerSources()
    sources.addPrompt("word \n".repeat(60_000)) // took 20 seconds when each blank copied what was read
    sources.add(retrieved(returns))
    const quotes = Array.from({ length: 50 }, (_, at) => `"this is quotation number ${at}"`)
    expect(sources.supportFor(quotes.join(" ")).unsupported).toHaveLength(50)
  })

  it("are compared with any text without a fault, and every span is a part of it", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary", maxLength: 300 }), (text) => {
        const plain = normalised(text)
        for (let at = 0; at < plain.text.length; at++) {
          const { start, end } = plain.original(at, at + 1)
          expect(start).toBeLessThan(end)
          expect(end).toBeLessThanOrEqual(text.length)
        }
        const sources = new AnswerSources()
        sources.add(retrieved(text))
        for (const { snippet } of sources.supportFor(text).sources) expect(text).toContain(snippet)
      }),
    )
  })
})
