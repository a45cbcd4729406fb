// Sources of documents over the command line and in a server.
import { mkdirSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { describe, expect, it, vi } from "vitest"
import { json } from "../e2e/printed.ts"
import { newPlace, type Place } from "../e2e/turnhouse.ts"

function withFiles(place: Place, files: Readonly<Record<string, string>>): Place {
  place.config({ model: "offline/demo:0" })
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(join(place.path(name), ".."), { recursive: true })
    place.write(name, text)
  }
  return place
}

async function ids(place: Place): Promise<unknown> {
  const listed = json((await place.run("knowledge", "ls", "--json")).stdout)
  return Array.isArray(listed)
    ? listed.map(({ id, audience }) => `${id}${audience === null ? "" : ` ${audience}`}`)
    : listed
}

const docs = { "docs/a.md": "# One\n", "docs/sub/b.md": "# Two\n" }

describe.concurrent("turnhouse knowledge", () => {
  it("reads a folder inside of a known one as its part, or with rights of its own", async (test) => {
    const place = withFiles(newPlace(test), docs)
    await place.run("knowledge", "add", "docs")
    expect((await place.run("knowledge", "add", "docs/sub")).stdout).toMatch(
      /sub is part of the source .+docs\n0 added/,
    )
    expect((await place.run("knowledge", "add", "docs/sub", "--locked")).stdout).toContain(
      "which leaves it out from now on",
    )
    await place.run("knowledge", "refresh")
    expect(await ids(place)).toEqual(["a.md", "sub/b.md "])
  })

  it("takes known folders over by the folder around them", async (test) => {
    const place = withFiles(newPlace(test), docs)
    await place.run("knowledge", "add", "docs/sub")
    expect(await ids(place)).toEqual(["b.md"])
    expect((await place.run("knowledge", "add", "docs")).stdout).toMatch(/the source .+sub is part of it now/)
    expect(await ids(place)).toEqual(["a.md", "sub/b.md"])
  })

  it("puts the name of a folder before the names that documents of another one have", async (test) => {
    const place = withFiles(newPlace(test), { "one/README.md": "# One\n", "two/README.md": "# Two\n" })
    const added = await place.run("knowledge", "add", "one", "two")
    expect(added).toMatchObject({ code: 0, stdout: expect.stringMatching(/those of .+two begin with two\/\n2 added/) })
    place.write("two/new.md", "# New\n")
    expect((await place.run("knowledge", "refresh")).code).toBe(0)
    expect(await ids(place)).toEqual(["README.md", "two/README.md", "two/new.md"])
  })

  it("asks for whom documents are, in a home with agents for visitors, once for each source", async (test) => {
    const place = withFiles(newPlace(test), docs)
    place.config({
      model: "offline/demo:0",
      agents: { shop: { embed: { origins: ["https://a.example"], org: "acme" } } },
    })
    expect(await place.run("knowledge", "add", "docs")).toMatchObject({
      code: 2,
      stderr:
        "turnhouse: say who may find the documents: --org public (visitors without a token), --org acme or --org local (your own sessions)\n",
    })
    expect((await place.run("knowledge", "add", "docs", "--org", "acme")).code).toBe(0)
    expect((await place.run("knowledge", "add", "docs")).stdout).toMatch(/^0 added, 0 changed, 2 unchanged/)
  })

  it("lists sources, runs and the reasons of failures, and removes a source with its documents", async (test) => {
    const place = withFiles(newPlace(test), docs)
    writeFileSync(place.path("docs/c.txt"), Buffer.from([65, 0, 66]))
    expect((await place.run("knowledge", "add", "docs", "--every", "6h")).code).toBe(1)
    expect(json((await place.run("knowledge", "sources", "--json")).stdout)).toMatchObject([
      { id: 1, kind: "folder", documents: 2, everySeconds: 21_600, lastRun: { outcome: "partial", failed: 1 } },
    ])
    expect((await place.run("knowledge", "runs", "docs")).stdout).toMatch(
      /partial +2 +0 +0 +0 +1[^]*c\.txt: it is not a text file/,
    )
    expect((await place.run("knowledge", "rm", "--source", "1")).stdout).toMatch(/^removed .+docs with 2 documents\n$/)
    expect(await ids(place)).toEqual([])
    expect((await place.run("knowledge", "refresh", "7")).stderr).toBe(
      "turnhouse: no source '7'. 'turnhouse knowledge sources' lists them.\n",
    )
  })

  it("continues after kill -9 in the middle of a run", async (test) => {
    const many = Object.fromEntries(
      Array.from({ length: 400 }, (_, at) => [`docs/${at}.md`, `# Title ${at}\n\n${"word ".repeat(2000)}`]),
    )
    const place = withFiles(newPlace(test), many)
    const adding = place.start(["knowledge", "add", "docs"])
    const index = () => new DatabaseSync(join(place.home, "knowledge.db"), { readOnly: true, timeout: 10_000 })
    await vi.waitFor(
      () => {
        using database = index()
        expect(database.prepare("select 1 from source_runs").get()).toBeDefined()
      },
      { timeout: 60_000, interval: 20 },
    )
    adding.signal("SIGKILL")
    await adding.ended
    expect((await place.run("knowledge", "sources")).code).toBe(0)
    expect((await place.run("knowledge", "refresh")).code).toBe(0)
    expect(json((await place.run("knowledge", "sources", "--json")).stdout)).toMatchObject([
      { documents: 400, lastRun: { outcome: "done" } },
    ])
  })

  it("follows a folder until it is interrupted", async (test) => {
    const place = withFiles(newPlace(test), docs)
    await place.run("knowledge", "add", "docs")
    const watching = place.start(["knowledge", "watch"])
    await watching.until("watching", () => watching.stdout.includes("watching ") || undefined)
    place.write("docs/sub/c.md", "# Three\n")
    await watching.until("the new document", () => watching.stdout.includes("added: sub/c.md") || undefined)
    rmSync(place.path("docs/a.md"))
    await watching.until("the removal", () => watching.stdout.includes("removed: a.md") || undefined)
    watching.signal("SIGINT")
    expect((await watching.ended).code).toBe(0)
    expect(await ids(place)).toEqual(["sub/b.md", "sub/c.md"])
  })

  it("is done by a server when the time has come", async (test) => {
    const place = withFiles(newPlace(test), docs)
    await place.run("knowledge", "add", "docs", "--every", "6h")
    place.write("docs/new.md", "# New\n")
    using index = new DatabaseSync(join(place.home, "knowledge.db"), { timeout: 10_000 })
    index.exec("update sources set next_run_at = 0")
    const server = place.start(["serve", "--port", "0"])
    const names = () =>
      index
        .prepare("select name from documents order by name")
        .all()
        .map(({ name }) => name)
    await vi.waitFor(() => expect(names()).toEqual(["a.md", "new.md", "sub/b.md"]), { timeout: 60_000, interval: 100 })
    server.signal("SIGTERM")
    expect((await server.ended).code).toBe(0)
  })
})
