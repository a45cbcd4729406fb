// The test suite of the search: the local index and PostgreSQL call `searchContract` in their test files.
import fc from "fast-check"
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest"
import type { Passage } from "../../contract/values.ts"
import type { TemporaryIndex, TextDocument } from "../fixtures/temporary-index.ts"
import { wordEmbedder } from "../fixtures/word-embedder.ts"
import type { Rights } from "../rights.ts"
import type { Question } from "./search.ts"

export interface SearchUnderTest extends Pick<TemporaryIndex, "put" | "embed" | "remove"> {
  find(question: Question, vector: Float32Array | undefined): Promise<readonly Passage[]>
  /** Deletes all documents. */
  reset(): Promise<void>
  close(): Promise<void>
}

export interface SearchConditions {
  /** Whether it searches by meaning. */
  readonly hasVectors: boolean
  readonly open: () => Promise<SearchUnderTest>
}

const visitor: Rights = { org: "local", groups: [] }
const staff: Rights = { org: "local", groups: ["staff"] }

const returns = { name: "returns.md", text: "# Returns\n\nSend the goods back within thirty days of delivery." }
const shipping = { name: "shipping.md", text: "# Shipping\n\nA parcel takes three days. Large parcels take five." }
const salaries = {
  name: "salaries.md",
  text: "# Salaries\n\nThe parcel clerk earns a salary of two thousand. Returns are handled by trainees.",
  audience: ["staff"],
}

interface FindOptions {
  readonly rights?: Rights
  readonly sets?: readonly string[]
  readonly limit?: number
  readonly byMeaning?: boolean
  readonly vector?: Float32Array
  readonly mustFit?: boolean
}

export function searchContract(place: string, { hasVectors, open }: SearchConditions): void {
  let index: SearchUnderTest

  const found = async (text: string, options: FindOptions = {}): Promise<readonly Passage[]> => {
    const { rights = visitor, sets = [], limit = 5, byMeaning = false, mustFit = false } = options
    const [vector = options.vector] = byMeaning ? await wordEmbedder.embed([text]) : []
    return index.find({ text, limit, rights, sets, mustFit }, vector)
  }

  describe(`a search in ${place}`, () => {
    beforeAll(async () => {
      index = await open()
    })
    afterAll(() => index.close())
    afterEach(() => index.reset())

    describe("a search by words", () => {
      it("ranks the passage first that matches most of the question", async () => {
        await index.put(returns, shipping)
        const passages = await found("a large parcel of goods")
        expect(passages.map(({ id }) => id)).toEqual(["shipping.md", "returns.md"])
        expect(passages[0]?.score).toBeGreaterThan(passages[1]?.score ?? 1)
      })

      it("finds a document by its name and by its headings", async () => {
        await index.put(returns, shipping)
        expect((await found("returns.md")).map(({ id }) => id)).toEqual(["returns.md"])
        expect((await found("anything about shipping?")).map(({ id }) => id)).toEqual(["shipping.md"])
      })

      it("prefers a document that is about the question to one that mentions it once", async () => {
        const filler = "Nothing here is of any interest to a reader of this page, whatever they look for.\n\n".repeat(9)
        await index.put(
          { name: "a.md", text: `# Notes\n\n${filler}\n\n## Elsewhere\n\nA parcel is weighed at the desk. ${filler}` },
          {
            name: "b.md",
            text: `# Notes\n\nHow a parcel is weighed.\n\n${filler}\n\nEvery parcel is weighed at the desk.`,
          },
        )
        expect((await found("weighed parcel")).map(({ id }) => id)[0]).toBe("b.md")
      })

      it("gives passages of other documents before the third one of the same document", async () => {
        const parts = (count: number) =>
          Array.from({ length: count }, (_, at) => `## Part ${at}\n\n${"Parcels are weighed here. ".repeat(12)}`)
        await index.put(
          { name: "long.md", text: `# Weighing\n\n${parts(5).join("\n\n")}` },
          { name: "short.md", text: `# Weighing\n\n${parts(2).join("\n\n")}` },
          ...Array.from({ length: 9 }, (_, at) => ({ name: `other-${at}.md`, text: "Nothing about it." })),
        )
        const ids = (await found("weighed parcels")).map(({ id }) => id)
        expect(new Set(ids.slice(0, 3))).toEqual(new Set(["long.md", "short.md"]))
      })

      it("finds other forms of a word, and words with accents", async () => {
        await index.put(shipping, { name: "cafe.md", text: "Ein Café in München." })
        expect((await found("shipped parcels")).map(({ id }) => id)).toEqual(["shipping.md"])
        expect((await found("cafe munchen")).map(({ id }) => id)).toEqual(["cafe.md"])
      })

      it("finds text in scripts without spaces", async () => {
        await index.put({ name: "tokyo.md", text: "東京都は日本の首都です。" }, shipping)
        expect((await found("日本の首都")).map(({ id }) => id)).toEqual(["tokyo.md"])
      })

      it("finds nothing for small talk, for unknown words and for no words", async () => {
        await index.put(returns, shipping)
        for (const text of ["hello, how are you?", "thanks!", "zebra", "", "  ", "?!", '" OR *', "(((", "NOT -"])
          expect(await found(text)).toEqual([])
      })

      it("treats a question as words, never as query syntax", async () => {
        await index.put(returns, shipping)
        expect((await found('parcel" OR "x* NEAR(a b) terms:y')).map(({ id }) => id)).toEqual(["shipping.md"])
      })

      it("quotes text that occurs literally in the document", async () => {
        const text = `# Long\n\n${"Some words that are not asked for. ".repeat(20)}\nThe zebra\nsleeps at noon — always. ${"More words. ".repeat(30)}`
        await index.put({ name: "long.md", text })
        const [passage] = await found("when does the zebra sleep")
        expect(text).toContain(passage?.snippet)
        expect(passage?.snippet).toContain("The zebra\nsleeps at noon")
        expect(passage?.snippet.length).toBeLessThanOrEqual(280)
      })

      it("does not find removed or changed text", async () => {
        await index.put(returns, shipping)
        await index.put({ name: "shipping.md", text: "We do not ship any more." })
        expect(await found("parcel")).toEqual([])
        await index.remove("returns.md")
        expect(await found("goods")).toEqual([])
      })

      it("searches only the named sets", async () => {
        await index.put({ ...returns, sets: ["shop"] }, { ...shipping, sets: ["shop", "post"] })
        await index.put({ name: "other.md", text: "A parcel of land.", sets: ["land"] })
        expect((await found("parcel", { sets: ["post"] })).map(({ id }) => id)).toEqual(["shipping.md"])
        expect((await found("parcel", { sets: ["land", "post"] })).map(({ id }) => id)).toHaveLength(2)
        expect(await found("parcel", { sets: ["none"] })).toEqual([])
      })
    })

    describe.runIf(hasVectors)("a search by meaning", () => {
      it("finds a passage without any word of the question", async () => {
        await index.put({ name: "money.md", text: "The refund comes soon." }, { name: "car.md", text: "A vehicle." })
        await index.embed(wordEmbedder)
        expect(await found("when do I see my cash again")).toEqual([])
        const passages = await found("when do I see my cash again", { byMeaning: true })
        expect(passages.map(({ id }) => id)).toEqual(["money.md"])
      })

      it("ranks first what both lists rank high", async () => {
        await index.put(
          { name: "a.md", text: "Box of tea for the doctor." },
          { name: "b.md", text: "The box, the parcel, the delivery." },
          { name: "c.md", text: "A package by mail." },
        )
        await index.embed(wordEmbedder)
        const passages = await found("delivery of a box", { byMeaning: true })
        expect(passages[0]?.id).toBe("b.md")
        expect(passages[0]?.score).toBeLessThanOrEqual(1)
        expect(passages.map(({ id }) => id)).toContain("c.md")
      })

      it("searches only the named sets", async () => {
        await index.put(
          { name: "a.md", text: "The refund.", sets: ["one"] },
          { name: "b.md", text: "The price.", sets: ["two"] },
        )
        await index.embed(wordEmbedder)
        const passages = await found("cash", { byMeaning: true, sets: ["two"] })
        expect(passages.map(({ id }) => id)).toEqual(["b.md"])
      })
    })

    describe("a search that must fit", () => {
      it.each([
        "Hello!",
        "Can you help me?",
        "Thanks a lot, have a nice day",
        "Vielen Dank, guten Abend",
        "¿Me puedes ayudar?",
      ])("finds nothing for small talk, although documents have the words: %s", async (text) => {
        await index.put({
          name: "help.md",
          text: "# Help\n\nHelp me a lot, have a nice day, vielen Dank, guten Abend, ayudar.",
        })
        expect(await found(text, { mustFit: true })).toEqual([])
      })

      it("finds a document of which a passage is about most of the question, and none that only shares a word", async () => {
        await index.put(
          returns,
          shipping,
          ...Array.from({ length: 9 }, (_, at) => ({ name: `${at}.md`, text: "Nothing." })),
        )
        expect((await found("When do I send goods back?", { mustFit: true })).map(({ id }) => id)).toEqual([
          "returns.md",
        ])
        expect(await found("Which goods does the astronaut prefer for breakfast on Mars?", { mustFit: true })).toEqual(
          [],
        )
      })

      it.runIf(hasVectors)(
        "by meaning needs more similarity than passages have to each other, whatever is usual for the model",
        async () => {
          await index.put(
            ...Array.from({ length: 60 }, (_, at) => ({ name: `${at}.md`, text: `Passage number ${at}.` })),
          )
          const around = (seed: number) => {
            let state = Math.imul(seed + 1, 2_654_435_761) >>> 0
            const noise = () =>
              (state = (Math.imul(state ^ (state >>> 15), 1_664_525) + 1_013_904_223) >>> 0) / 2 ** 32 - 0.5
            return Float32Array.from({ length: 64 }, () => 1 + noise())
          }
          await index.embed({
            name: "test/narrow",
            embed: async (texts) => texts.map((text) => around(Number(/\d+/.exec(text)))),
          })
          expect((await found("zebra", { vector: around(7), mustFit: true }))[0]?.id).toBe("7.md")
          expect(await found("zebra", { vector: around(900), mustFit: true })).toEqual([])
        },
      )
    })

    describe("rights", () => {
      it("show a document with an audience to its groups and to local users only", async () => {
        await index.put(returns, shipping, salaries)
        expect((await found("salaries.md")).map(({ id }) => id)).toEqual([])
        expect((await found("salaries.md", { rights: staff })).map(({ id }) => id)).toEqual(["salaries.md"])
        const host: Rights = { org: "local", groups: "all" }
        expect((await found("salaries.md", { rights: host })).map(({ id }) => id)).toEqual(["salaries.md"])
        const others: Rights = { org: "local", groups: ["customers", "STAFF", ""] }
        expect(await found("salaries.md", { rights: others })).toEqual([])
      })

      it("show a document with an empty audience to no one", async () => {
        await index.put({ ...salaries, audience: [] })
        for (const groups of [[], ["staff"], "all"] as const)
          expect(await found("salary", { rights: { org: "local", groups } })).toEqual([])
      })

      it("show nothing of another organisation, even with equal groups", async () => {
        await index.put(
          returns,
          { ...salaries, org: "acme" },
          { ...shipping, org: "acme" },
          { ...shipping, org: "public" },
        )
        expect(await found("parcel salary", { rights: { org: "local", groups: "all" } })).toEqual([])
        const acme: Rights = { org: "acme", groups: [] }
        expect((await found("parcel returns", { rights: acme })).map(({ id }) => id)).toEqual(["shipping.md"])
      })

      it("follow a change of a document's audience", async () => {
        await index.put(salaries)
        expect(await found("salary")).toEqual([])
        await index.put({ ...salaries, audience: undefined })
        expect(await found("salary")).toHaveLength(1)
        await index.put(salaries)
        expect(await found("salary")).toEqual([])
      })

      it.each(hasVectors ? [false, true] : [false])(
        "keep forbidden documents from influencing scores and order (by meaning: %s)",
        async (byMeaning) => {
          const words = ["parcel", "salary", "refund", "doctor", "vehicle", "delivery", "staff", "goods", "box", "cash"]
          const text = fc
            .array(fc.constantFrom(...words), { minLength: 1, maxLength: 30 })
            .map((list) => list.join(" "))
          const audience = fc.constantFrom<readonly string[] | undefined>(["staff"], ["board", "staff"], [], ["board"])
          await fc.assert(
            fc.asyncProperty(
              fc.array(text, { minLength: 1, maxLength: 6 }),
              fc.array(fc.tuple(text, audience), { minLength: 1, maxLength: 6 }),
              text,
              async (visible, hidden, question) => {
                const allowed = visible.map((one, at): TextDocument => ({ name: `open-${at}.md`, text: one }))
                const forbidden = hidden.map(([one, whose], at): TextDocument => {
                  return { name: `hidden-${at}.md`, text: one, audience: whose }
                })
                const foreign = hidden.map(([one], at): TextDocument => ({
                  name: `f-${at}.md`,
                  text: one,
                  org: "acme",
                }))
                const alone = await searched([...allowed], question)
                const among = await searched([...forbidden, ...foreign, ...allowed, ...forbidden], question)
                expect(among).toEqual(alone)
              },
            ),
            { numRuns: 25 },
          )
          async function searched(documents: readonly TextDocument[], question: string) {
            await index.reset()
            await index.put(...documents)
            if (byMeaning) await index.embed(wordEmbedder)
            return found(question, { byMeaning, limit: 50 })
          }
        },
      )

      it("make scores of several classes comparable: the better passage wins, whichever class it is in", async () => {
        await index.put(...Array.from({ length: 20 }, (_, at) => ({ name: `p${at}.md`, text: `Parcel number ${at}.` })))
        await index.put({ name: "rules.md", text: "The parcel clerk must wear gloves.", audience: ["staff"] })
        const [first] = await found("parcel clerk gloves", { rights: staff })
        expect(first?.id).toBe("rules.md")
      })
    })
  })
}
