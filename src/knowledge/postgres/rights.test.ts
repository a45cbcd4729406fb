// Attacks on the rights of documents in PostgreSQL: nothing of another organisation or group may be seen, counted or felt.
import fc from "fast-check"
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest"
import { textIn } from "../../postgres/row.ts"
import { startPostgres, type PostgresServer } from "../../testing/servers/postgres-server.ts"
import { openSharedDocuments, type SharedDocuments } from "../fixtures/shared-documents.ts"
import { temporaryIndex, type TextDocument } from "../fixtures/temporary-index.ts"
import { openForReading } from "../index/schema.ts"
import type { Rights } from "../rights.ts"
import { explain } from "../search/explain.ts"
import { ExplainingReader } from "../search/explaining-reader.ts"
import { IndexReader } from "../search/index-reader.ts"
import { countsOfWords } from "./occurrences.ts"
import { documentRow, documentRows } from "./pages.ts"
import { lexemeOf } from "./words.ts"

let server: PostgresServer
let documents: SharedDocuments

beforeAll(async () => {
  server = await startPostgres()
  documents = await openSharedDocuments(server.createDatabase())
})
afterAll(async () => {
  await documents.close()
  await server.remove()
})
afterEach(() => documents.reset())

const visitor = { org: "acme", groups: [] } satisfies Rights
const member = { org: "acme", groups: ["staff"] } satisfies Rights

const open: TextDocument = { org: "acme", name: "returns.md", text: "# Returns\n\nSend goods back within thirty days." }
const hidden: readonly TextDocument[] = [
  { org: "globex", name: "merger.md", text: "# Merger\n\nThe merger with Initech is secret. Send goods." },
  {
    org: "acme",
    name: "salaries.md",
    text: "# Salaries\n\nThe secret salary of staff. Send goods.",
    audience: ["staff"],
  },
  { org: "acme", name: "plans.md", text: "# Plans\n\nA secret plan. Send goods.", audience: [] },
]

const find = (text: string, rights: Rights) =>
  documents.find({ text, limit: 50, rights, sets: [] }, undefined).then((all) => all.map(({ id }) => id))

describe("a visitor of one organisation", () => {
  it.each([
    "secret merger Initech salary plan",
    "merger.md",
    "2/secret",
    "'2/secret'",
    "x' | '2/secret' | 'y",
    "secret:* | secret & !nothing",
    "\\'secret",
    "%secret% _ecret",
    "*",
    "secret'; drop table turnhouse.passages; --",
    "\0secret",
  ])("finds nothing that is not for it: %j", async (text) => {
    await documents.put(open, ...hidden)
    expect(await find(text, visitor)).toEqual([])
    expect(await find("goods", visitor)).toEqual(["returns.md"])
  })

  it.each<readonly string[]>([["*"], ["[]"], [""], ["STAFF"], ['["staff"]'], ["staff,staff"], ["{staff}"], ["null"]])(
    "finds nothing by inventing groups: %j",
    async (...groups) => {
      await documents.put(open, ...hidden)
      expect(await find("secret salary", { org: "acme", groups })).toEqual([])
    },
  )

  it.each(["*", "", "ACME", "acme ", "acme' or '1'='1", "%", "glob"])(
    "finds nothing by inventing an organisation: %j",
    async (org) => {
      await documents.put(open, ...hidden)
      expect(await find("secret goods returns", { org, groups: ["staff"] })).toEqual([])
      expect(await find("secret goods returns", { org, groups: "all" })).toEqual([])
    },
  )

  it("gets the same numbers, weights and scores with and without the documents of others", async () => {
    const text = "secret salary of the merger, send goods"
    const explained = () => documents.explain({ text, limit: 50, rights: visitor, sets: [] })
    await documents.put(open)
    const alone = await explained()
    await documents.put(...hidden)
    expect(await explained()).toEqual(alone)
    const page = { filter: "", offset: 0, limit: 50 }
    expect(await documentRows(documents.database, visitor, page)).toMatchObject({
      total: 1,
      matching: 1,
      orgs: ["acme"],
      documents: [{ name: "returns.md" }],
    })
    expect(await documentRows(documents.database, visitor, { ...page, filter: "merger" })).toMatchObject({
      matching: 0,
    })
    for (const name of ["merger.md", "salaries.md", "plans.md"])
      expect(await documentRow(documents.database, visitor, name)).toBeUndefined()
    expect(await documentRow(documents.database, member, "salaries.md")).toMatchObject({ name: "salaries.md" })
  })
})

it("a search reads no row and no list of words of another class, however many it has", async () => {
  const many = Array.from({ length: 300 }, (_, at) => ({ org: "globex", name: `${at}.md`, text: "The secret merger." }))
  await documents.put(open, ...many)
  const [own] = await documents.database.query("select id from turnhouse.document_classes where org = 'acme'")
  const classId = Number(own?.["id"])
  const plan = await documents.database.transaction(async (queries) => {
    await queries.query("set local enable_seqscan = off") // as a search does
    return queries.query(`explain (analyze, costs off, timing off) ${countsOfWords}`, [
      [lexemeOf(classId, "secret")],
      [classId],
    ])
  })
  const lines = plan.map((row) => textIn(row, "QUERY PLAN"))
  expect(lines.find((line) => line.includes("Bitmap Index Scan on passages_by_word"))).toContain("rows=0")
  expect(lines.join("\n")).not.toMatch(/Seq Scan on passages|Rows Removed/)
})

it("every search gives what the local index gives, with the same scores and reasons", async () => {
  const words = [
    "parcel",
    "salary",
    "Rücksendung",
    "returns",
    "doctor's",
    "ThreadPool",
    "東京",
    "staff",
    "goods",
    "the",
  ]
  const text = fc
    .array(fc.constantFrom(...words, "\n\n# Heading ", "\n\n"), { minLength: 1, maxLength: 60 })
    .map((list) => list.join(" "))
  const audience = fc.constantFrom<readonly string[] | undefined>(undefined, ["staff"], ["board", "staff"], [])
  const rights = fc.constantFrom<Rights>(visitor, member, { org: "acme", groups: "all" })
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.tuple(text, audience, fc.constantFrom("acme", "globex")), { minLength: 1, maxLength: 8 }),
      fc.array(fc.constantFrom(...words), { minLength: 1, maxLength: 6 }).map((list) => list.join(" ")),
      rights,
      async (contents, question, whose) => {
        await documents.reset()
        const all = contents.map(([one, whom, org], at) => ({ org, name: `p${at}.md`, text: one, audience: whom }))
        await documents.put(...all)
        const asked = { text: question, limit: 50, rights: whose, sets: [] }
        expect(await documents.explain(asked)).toEqual(await explainedLocally(all, asked))
      },
    ),
    { numRuns: 25 },
  )
})

async function explainedLocally(all: readonly TextDocument[], question: Parameters<SharedDocuments["explain"]>[0]) {
  const index = temporaryIndex()
  await index.put(...all)
  const database = openForReading(index.path)
  if (database === undefined) throw new Error("no index")
  try {
    return explain(new ExplainingReader(new IndexReader(database)), question, undefined)
  } finally {
    database.close()
    index.delete()
  }
}
