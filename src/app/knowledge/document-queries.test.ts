import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest"
import { GuardedPort, type OrgRights, type Rights } from "../../doors/house/guarded-port.ts"
import type { HostPort } from "../../contract/host-port.ts"
import type { Answers, Queries } from "../../contract/queries.ts"
import { temporaryIndex, type TemporaryIndex } from "../../knowledge/fixtures/temporary-index.ts"
import type { Config } from "../../contract/config.ts"
import { publishAll } from "../../knowledge/postgres/publish.ts"
import { openDocuments } from "../../knowledge/postgres/tables.ts"
import { scriptedSource } from "../../testing/index.ts"
import { emptyHome } from "../../testing/empty-home.ts"
import { portOf } from "../../testing/doors/served-host.ts"
import { startPostgres, type PostgresServer } from "../../testing/servers/postgres-server.ts"
import { testHost } from "../../testing/test-host.ts"
import { HomeDocuments } from "../settings/knowledge.ts"
import { documentPage, documentText, searchDocuments } from "./document-queries.ts"

let index: TemporaryIndex
let source: HomeDocuments
let owner: HostPort
let url: string | undefined

async function openHome(config: Config) {
  index = temporaryIndex()
  source = new HomeDocuments(index.path, config, false)
  const scrubber = {
    text: (text: string) => text.replaceAll("hush", "[secret]"),
    stream: () => ({ push: (piece: string) => piece, end: () => "" }),
  }
  const place = { path: index.path, source, scrubber }
  const { host } = await testHost(scriptedSource([]))
  owner = portOf(host, {
    home: {
      ...emptyHome,
      documents: (query) => documentPage(place, query),
      document: (query) => documentText(place, query),
      "search-documents": (query) => searchDocuments(place, query),
    },
  })
}

afterEach(async () => {
  await source.close()
  index.delete()
})

const fillIndex = async () => {
  await index.put(
    { org: "acme", name: "returns.md", text: "# Returns\n\nSend goods back within thirty days." },
    { org: "acme", name: "salaries.md", text: "# Salaries\n\nThe clerk for returns earns hush.", audience: ["staff"] },
    { org: "acme", name: "plans.md", text: "# Plans\n\nReturns will end.", audience: [] },
    { org: "globex", name: "returns.md", text: "# Returns\n\nNo returns at all at Globex.", sets: ["shop"] },
  )
  if (url === undefined) return
  const database = await openDocuments(url)
  await publishAll(index.path, database)
  await database.close()
}

function keyFor(sees: Rights["sees"]): HostPort {
  return new GuardedPort(owner, { roles: ["watch", "approve"], sees })
}
const member = (org: string, ...groups: readonly string[]) => keyFor({ org, groups } satisfies OrgRights)

async function list(port: HostPort, query: Partial<Queries["documents"]> = {}): Promise<Answers["documents"]> {
  const answered = await port.query({ limit: 50, ...query, type: "documents" })
  if (answered.kind === "refused") throw new Error(JSON.stringify(answered.refusal))
  return answered.value
}
const names = ({ documents }: Answers["documents"]) => documents.map(({ org, name }) => `${org} ${name}`)

async function search(port: HostPort, query: Partial<Queries["search-documents"]> = {}) {
  const answered = await port.query({ limit: 10, text: "returns", ...query, type: "search-documents" })
  if (answered.kind === "refused") throw new Error(JSON.stringify(answered.refusal))
  return answered.value.passages.map(({ name }) => name).toSorted()
}

function documentSuite() {
  it("are listed in pages with what the owner knows of them", async () => {
    await fillIndex()
    const all = await list(owner)
    expect(names(all)).toEqual(["acme plans.md", "acme returns.md", "acme salaries.md", "globex returns.md"])
    expect(all).toMatchObject({ total: 4, matching: 4, orgs: ["acme", "globex"] })
    expect(all.documents[1]).toMatchObject({
      title: "Returns",
      kind: "text",
      source: "/returns.md",
      passages: 1,
      addedAt: 1,
    })
    expect(all.documents[1]).not.toHaveProperty("audience")
    expect(all.documents.map(({ audience }) => audience)).toEqual([[], undefined, ["staff"], undefined])
    expect(names(await list(owner, { offset: 1, limit: 1 }))).toEqual(["acme returns.md"])
    const found = await list(owner, { filter: " RETURNS shop " })
    expect(names(found)).toEqual(["globex returns.md"])
    expect(found).toMatchObject({ total: 4, matching: 1 })
    expect(names(await list(owner, { filter: "Salar" }))).toEqual(["acme salaries.md"])
    expect(names(await list(owner, { org: "globex" }))).toEqual(["globex returns.md"])
  })

  it("are none without an index", async () => {
    expect(await list(owner)).toMatchObject({ total: 0, documents: [] })
    expect(await search(owner)).toEqual([])
    expect(await owner.query({ type: "document", org: "acme", name: "x", limit: 5 })).toEqual({
      kind: "answer",
      value: { passages: [] },
    })
  })

  it("of another organisation, of other groups and locked ones do not exist for a member", async () => {
    await fillIndex()
    const acme = member("acme")
    expect(names(await list(acme))).toEqual(["acme returns.md"])
    expect(await list(acme)).toMatchObject({ total: 1, matching: 1, orgs: ["acme"] })
    expect((await list(acme)).documents[0]).not.toHaveProperty("source")
    expect(names(await list(acme, { org: "globex", groups: ["staff"] }))).toEqual(["acme returns.md"])
    expect(names(await list(member("acme", "staff")))).toEqual(["acme returns.md", "acme salaries.md"])
    expect(names(await list(member("acme", "staff"), { groups: [] }))).toEqual(["acme returns.md"])
    expect(names(await list(member("nowhere", "staff")))).toEqual([])
  })

  it("are found by a member as by an agent that works for it", async () => {
    await fillIndex()
    expect(await search(member("acme"))).toEqual(["returns.md"])
    expect(await search(member("acme"), { org: "globex", groups: ["staff"] })).toEqual(["returns.md"])
    expect(await search(member("acme", "staff"))).toEqual(["returns.md", "salaries.md"])
    expect(await search(member("globex"))).toEqual(["returns.md"])
    expect(await search(owner, { org: "acme" })).toEqual(["returns.md", "salaries.md"])
    expect(await search(owner, { org: "acme", groups: [] })).toEqual(["returns.md"])
    expect(await search(owner)).toEqual([])
  })

  it("are not opened for those who may not find them, and without known secrets", async () => {
    await fillIndex()
    const open = (port: HostPort, org: string, name: string) => port.query({ type: "document", org, name, limit: 5 })
    const whole = { value: { document: { name: "salaries.md" }, passages: [{ ordinal: 0, heading: "Salaries" }] } }
    const seen = await open(member("acme", "staff"), "acme", "salaries.md")
    expect(seen).toMatchObject(whole)
    expect(JSON.stringify(seen)).toContain("earns [secret].")
    expect(await open(owner, "acme", "plans.md")).toMatchObject({ value: { document: { audience: [] } } })
    const none = { kind: "answer", value: { passages: [] } }
    for (const port of [member("acme"), member("globex", "staff")])
      expect(await open(port, "acme", "salaries.md")).toEqual(none)
    expect(await open(member("acme", "staff"), "acme", "plans.md")).toEqual(none)
    expect(await open(member("acme"), "globex", "returns.md")).toMatchObject({ value: { document: { org: "acme" } } })
  })

  it("are not shown with a share link", async () => {
    await fillIndex()
    for (const sees of ["everything", { sessionId: "01890000-0000-7000-8000-000000000009" }] as const) {
      const refusal = { kind: "refused", refusal: { code: "key.narrow" } }
      const port = keyFor(sees)
      expect(await port.query({ type: "documents", limit: 5 })).toMatchObject(refusal)
      expect(await port.query({ type: "search-documents", text: "returns", limit: 5 })).toMatchObject(refusal)
      expect(await port.query({ type: "document", org: "acme", name: "x", limit: 5 })).toMatchObject(refusal)
    }
  })
}

describe("the documents of a home", () => {
  beforeEach(async () => {
    url = undefined
    await openHome({})
  })
  documentSuite()
})

describe("the documents in PostgreSQL", () => {
  let server: PostgresServer
  beforeAll(async () => {
    server = await startPostgres()
  })
  afterAll(() => server.remove())
  beforeEach(async () => {
    url = server.createDatabase()
    await openHome({ store: { type: "postgres", url } })
  })
  documentSuite()

  it("cannot be asked for while the server is down, and can again when it is up", async () => {
    await fillIndex()
    expect(await search(member("acme"))).toEqual(["returns.md"])
    await server.process.stop("SIGQUIT")
    const refusal = {
      kind: "refused",
      refusal: { code: "config.bad", what: expect.stringContaining("cannot be reached") },
    }
    expect(await owner.query({ type: "documents", limit: 5 })).toMatchObject(refusal)
    expect(await owner.query({ type: "search-documents", text: "returns", limit: 5 })).toMatchObject(refusal)
    await server.start()
    expect(names(await list(member("acme")))).toEqual(["acme returns.md"])
    expect(await search(member("acme"))).toEqual(["returns.md"])
  })
})
