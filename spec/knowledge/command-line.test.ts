// `turnhouse knowledge` as a process, and the use of documents by turns and the server.
import { copyFileSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { describe, expect, it } from "vitest"
import { WsClient } from "../../src/testing/doors/served-ws.ts"
import { json } from "../e2e/printed.ts"
import { newPlace, type Place } from "../e2e/turnhouse.ts"

const shop = fileURLToPath(new URL("../../examples/shop/", import.meta.url))

/** Without vectors: words are enough here, and the model is slow to load. */
function withDocuments(place: Place, documents: Readonly<Record<string, string>>): Place {
  place.config({ model: "offline/demo:0", knowledge: { embeddings: "off" } })
  mkdirSync(place.path("docs"))
  for (const [name, text] of Object.entries(documents)) place.write(`docs/${name}`, text)
  return place
}

const returns = "# Returns\n\nYou can send anything back within 30 days of delivery.\n"
const shipping = "# Shipping\n\nA parcel takes three days. Large parcels take five.\n"

describe.concurrent("turnhouse knowledge", () => {
  it("adds a folder, lists it, finds passages with scores and sources, and removes", async (test) => {
    const place = withDocuments(newPlace(test), { "returns.md": returns, "shipping.md": shipping })
    expect(await place.run("knowledge", "add", "docs/")).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^2 added, 0 changed, 0 unchanged, 0 not read; 2 passages\n/),
    })
    expect(statSync(join(place.home, "knowledge.db")).mode & 0o777).toBe(0o600)
    const found = await place.run("knowledge", "search", "how", "long", "does", "a", "parcel", "take")
    expect(found).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^0\.\d\d {2}shipping\.md\n {6}A parcel takes/),
    })
    const passages: unknown = JSON.parse((await place.run("knowledge", "search", "parcel", "--json")).stdout)
    expect(passages).toMatchObject([{ id: "shipping.md", title: "shipping.md", snippet: expect.any(String) }])
    expect((await place.run("knowledge", "ls")).stdout).toMatch(/^returns\.md +local +everyone +1$/m)
    expect(await place.run("knowledge", "rm", "shipping.md")).toMatchObject({ code: 0, stdout: "1 removed\n" })
    expect(await place.run("knowledge", "search", "parcel")).toMatchObject({ code: 0, stdout: "No passages found.\n" })
    expect(await place.run("knowledge", "rm", "shipping.md")).toMatchObject({
      code: 1,
      stderr: "turnhouse: no document 'shipping.md' in local. 'turnhouse knowledge ls' lists them.\n",
    })
  })

  it("counts and names the files of other formats in a folder", async (test) => {
    const place = withDocuments(newPlace(test), { "returns.md": returns, "old.xls": "x" })
    for (let at = 0; at < 6; at++) place.write(`docs/photo-${at}.png`, "x")
    const { code, stdout } = await place.run("knowledge", "add", "docs")
    expect({ code, line: stdout.split("\n")[1] }).toEqual({
      code: 0,
      line: "7 files of other formats not read: old.xls, photo-0.png, photo-1.png, photo-2.png, photo-3.png and 2 more",
    })
    expect(json((await place.run("knowledge", "add", "docs", "--json")).stdout)).toMatchObject({
      unchanged: 1,
      refused: [],
      skipped: { count: 7, names: expect.arrayContaining(["old.xls", "photo-5.png"]) },
    })
  })

  it("reads changed files again, and removes and names those that are gone", async (test) => {
    const place = withDocuments(newPlace(test), { "returns.md": returns, "shipping.md": shipping })
    await place.run("knowledge", "add", "docs")
    place.write("docs/returns.md", "# Returns\n\nNo returns any more.\n")
    rmSync(place.path("docs/shipping.md"))
    const again = await place.run("knowledge", "add", "docs")
    expect(again.stdout).toMatch(/^0 added, 1 changed, 0 unchanged, 1 removed, .+\nremoved: shipping\.md\n$/)
    expect(json((await place.run("knowledge", "add", "docs", "--json")).stdout)).toMatchObject({
      unchanged: 1,
      gone: [],
      removed: [],
    })
    expect(JSON.parse((await place.run("knowledge", "ls", "--json")).stdout)).toMatchObject([{ id: "returns.md" }])
  })

  it("removes the documents of an empty folder only with --prune, and names them", async (test) => {
    const place = withDocuments(newPlace(test), { "returns.md": returns })
    await place.run("knowledge", "add", "docs")
    rmSync(place.path("docs/returns.md"))
    expect((await place.run("knowledge", "add", "docs")).stdout).toContain("gone: returns.md\n")
    expect((await place.run("knowledge", "add", "docs", "--prune")).stdout).toContain("removed: returns.md\n")
    expect((await place.run("knowledge", "ls", "--json")).stdout).toBe("[]\n")
  })

  it("reports a damaged index", async (test) => {
    const place = withDocuments(newPlace(test), { "returns.md": returns })
    writeFileSync(join(place.home, "knowledge.db"), "this is something else")
    for (const args of [["ls"], ["rm", "a.md"], ["search", "tea"], ["add", "docs"]]) {
      const { code, stderr } = await place.run("knowledge", ...args)
      expect([code, stderr]).toEqual([1, expect.stringMatching(/^turnhouse: \S+knowledge\.db cannot be used: .+\n$/)])
    }
  })

  it("shows a name with a line break on one line", async (test) => {
    const place = withDocuments(newPlace(test), { "parcel\n1.00  forged.md": "Parcels." })
    await place.run("knowledge", "add", "docs")
    expect((await place.run("knowledge", "search", "parcels")).stdout).toMatch(/^\d\.\d\d {2}parcel 1\.00 forged\.md\n/)
  })

  it("restricts documents to their audience, organisation and set", async (test) => {
    const place = withDocuments(newPlace(test), { "returns.md": returns })
    place.write("salaries.md", "Returns of the staff: none.")
    await place.run("knowledge", "add", "docs", "--set", "shop,help")
    await place.run("knowledge", "add", "salaries.md", "--audience", "staff, board")
    const ids = async (...args: readonly string[]) => {
      const passages: unknown = JSON.parse(
        (await place.run("knowledge", "search", "returns", "--json", ...args)).stdout,
      )
      return Array.isArray(passages) ? passages.map(({ id }: { id: string }) => id).toSorted() : passages
    }
    expect(await ids()).toEqual(["returns.md", "salaries.md"])
    expect(await ids("--audience", "customers")).toEqual(["returns.md"])
    expect(await ids("--audience", "customers,board")).toEqual(["returns.md", "salaries.md"])
    expect(await ids("--set", "help")).toEqual(["returns.md"])
    expect(await ids("--org", "public")).toEqual([])
    await place.run("knowledge", "add", "salaries.md", "--locked")
    expect(await ids()).toEqual(["returns.md"])
  })

  it("adds readable files and fails for the rest", async (test) => {
    const place = withDocuments(newPlace(test), { "returns.md": returns, "broken.pdf": "no PDF" })
    const added = await place.run("knowledge", "add", "docs")
    expect(added).toMatchObject({ code: 1, stdout: expect.stringMatching(/^not read: broken\.pdf: .+\n1 added/) })
  })

  it.for([
    [["knowledge"], /Use 'knowledge add PATH/],
    [["knowledge", "tell"], /unknown action 'knowledge tell'/],
    [["knowledge", "add"], /name a file, a folder/],
    [["knowledge", "add", "nothing.md"], /nothing\.md does not exist/],
    [["knowledge", "search"], /give search words/],
    [["knowledge", "search", "a", "--limit", "many"], /--limit: 'many' is not a number/],
    [["knowledge", "ls", "--audience", "a"], /--audience works only with 'knowledge add' and 'knowledge search'/],
    [["knowledge", "add", "x", "--locked", "--public"], /cannot be combined/],
    [["knowledge", "add", "x", "--set", ","], /needs comma-separated names/],
    [["knowledge", "add", ""], /the path is empty/],
    [["knowledge", "add", "x", "--org", ""], /--org needs the name of an organisation/],
  ] as const)("says what is wrong with %j", async ([args, sentence], test) => {
    const { code, stderr, stdout } = await newPlace(test).run(...args)
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" })
    expect(stderr).toMatch(sentence)
    expect(stderr.trim().split("\n")).toHaveLength(1)
  })
})

describe.concurrent("documents in a turn", () => {
  it("are used for answers, with sources below the answer but not in JSON", async (test) => {
    const place = withDocuments(newPlace(test), { "returns.md": returns })
    await place.run("knowledge", "add", "docs")
    const { code, stdout } = await place.run("run", "how many days do I have to send things back?")
    expect(code).toBe(0)
    expect(stdout).toContain('returns.md says: "You can send anything back within 30 days of delivery."')
    expect(stdout).toMatch(/\nSources:\n {2}returns\.md: "You can send anything back within 30 days of delivery\."\n$/)
    const log = await place.run("log", await place.newest())
    expect(log.stdout).toMatch(/context\.retrieved +1 passages: returns\.md \(0\.\d\d\) "You can send anything back/)
    expect((await place.run("run", "--json", "days to send things back?")).stdout).not.toContain("Sources:")
  })

  it("have no effect and no tool when there are none", async (test) => {
    const place = newPlace(test)
    const model = place.script([[{ call: { tool: "knowledge_search", input: { query: "x" } } }], [{ text: "So." }]])
    const { stdout } = await place.run("run", "--json", "--model", model, "hi")
    expect(stdout).toContain("There is no tool named knowledge_search.")
  })
})

describe("the shop example", () => {
  it("cites returns.md for a question about returns", async (test) => {
    const place = newPlace(test)
    for (const name of readdirSync(shop, { recursive: true, encoding: "utf8" })) {
      if (statSync(join(shop, name)).isDirectory()) mkdirSync(place.path(name))
      else copyFileSync(join(shop, name), place.path(name))
    }
    const config: unknown = JSON.parse(
      readFileSync(join(shop, "turnhouse.json"), "utf8").replaceAll(/^\s*\/\/.*$|\s\/\/ .*$/gm, ""),
    )
    writeFileSync(place.path("quick.json"), JSON.stringify({ ...Object(config), model: "offline/demo:0" }))
    expect((await place.run("knowledge", "add", "knowledge", "--org", "public")).code).toBe(0)
    const running = place.start(["serve", "--port", "0", "--config", "quick.json"])
    const url = await running.until("an address", () => /^listening on (http:\S+)$/m.exec(running.stdout)?.[1])
    const client = await WsClient.open(`${url.replace("http", "ws")}/ws`)
    const { sessionId } = await client.create({ agentId: "shop" })
    client.say({
      action: "send_message",
      requestId: "r1",
      sessionId,
      message: "Can I return what I bought last week?",
    })
    const end = await client.end("r1")
    const citations = end.type === "eventual_response" ? (end.data.data.citations ?? []) : []
    const cited = citations.find(({ id }) => id === "returns.md")
    expect(cited?.score).toBeGreaterThan(0)
    expect(readFileSync(join(shop, "knowledge/returns.md"), "utf8")).toContain(cited?.snippet)
    expect(JSON.stringify(end)).toContain("returns.md says:")
    running.signal("SIGTERM")
    await running.ended
  })
})
