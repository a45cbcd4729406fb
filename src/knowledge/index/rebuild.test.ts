// An index of version 1, as an older release wrote it: its documents are found after the rebuild, in the same classes.
import { DatabaseSync } from "node:sqlite"
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import { temporaryIndex, type TemporaryIndex } from "../fixtures/temporary-index.ts"
import { SearchClient } from "../search/search-client.ts"
import { listDocuments } from "./catalogue.ts"
import { IndexOutdated, openForReading, openForWriting } from "./schema.ts"

let index: TemporaryIndex

beforeEach(() => (index = temporaryIndex()))
afterEach(() => index.delete())

/** Takes away what version 2 added. */
async function writeVersion1(): Promise<void> {
  await index.put(
    { name: "b.md", text: "# Versand\n\nDie Pakete werden in drei Tagen geliefert, und die Zustellung ist frei." },
    { name: "a.md", text: "# Returns\n\nSend the goods back within 30 days.", audience: ["staff"] },
  )
  const database = new DatabaseSync(index.path)
  for (const column of ["language", "title", "first_passage", "passages"])
    database.exec(`alter table documents drop column ${column}`)
  database.exec("delete from postings; update classes set terms = 7; pragma user_version = 1")
  database.close()
}

const staff = { org: "local", groups: ["staff"] }
const visitor = { org: "local", groups: [] }

describe("an index of an older release", () => {
  it("is not read, and is rebuilt when it is opened for writing", async () => {
    await writeVersion1()
    expect(() => openForReading(index.path)).toThrow(IndexOutdated)
    const database = openForWriting(index.path)
    expect(listDocuments(database, undefined).map(({ name }) => name)).toEqual(["a.md", "b.md"])
    expect(database.prepare("select language, title, passages from documents order by name").all()).toEqual([
      { language: "en", title: "Returns", passages: 1 },
      { language: "de", title: "Versand", passages: 1 },
    ])
    database.close()
    const client = new SearchClient({ path: index.path, embedder: undefined })
    const found = (text: string, rights: typeof staff) => client.search({ text, limit: 5, rights, sets: [] })
    expect((await found("Lieferung eines Pakets", visitor)).map(({ id }) => id)).toEqual(["b.md"])
    expect(await found("goods", visitor)).toEqual([])
    expect((await found("goods", staff)).map(({ id }) => id)).toEqual(["a.md"])
    await index.remove("a.md")
    expect(await found("goods", staff)).toEqual([])
    await client.close()
  })

  it("is rebuilt in the background by a search, which says so", async () => {
    await writeVersion1()
    const client = new SearchClient({ path: index.path, embedder: undefined })
    const search = () => client.search({ text: "Pakete", limit: 5, rights: visitor, sets: [] })
    await expect(search()).rejects.toThrow(/is being rebuilt/)
    await expect.poll(() => search().catch(() => []), { timeout: 30_000 }).toHaveLength(1)
    await client.close()
  })
})
