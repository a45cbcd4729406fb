import { DatabaseSync } from "node:sqlite"
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest"
import type { Database } from "../../postgres/database.ts"
import { startPostgres, type PostgresServer } from "../../testing/servers/postgres-server.ts"
import { openSharedDocuments, type SharedDocuments } from "../fixtures/shared-documents.ts"
import { temporaryIndex } from "../fixtures/temporary-index.ts"
import { IndexWriter } from "../index/writer.ts"
import { documentLines } from "./pages.ts"
import { countDifferences, countDocuments, publishAll } from "./publish.ts"
import { openDocuments } from "./tables.ts"
import { removeDocuments } from "./write-documents.ts"

let server: PostgresServer
let url: string
let one: SharedDocuments
let other: SharedDocuments
let database: Database

beforeAll(async () => {
  server = await startPostgres()
})
afterAll(() => server.remove())

beforeEach(async () => {
  url = server.createDatabase()
  one = await openSharedDocuments(url, { node: "one" })
  other = await openSharedDocuments(url, { node: "other" })
  database = one.database
})
afterEach(async () => {
  await one.close()
  await other.close()
})

const rights = { org: "local", groups: "all" } as const
const publish = (node: SharedDocuments, name: string) => publishAll(node.local().path, node.database, { node: name })
const search = async (node: SharedDocuments, text: string) =>
  (await node.find({ text, limit: 10, rights, sets: [] }, undefined)).map(({ id }) => id)
const lines = async () => (await documentLines(database, undefined)).map(({ name, node }) => `${name} of ${node}`)

function differences(node: SharedDocuments): Promise<number> {
  const local = new DatabaseSync(node.local().path)
  return countDifferences(local, node.database).finally(() => local.close())
}

/** The transaction that writes this document goes on until the server dies. */
function sleepAt(name: string): string {
  return `
    create function turnhouse.sleep() returns trigger language plpgsql as $$ begin perform pg_sleep(100); return new; end $$;
    create trigger sleep before insert on turnhouse.documents for each row
      when (new.name = '${name}') execute function turnhouse.sleep();`
}

const returns = { name: "returns.md", text: "# Returns\n\nSend goods back within thirty days." }
const shipping = { name: "shipping.md", text: "# Shipping\n\nA parcel takes three days." }

describe("the documents of two nodes", () => {
  it("are found on both, and listed with the node they come from", async () => {
    await one.put(returns)
    await other.put(shipping)
    for (const node of [one, other]) {
      expect(await search(node, "goods")).toEqual(["returns.md"])
      expect(await search(node, "parcel")).toEqual(["shipping.md"])
    }
    expect(await lines()).toEqual(["returns.md of one", "shipping.md of other"])
    expect(await countDocuments(database)).toBe(2)
  })

  it("are deleted only by the node that wrote them", async () => {
    await one.put(returns)
    await other.put(shipping)
    await one.remove("returns.md")
    expect(await lines()).toEqual(["shipping.md of other"])
    expect(await search(other, "goods")).toEqual([])
  })

  it("of the same name replace each other: the last one is found, and neither is written again without a change", async () => {
    await one.put(returns)
    await other.put({ ...returns, text: "# Returns\n\nNo merchandise is accepted." })
    expect(await search(one, "merchandise")).toEqual(["returns.md"])
    expect(await search(one, "goods")).toEqual([])
    expect(await publish(one, "one")).toMatchObject({ written: 0, deleted: 0 })
    await one.put({ ...returns, text: "# Returns\n\nSend everything back." })
    expect(await lines()).toEqual(["returns.md of one"])
    await one.remove("returns.md")
    expect(await lines()).toEqual([])
    expect(await publish(other, "other")).toMatchObject({ written: 1 })
    expect(await search(one, "merchandise")).toEqual(["returns.md"])
  })

  it("tell the node that replaces a document whose it was", async () => {
    await other.put(returns)
    await one.local().put(returns)
    expect(await publish(one, "one")).toMatchObject({
      written: 1,
      replaced: [{ org: "local", name: "returns.md", node: "other" }],
    })
  })

  it("are removed from the index of their node after they were removed on another one", async () => {
    await other.put(returns, shipping)
    const key = { org: "local", name: "returns.md" }
    expect(await database.transaction((queries) => removeDocuments(queries, [key, { ...key, name: "x" }]))).toEqual([
      { org: "local", name: "x" },
    ])
    expect(await lines()).toHaveLength(2)
    expect(await database.transaction((queries) => removeDocuments(queries, [key]))).toEqual([])
    expect(await lines()).toEqual(["shipping.md of other"])
    expect(await publish(other, "other")).toMatchObject({ written: 0, removed: [key] })
    expect(await lines()).toEqual(["shipping.md of other"])
    const writer = new IndexWriter(other.local().path)
    expect([writer.has("local", "returns.md"), writer.has("local", "shipping.md")]).toEqual([false, true])
    writer.close()
  })

  it("are written by both at once", async () => {
    const many = (prefix: string) =>
      Array.from({ length: 30 }, (_, at) => ({ name: `${prefix}-${at}.md`, text: `Parcel ${prefix}${at}.` }))
    await Promise.all([one.put(...many("a")), other.put(...many("b"))])
    expect(await countDocuments(database)).toBe(60)
    expect(await search(one, "parcel")).toHaveLength(10)
    const [sums] = await database.query(
      `select passages, (select count(*) from turnhouse.passages) as stored,
         (select count(distinct id) from turnhouse.passages) as different from turnhouse.document_classes`,
    )
    expect(sums).toEqual({ passages: 60, stored: 60, different: 60 })
  })
})

describe("a change of the local index", () => {
  it("that was not written is written by the next run, and counted until then", async () => {
    await one.put(returns)
    await one.local().put(shipping, { ...returns, text: "# Returns\n\nNever." })
    expect(await differences(one)).toBe(2)
    await one.local().remove("shipping.md")
    expect(await differences(one)).toBe(1)
    expect(await publish(one, "one")).toMatchObject({ written: 1, deleted: 0 })
    expect(await differences(one)).toBe(0)
    await one.local().remove("returns.md")
    expect(await publish(one, "one")).toMatchObject({ written: 0, deleted: 1 })
    expect(await lines()).toEqual([])
  })

  it("is not lost when the server dies in the middle: nothing is half written, and the next run writes the rest", async () => {
    const many = Array.from({ length: 250 }, (_, at) => ({ name: `${at}.md`, text: `Parcel number ${at}.` }))
    await one.local().put(...many)
    await database.execute(sleepAt("150.md"))
    const publishing = publish(one, "one").catch((fault: unknown) => fault)
    const sleeping = "select 1 from pg_stat_activity where wait_event = 'PgSleep'"
    await expect.poll(() => other.database.query(sleeping)).toHaveLength(1)
    await server.process.stop("SIGQUIT")
    expect(String(await publishing)).toMatch(/PostgreSQL at/)
    await server.start()
    expect(await countDocuments(database)).toBe(100)
    expect(await database.query("select passages from turnhouse.document_classes")).toEqual([{ passages: 100 }])
    await database.execute("drop trigger sleep on turnhouse.documents")
    expect(await publish(one, "one")).toMatchObject({ written: 150 })
    expect(await differences(one)).toBe(0)
  })

  it("is refused while the server cannot be reached", async () => {
    await one.local().put(returns)
    await server.process.stop("SIGQUIT")
    await expect(publish(one, "one")).rejects.toThrow(/cannot be reached/)
    await expect(openDocuments(url)).rejects.toThrow(/cannot be reached/)
    await server.start()
    expect(await publish(one, "one")).toMatchObject({ written: 1 })
  })

  it("of rights alone, of sets, of languages and of odd characters arrives", async () => {
    const odd = { name: "it's \\ odd.md", text: "# O'Neil's \\path\n\nA zero \0 byte, 東京都, Café, `it''s` and \\n." }
    await one.put(odd, returns)
    expect(await search(one, "O'Neil's café")).toEqual([odd.name])
    expect(await search(one, "\\path 東京都")).toEqual([odd.name])
    await one.put({ ...returns, audience: ["staff"], sets: ["shop"] })
    const visitor = { org: "local", groups: [] }
    expect(await one.find({ text: "goods", limit: 5, rights: visitor, sets: [] }, undefined)).toEqual([])
    const inSet = { text: "goods", limit: 5, rights, sets: ["shop"] }
    expect(await one.find(inSet, undefined)).toHaveLength(1)
    expect(await one.find({ ...inSet, sets: ["other"] }, undefined)).toEqual([])
  })
})

it("an index that does not exist has nothing to write, and is not created", async () => {
  const index = temporaryIndex()
  expect(await publishAll(index.path, database)).toEqual({ written: 0, deleted: 0, removed: [], replaced: [] })
  expect(() => new DatabaseSync(index.path, { readOnly: true })).toThrow(/unable to open/)
  index.delete()
})
