import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { Chunker, type Chunk } from "./chunker.ts"
import { snippetOf, occursIn } from "./snippet.ts"
import { nameTerms, termsOf } from "./terms.ts"

function chunked(text: string, pieceLength = text.length || 1): readonly Chunk[] {
  const chunker = new Chunker()
  const chunks: Chunk[] = []
  for (let at = 0; at < text.length; at += pieceLength) chunks.push(...chunker.push(text.slice(at, at + pieceLength)))
  return [...chunks, ...chunker.end()]
}

const long = "Tea is drunk hot. ".repeat(15)

describe("terms", () => {
  it.each([
    "ship ships shipped shipping",
    "return returns returned returning",
    "policy policies",
    "box boxes",
    "make makes making",
    "refund refunds refunded",
    "house houses",
  ])("are equal for the forms of a word: %s", (forms) => expect(new Set(termsOf(forms)).size).toBe(1))

  it("exclude stop words and ignore case and accents", () => {
    expect(termsOf("The AND of, it!")).toEqual([])
    expect(termsOf("Café CAFÉ cafe")).toEqual(["caf", "caf", "caf"])
  })

  it("of a name exclude its extension and URL scheme", () => {
    expect(nameTerms("docs/returns-2026.md")).toEqual(["doc", "return", "2026"])
    expect(nameTerms("https://shop.example/help")).toEqual(["shop", "exampl", "help"])
  })

  it("can be computed for any text and contain only letters and digits", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary", maxLength: 200 }), (text) => {
        for (const term of termsOf(text)) expect(term).toMatch(/^[\p{L}\p{N}]{1,40}$/u)
      }),
    )
  })
})

describe("passages", () => {
  it("occur literally in the text and cover all of it except blanks, however it is split into chunks", () => {
    const words = fc.constantFrom(
      "tea",
      "# Head\n",
      "\n\n",
      " ",
      ". ",
      "é😀",
      "```\n",
      "x".repeat(1500),
      "- item\n",
      "\r\n",
    )
    fc.assert(
      fc.property(fc.array(words, { maxLength: 200 }), fc.integer({ min: 1, max: 700 }), (parts, pieceLength) => {
        const text = parts.join("")
        const chunks = chunked(text, pieceLength)
        for (const { text: passage } of chunks) {
          expect(text).toContain(passage)
          expect(passage.length).toBeLessThanOrEqual(900)
          expect(passage.isWellFormed()).toBe(true)
        }
        expect(
          chunks
            .map((chunk) => chunk.text)
            .join("")
            .replaceAll(/\s/g, ""),
        ).toBe(text.replaceAll(/\s/g, ""))
      }),
    )
  })

  it("start at headings and have the headings above them", () => {
    const chunks = chunked(`# Tea\n\n${long}\n\n## Green\n\n${long}\n\n# Coffee\n\n${long}\n`)
    expect(chunks.map(({ headings }) => headings)).toEqual([["Tea"], ["Tea", "Green"], ["Coffee"]])
    expect(chunks[1]?.text.startsWith("## Green")).toBe(true)
  })

  it("do not treat a comment in a code block as a heading", () => {
    const chunks = chunked(`# Tea\n\n\`\`\`sh\n# not a heading\n\`\`\`\n\n${long}`)
    expect(chunks.map(({ headings }) => headings)).toEqual([["Tea"]])
  })

  it("of an endless line are emitted while it arrives", () => {
    const chunker = new Chunker()
    let passages = 0
    for (let piece = 0; piece < 200; piece++) passages += chunker.push("word ".repeat(1000)).length
    expect(passages).toBeGreaterThan(1000)
  })
})

describe("a snippet", () => {
  it("is the best matching sentence, and no heading", () => {
    const text = `# Zebra\n\n${long}\nThe zebra sleeps at noon. It eats grass.`
    expect(snippetOf(text, new Set(termsOf("zebra sleep")))).toBe("The zebra sleeps at noon. It eats grass.")
  })

  it("occurs in its text and has a bounded length", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme", minLength: 1, maxLength: 900 }), fc.lorem(), (text, question) => {
        const source = text.trim()
        fc.pre(source !== "" && source.isWellFormed())
        const snippet = snippetOf(source, new Set(termsOf(question)))
        expect(snippet.length).toBeLessThanOrEqual(280)
        expect(snippet.isWellFormed()).toBe(true)
        expect(source).toContain(snippet)
      }),
    )
  })

  it("with one changed letter does not occur in its source", () => {
    expect(occursIn("Send it back.", "Send it back.")).toBe(true)
    for (const snippet of ["Sent it back.", "send it back.", "Send  it back.", "", "x".repeat(281)])
      expect(occursIn(`Send it back. ${"x".repeat(400)}`, snippet)).toBe(false)
  })
})
