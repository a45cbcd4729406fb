import { mkdirSync, renameSync, rmSync } from "node:fs"
import { join } from "node:path"
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import { sourceRuns, type SourceRuns } from "../fixtures/source-runs.ts"
import { findDocument } from "../index/catalogue.ts"
import { openForReading, openForWriting } from "../index/schema.ts"
import { IndexWriter } from "../index/writer.ts"
import { documentNames, findSource, listSources } from "./registry.ts"
import { lastRun, listRuns, problemsOf, startRun } from "./runs.ts"

let runs: SourceRuns
let docs: string

beforeEach(() => {
  runs = sourceRuns()
  docs = join(runs.folder, "docs")
})
afterEach(() => runs.delete())

const alive = { own: "this", isAlive: () => true }

function read<Value>(look: (database: ReturnType<typeof openForWriting>) => Value): Value {
  const database = openForReading(runs.path)
  if (database === undefined) throw new Error("there is no index")
  try {
    return look(database)
  } finally {
    database.close()
  }
}

describe("a run of a folder", () => {
  it("reads what changed, removes what is gone, and follows a rename", async () => {
    runs.write("docs/a.md", "one")
    runs.write("docs/b.md", "two")
    expect(await runs.run({ kind: "folder", root: docs })).toMatchObject({ added: ["a.md", "b.md"], outcome: "done" })
    runs.write("docs/a.md", "changed")
    renameSync(join(docs, "b.md"), join(docs, "c.md"))
    const report = await runs.run({ kind: "folder", root: docs })
    expect(report).toMatchObject({ added: ["c.md"], changed: ["a.md"], removed: ["b.md"], unchanged: 0 })
    expect(runs.names()).toEqual(["a.md", "c.md"])
  })

  it("keeps everything when the folder has vanished, and says so", async () => {
    runs.write("docs/a.md", "one")
    await runs.run({ kind: "folder", root: docs })
    rmSync(docs, { recursive: true })
    expect(await runs.run({ kind: "folder", root: docs })).toMatchObject({
      outcome: "failed",
      note: `${docs} does not exist`,
      removed: [],
    })
    expect(runs.names()).toEqual(["a.md"])
  })

  it("takes over the documents of a folder that was renamed, and reads what changes in them later", async () => {
    runs.write("docs/a.md", "one")
    await runs.run({ kind: "folder", root: docs })
    const renamed = join(runs.folder, "renamed")
    renameSync(docs, renamed)
    expect(await runs.run({ kind: "folder", root: renamed })).toMatchObject({ unchanged: 1, problems: [] })
    expect(read((database) => documentNames(database, { org: "local", root: renamed }))).toEqual(["a.md"])
    runs.write("renamed/a.md", "changed")
    expect(await runs.run({ kind: "folder", root: renamed })).toMatchObject({ changed: ["a.md"], problems: [] })
  })

  it("leaves an equal document of another folder to that folder", async () => {
    for (const name of ["docs/a.md", "other/a.md"]) runs.write(name, "one")
    await runs.run({ kind: "folder", root: docs })
    const other = join(runs.folder, "other")
    expect(await runs.run({ kind: "folder", root: other })).toMatchObject({ unchanged: 1, problems: [] })
    expect(read((database) => findDocument(database, "local", "a.md"))).toMatchObject({ root: docs })
    rmSync(join(other, "a.md"))
    await runs.run({ kind: "folder", root: other })
    expect(runs.names()).toEqual(["a.md"])
  })

  it("keeps everything when the folder is empty, unless that is accepted", async () => {
    runs.write("docs/a.md", "one")
    await runs.run({ kind: "folder", root: docs })
    rmSync(join(docs, "a.md"))
    expect(await runs.run({ kind: "folder", root: docs })).toMatchObject({ outcome: "failed", gone: ["a.md"] })
    const accepted = await runs.run({ kind: "folder", root: docs }, { acceptsEmpty: true })
    expect(accepted).toMatchObject({ outcome: "done", removed: ["a.md"] })
    expect(runs.names()).toEqual([])
  })

  it("reads only what its patterns choose", async () => {
    for (const name of ["a.md", "b.txt", "old/c.md"]) runs.write(`docs/${name}`, "text")
    const options = { include: ["*.md"], exclude: ["old/**"] }
    expect(await runs.run({ kind: "folder", root: docs, options })).toMatchObject({ added: ["a.md"] })
    await expect(
      runs.run({ kind: "folder", root: docs, options: { include: ["[z-a]"], exclude: [] } }),
    ).resolves.toMatchObject({ outcome: "failed", note: expect.stringContaining("not a valid pattern"), removed: [] })
  })

  it("gives new documents the rights of the source, and keeps those of known ones", async () => {
    runs.write("docs/a.md", "one")
    await runs.run({ kind: "folder", root: docs, audience: ["staff"], sets: ["help"] })
    runs.write("docs/b.md", "two")
    await runs.run({ kind: "folder", root: docs, audience: [], sets: [] })
    const rightsOf = (name: string) => read((database) => findDocument(database, "local", name))
    expect(rightsOf("a.md")).toMatchObject({ audience: ["staff"], sets: ["help"] })
    expect(rightsOf("b.md")).toMatchObject({ audience: [], sets: [] })
  })

  it("records counts and the reason for each document that failed", async () => {
    runs.write("docs/a.md", "fine")
    runs.write("docs/b.txt", Buffer.from([65, 0, 66]))
    await runs.run({ kind: "folder", root: docs })
    const run = read((database) => lastRun(database, 1, alive))
    expect(run).toMatchObject({ outcome: "partial", added: 1, failed: 1 })
    const problems = read((database) => problemsOf(database, run?.id ?? 0))
    expect(problems).toEqual([{ name: "b.txt", reason: "it is not a text file" }])
  })

  it("that is interrupted keeps what was read, removes nothing, and continues with the next run", async () => {
    for (const name of ["a.md", "b.md", "c.md"]) runs.write(`docs/${name}`, "text")
    const stop = new AbortController()
    const onProgress = () => stop.abort()
    const report = await runs.run({ kind: "folder", root: docs }, { signal: stop.signal, onProgress })
    expect(report).toMatchObject({ outcome: "interrupted", added: ["a.md"], removed: [] })
    expect(runs.names()).toEqual(["a.md"])
    expect(await runs.run({ kind: "folder", root: docs })).toMatchObject({ unchanged: 1, added: ["b.md", "c.md"] })
  })

  it("shows the progress within a long document", async () => {
    runs.write("docs/long.md", "A sentence about it.\n\n".repeat(100_000))
    const lines: string[] = []
    await runs.run({ kind: "folder", root: docs }, { onProgress: (line) => lines.push(line) })
    expect(lines[0]).toBe("0 documents read; reading long.md")
    expect(lines).toContain("0 documents read; reading long.md: 2 MB")
    expect(lines.at(-1)).toBe("1 documents read: long.md")
  })

  it("leaves the index as it was when the disk is full", async () => {
    runs.write("docs/a.md", "# Title\n\nfirst")
    await runs.run({ kind: "folder", root: docs })
    const writer = new IndexWriter(runs.path)
    const pages = Number(writer.database.prepare("pragma page_count").get()?.["page_count"])
    writer.database.exec(`pragma max_page_count = ${pages}`)
    const document = {
      org: "local",
      name: "b.md",
      audience: undefined,
      sets: [],
      source: "/b",
      root: "/",
      url: undefined,
    }
    async function* chunks() {
      for (let at = 0; at < 500; at++) yield [{ headings: [], text: `word${at} `.repeat(100) }]
    }
    await expect(writer.put({ ...document, hash: "b", bytes: 1, addedAt: 1 }, chunks())).rejects.toThrow(/full/)
    writer.close()
    expect(runs.names()).toEqual(["a.md"])
    expect(read((database) => database.prepare("pragma integrity_check").get())).toEqual({ integrity_check: "ok" })
    runs.write("docs/b.md", "second")
    expect(await runs.run({ kind: "folder", root: docs })).toMatchObject({ added: ["b.md"], unchanged: 1 })
  })
})

describe("two runs of a source", () => {
  it("do not overlap while the first process lives; a run whose process is gone counts as interrupted", async () => {
    runs.write("docs/a.md", "one")
    await runs.run({ kind: "folder", root: docs })
    const database = openForWriting(runs.path)
    startRun(database, 1, { own: "other", isAlive: () => true }, 5)
    await expect(runs.run({ kind: "folder", root: docs })).rejects.toThrow(
      "it is being read since 1970-01-01T00:00:00.005Z",
    )
    const dead = { own: "this", isAlive: (mark: string) => mark !== "other" }
    expect(lastRun(database, 1, dead)).toMatchObject({ outcome: "interrupted", note: "its process ended" })
    database.close()
    expect(await runs.run({ kind: "folder", root: docs }, { process: dead })).toMatchObject({ outcome: "done" })
    const outcomes = read((reading) => listRuns(reading, 1, dead)).map(({ outcome }) => outcome)
    expect(outcomes).toEqual(["done", "interrupted", "done"])
  })
})

describe("the schedule of a source", () => {
  const hour = 3_600_000

  it("continues after its interval, sooner after a failure, and then less and less often", async () => {
    runs.write("docs/a.md", "one")
    const source = { kind: "folder", root: docs, everyMs: 6 * hour } as const
    const next = () => read((database) => findSource(database, "local", docs)?.nextRunAt)
    await runs.run(source, { now: hour })
    expect(next()).toBe(7 * hour)
    rmSync(docs, { recursive: true })
    const waits: number[] = []
    for (let failure = 0; failure < 10; failure++) {
      await runs.run(source, { now: hour })
      waits.push(((next() ?? 0) - hour) / 60_000)
    }
    expect(waits).toEqual([5, 10, 20, 40, 80, 160, 320, 640, 1280, 1440])
    mkdirSync(docs)
    runs.write("docs/a.md", "one")
    await runs.run(source, { now: hour })
    expect(next()).toBe(7 * hour)
  })
})

describe("an index of an older release", () => {
  it("gets a source for each added path, with the rights of its documents", async () => {
    runs.write("docs/a.md", "one")
    runs.write("docs/b.md", "two")
    await runs.run({ kind: "folder", root: docs, audience: ["staff"] })
    const mixed = join(runs.folder, "mixed")
    runs.write("mixed/c.md", "three")
    await runs.run({ kind: "folder", root: mixed, audience: ["staff"] })
    runs.write("mixed/d.md", "four")
    await runs.run({ kind: "folder", root: mixed, audience: undefined })
    const older = openForWriting(runs.path)
    older.exec("drop table source_pages; drop table source_problems; drop table source_runs; drop table sources")
    older.close()
    openForWriting(runs.path).close()
    const found = read((database) => listSources(database)).map(({ kind, root, audience, documents }) => ({
      kind,
      root,
      audience,
      documents,
    }))
    expect(found).toEqual([
      { kind: "folder", root: docs, audience: ["staff"], documents: 2 },
      { kind: "folder", root: mixed, audience: [], documents: 2 },
    ])
  })
})
