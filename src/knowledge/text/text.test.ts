import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { Chunker, type Chunk } from "./chunker.ts"
import { snippetOf, occursIn } from "./snippet.ts"
import { languageOfText } from "./analysis.ts"
import { splitCompound } from "./compounds.ts"
import { languages } from "./languages.ts"
import { nameTerms, queryWords, termsOf } from "./terms.ts"

function chunked(text: string, pieceLength = text.length || 1): readonly Chunk[] {
  const chunker = new Chunker()
  const chunks: Chunk[] = []
  for (let at = 0; at < text.length; at += pieceLength) chunks.push(...chunker.push(text.slice(at, at + pieceLength)))
  return [...chunks, ...chunker.end()]
}

const long = "Tea is drunk hot. ".repeat(15)

describe("terms", () => {
  it.each([
    ["en", "ship ships shipped shipping"],
    ["en", "policy policies"],
    ["en", "connect connections connected"],
    ["de", "Änderung Änderungen"],
    ["de", "Fußnote Fußnoten fussnote"],
    ["fr", "cellule cellules"],
    ["es", "celda celdas"],
  ] as const)("are equal for the forms of a word (%s): %s", (language, forms) =>
    expect(new Set(termsOf(forms, language)).size).toBe(1),
  )

  it("ignore case and accents", () => {
    expect(new Set(termsOf("Café CAFÉ cafe", "en")).size).toBe(1)
  })

  it.each([
    ["ThreadPoolExecutor", ["thread", "pool", "executor", "threadpoolexecutor"]],
    ["max_connections", ["max", "connect", "max_connections"]],
    ["os.path.expanduser", ["os", "path", "expandus", "os.path.expanduser"]],
    ["--force-with-lease", ["forc", "with", "leas", "force-with-lease"]],
    ["std::vector", ["std", "vector", "std.vector"]],
    ["parseHTML", ["pars", "html", "parsehtml"]],
  ])("of the identifier %s are its parts and the whole", (text, terms) => {
    expect(termsOf(text, "en")).toEqual(terms)
  })

  it("of a German compound with a visible joint are the whole and its parts", () => {
    expect(termsOf("Silbentrennungsregel", "de")).toEqual(["silbentrennungsregel", "silbentrenn", "regel"])
  })

  it("of text without spaces are pairs of characters", () => {
    expect(termsOf("東京都です", "en")).toEqual(["東京", "京都", "都で", "です"])
    expect(termsOf("字 한국어", "en")).toEqual(["字", "한국", "국어"])
  })

  it("of a name exclude its extension and URL scheme", () => {
    expect(nameTerms("docs/returns-2026.md", "en")).toEqual(["doc", "return", "2026", "returns-2026"])
    expect(nameTerms("https://shop.example/help", "en")).toEqual(["shop", "exampl", "shop.example", "help"])
  })

  it("contain no punctuation of normalized characters, and are never cut in the middle of one", () => {
    expect(termsOf("\u{1f101}\u{20000}", "en")).toEqual(["0\u{20000}"])
    for (const text of ["ß".repeat(60), `a${"\u{10400}".repeat(60)}`, `A_b${"\u{10400}".repeat(60)}`])
      for (const term of termsOf(text, "de")) expect(term).toMatch(/^[\p{L}\p{N}\p{M}_.-]{1,60}$/u)
  })

  it("can be computed for any text and contain only letters, digits and connectors", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary", maxLength: 200 }), fc.constantFrom(...languages), (text, language) => {
        for (const term of termsOf(text, language)) expect(term).toMatch(/^[\p{L}\p{N}\p{M}_.-]{1,60}$/u)
      }),
    )
  })
})

describe("words of a question", () => {
  it("are recognised as stop words in the language of the question", () => {
    const words = queryWords("Wie füge ich eine Fußnote ein?", ["en", "de"])
    expect(words.filter(({ isStopWord }) => !isStopWord).map(({ text }) => text)).toEqual(["füge", "fußnote"])
  })

  it("are greetings and thanks in any language", () => {
    for (const { isStopWord } of queryWords("Hello! Danke, merci, how are you?", ["en"])) expect(isStopWord).toBe(true)
  })

  it("have a form for each language of the documents", () => {
    expect(queryWords("Zellen", ["en", "de"])[0]?.terms).toEqual(["zellen", "zell"])
  })
})

describe("the language of a text", () => {
  it.each([
    ["de", "Klicken Sie auf die Zelle, die nicht geändert werden soll, und wählen Sie das Menü."],
    ["fr", "Cliquez sur la cellule qui ne doit pas être modifiée et choisissez le menu."],
    ["es", "Haga clic en la celda que no se debe cambiar y elija el menú para los datos."],
    ["en", "Click the cell that must not be changed and choose the menu."],
    ["en", "a b c y e o A-Z int x = 1; return x"],
  ])("is %s: %s", (language, text) => expect(languageOfText(text)).toBe(language))
})

describe("a compound", () => {
  it("is split where both parts are known, also with a linking letter", () => {
    const known = new Set(["seit", "umbruch", "adress", "etikett"])
    expect(splitCompound("seitenumbruch", (term) => known.has(term))).toEqual(["seit", "umbruch"])
    expect(splitCompound("adressetiketten", (term) => known.has(term))).toEqual(["adress", "etikett"])
    expect(splitCompound("zwiebelkuchen", (term) => known.has(term))).toBeUndefined()
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

  it("end before a table or between its rows, not inside of one", () => {
    const row = `| Tea | ${"It is drunk hot. ".repeat(8)}|`
    const table = ["| Name | Note |", "| --- | --- |", ...Array.from({ length: 20 }, () => row)].join("\n")
    const [intro, ...blocks] = chunked(`${long}\n\n${table}\n\nAfter.`).map(({ text }) => text)
    expect(intro).toBe(long.trim())
    expect(blocks.length).toBeGreaterThan(3)
    for (const block of blocks) expect(block).toMatch(/^(?:\|.*\|\n?)+(?:\nAfter\.)?$/)
    expect(chunked(`| a |\n| --- |\n| ${"long ".repeat(500)}|`).length).toBeGreaterThan(2)
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
    expect(snippetOf(text, new Set(termsOf("zebra sleep", "en")), "en")).toBe(
      "The zebra sleeps at noon. It eats grass.",
    )
  })

  it("occurs in its text and has a bounded length", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme", minLength: 1, maxLength: 900 }), fc.lorem(), (text, question) => {
        const source = text.trim()
        fc.pre(source !== "" && source.isWellFormed())
        const snippet = snippetOf(source, new Set(termsOf(question, "en")), "en")
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
