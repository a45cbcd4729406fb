// Commands on two nodes whose documents are in PostgreSQL.
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest"
import type { Config } from "../../contract/config.ts"
import { startPostgres, type PostgresServer } from "../../testing/servers/postgres-server.ts"
import type { AppContext } from "../context.ts"
import { runChecks } from "../doctor/run-checks.ts"
import { knowledgeChecks } from "../doctor/knowledge.ts"
import { addToIndex, type AddRequest } from "./add-documents.ts"
import { listedDocuments, removeDocuments, searchDocuments } from "./documents.ts"
import { evaluateSearch } from "./evaluate.ts"
import { hasDueSource, refreshSources, removeSources, shownSources } from "./sources.ts"

let server: PostgresServer
let folder: string
let url: string
let one: AppContext
let other: AppContext

beforeAll(async () => {
  server = await startPostgres()
})
afterAll(() => server.remove())

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "documents-of-nodes-"))
  url = server.createDatabase()
  one = nodeNamed("one")
  other = nodeNamed("other")
})
afterEach(() => rmSync(folder, { recursive: true }))

function nodeNamed(name: string, more: Config = {}): AppContext {
  const home = join(folder, name)
  mkdirSync(home, { recursive: true })
  const config: Config = { store: { type: "postgres", url }, ...more }
  return { home, cwd: home, config, warnings: [], ownPlaces: [], serverFiles: new Map(), trusted: false }
}

function write(node: AppContext, name: string, text: string): string {
  const path = join(node.home, name)
  writeFileSync(path, text)
  return path
}

const work = { onProgress: () => {}, signal: new AbortController().signal }

function add(node: AppContext, path: string, wishes: Partial<AddRequest> = {}) {
  const nothing = { audience: undefined, sets: undefined, everyMs: undefined, include: undefined, exclude: undefined }
  const site = { as: undefined, org: undefined, maxPages: undefined, maxDepth: undefined, acceptsEmpty: false }
  return addToIndex(node, { names: [path], ...nothing, ...site, ...work, ...wishes })
}

function refresh(node: AppContext) {
  return refreshSources(node, { names: [], org: undefined, isDue: false, acceptsEmpty: false, ...work })
}

async function search(node: AppContext, text: string, org = "local"): Promise<readonly string[]> {
  const found = await searchDocuments(node, { text, limit: 5, rights: { org, groups: "all" }, sets: [] })
  return found.map(({ id }) => id)
}

async function listed(node: AppContext): Promise<readonly string[]> {
  return (await listedDocuments(node, undefined, undefined)).map(({ name }) => name)
}

describe("documents that are added on one node", () => {
  it("are found, listed and evaluated on another one, which has no index", async () => {
    await add(one, write(one, "returns.md", "# Returns\n\nSend goods back within thirty days."))
    expect(await search(other, "goods")).toEqual(["returns.md"])
    expect(await listedDocuments(other, "local", undefined)).toMatchObject([
      { name: "returns.md", passages: 1, embedded: 0, node: expect.any(String) },
    ])
    expect(await listedDocuments(other, "acme", undefined)).toEqual([])
    const file = write(
      other,
      "questions.jsonl",
      '{"question":"When can goods be sent back?","documents":["returns.md"]}',
    )
    const rights = { org: "local", groups: "all" } as const
    expect(await evaluateSearch(other, { file, rights, sets: [] })).toMatchObject({ all: { recallAt1: 1 } })
    expect(existsSync(join(other.home, "knowledge.db"))).toBe(false)
  })

  it("are removed from another one, and do not come back", async () => {
    const path = write(one, "returns.md", "# Returns\n\nSend goods back.")
    await add(one, path)
    await expect(removeDocuments(other, "local", ["returns.md", "x.md"])).rejects.toThrow("no document 'x.md' in local")
    expect(await listed(one)).toEqual(["returns.md"])
    await removeDocuments(other, "local", ["returns.md"])
    expect([await search(one, "goods"), await listed(one)]).toEqual([[], []])
    await add(one, write(one, "shipping.md", "A parcel takes three days."))
    expect(await listed(one)).toEqual(["shipping.md"])
  })

  it("are added again by a command that names them, after they were removed from another one", async () => {
    const path = write(one, "returns.md", "# Returns\n\nSend goods back.")
    await add(one, path)
    await removeDocuments(other, "local", ["returns.md"])
    expect(await add(one, path)).toMatchObject({ added: ["returns.md"] })
    expect(await search(other, "goods")).toEqual(["returns.md"])
  })

  it("belong to a source of that node alone, which alone reads it again", async () => {
    const path = write(one, "returns.md", "# Returns\n\nSend goods back.")
    await add(one, path, { everyMs: 1 })
    expect(await shownSources(one.home, undefined)).toMatchObject([{ root: path }])
    expect(await shownSources(other.home, undefined)).toEqual([])
    await expect.poll(() => hasDueSource(one.home)).toBe(true)
    expect(hasDueSource(other.home)).toBe(false)
    write(one, "returns.md", "# Returns\n\nSend merchandise back.")
    expect(await refresh(other)).toMatchObject({ sources: [], changed: [] })
    expect(await search(other, "merchandise")).toEqual([])
    expect(await refresh(one)).toMatchObject({ changed: ["returns.md"] })
    expect(await search(other, "merchandise")).toEqual(["returns.md"])
    await removeSources(one, { names: [path], org: undefined, ...work })
    expect(await listed(other)).toEqual([])
  })

  it("make the other node ask for an organisation, as its own documents would", async () => {
    await add(one, write(one, "returns.md", "Send goods back."), { org: "acme" })
    const path = write(other, "shipping.md", "A parcel.")
    await expect(add(other, path)).rejects.toThrow(/say who may find the documents: --org acme/)
  })
})

describe("while PostgreSQL cannot be reached", () => {
  it("every command says so, and the next run writes what was missed", async () => {
    const path = write(one, "returns.md", "# Returns\n\nSend goods back.")
    await add(one, path)
    await server.process.stop("SIGQUIT")
    const unreachable = /PostgreSQL at .* cannot be reached.*\. Documents are stored there\.$/
    await expect(add(one, path)).rejects.toThrow(unreachable)
    await expect(refresh(one)).rejects.toThrow(unreachable)
    await expect(listed(one)).rejects.toThrow(unreachable)
    await expect(removeDocuments(one, "local", ["returns.md"])).rejects.toThrow(unreachable)
    await expect(search(one, "goods")).rejects.toThrow(/cannot be reached/)
    const [finding] = await runChecks(knowledgeChecks(one.home, one.config), 30_000)
    expect(finding).toMatchObject({ level: "problem", what: expect.stringContaining("cannot be reached") })
    await server.start()
    expect(await search(one, "goods")).toEqual(["returns.md"])
  })

  it("doctor counts what a node has not written, and 'refresh' writes it", async () => {
    const path = write(one, "returns.md", "# Returns\n\nSend goods back.")
    await add({ ...one, config: {} }, path)
    const check = async () => (await runChecks(knowledgeChecks(one.home, one.config), 30_000))[0]
    expect(await check()).toMatchObject({ level: "warning", what: expect.stringContaining("; 1 of this node are not") })
    expect(await listed(one)).toEqual([])
    await refresh(one)
    expect(await listed(one)).toEqual(["returns.md"])
    expect(await check()).toMatchObject({ level: "ok", what: expect.stringMatching(/^1 documents in PostgreSQL at /) })
  })
})

it("search by meaning is refused without pgvector, before a document is read or a question is sent", async () => {
  const provider = { type: "openai-compatible", baseURL: "http://127.0.0.1:9/v1", apiKey: "k" } as const
  const meaning = nodeNamed("meaning", { knowledge: { embeddings: "local/m" }, providers: { local: provider } })
  const path = write(meaning, "returns.md", "Send goods back.")
  const refusal =
    /needs the extension pgvector.*Run "create extension vector" there, or remove knowledge\.embeddings\.$/
  await expect(add(meaning, path)).rejects.toThrow(refusal)
  expect(existsSync(join(meaning.home, "knowledge.db"))).toBe(false)
  await expect(search(meaning, "goods")).rejects.toThrow(refusal)
  const [finding] = await runChecks(knowledgeChecks(meaning.home, meaning.config), 30_000)
  expect(finding).toMatchObject({ level: "problem", what: expect.stringContaining("pgvector") })
})
