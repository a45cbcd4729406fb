import { truncateSync } from "node:fs"
import { join } from "node:path"
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import { sourceRuns, type SourceRuns } from "../fixtures/source-runs.ts"
import { openForReading } from "../index/schema.ts"

let runs: SourceRuns
let file: string

beforeEach(() => {
  runs = sourceRuns()
  file = join(runs.folder, "issues.json")
})
afterEach(() => runs.delete())

const read = () => runs.run({ kind: "issues", root: file })

function exported(...rows: readonly unknown[]): void {
  runs.write("issues.json", JSON.stringify(rows))
}

function textOf(name: string): string {
  const database = openForReading(runs.path)
  const rows = database
    ?.prepare(
      "select passages.heading, text from passages join documents on documents.id = document where name = ? order by ordinal",
    )
    .all(name)
  database?.close()
  return (rows ?? []).map((row) => `${String(row["heading"])} ${String(row["text"])}`).join("\n")
}

/** As `gh issue list --json` prints it. */
const listed = {
  number: 7,
  title: "Parser fails",
  body: "It stops at tabs.",
  state: "OPEN",
  labels: [{ name: "bug" }, { name: "parser" }],
  author: { login: "ada" },
  createdAt: "2026-01-02T03:04:05Z",
  url: "https://github.com/shop/api/issues/7",
  comments: [{ author: { login: "bob" }, body: "Fixed in main.", createdAt: "2026-01-03T00:00:00Z" }],
}

/** As the REST API prints it. */
const rest = {
  number: 8,
  title: "Add a flag",
  body: null,
  state: "closed",
  labels: [{ id: 1, name: "feature" }],
  user: { login: "eve" },
  created_at: "2026-02-02T03:04:05Z",
  html_url: "https://github.com/shop/api/pull/8",
  url: "https://api.github.com/repos/shop/api/issues/8",
  comments: 1,
  pull_request: { url: "x" },
}

describe("an export of issues", () => {
  it("becomes a document for each issue, with title, state, labels, comments and address", async () => {
    exported(listed, rest, {
      issue_url: "https://api.github.com/repos/shop/api/issues/8",
      body: "Please do.",
      user: { login: "ada" },
    })
    expect(await read()).toMatchObject({ outcome: "done", added: ["shop/api#7", "shop/api#8"] })
    for (const part of [
      "Parser fails",
      "state: open",
      "labels: bug, parser",
      "by ada, 2026-01-02",
      "It stops at tabs.",
      "Fixed in main.",
    ])
      expect(textOf("shop/api#7")).toContain(part)
    for (const part of ["Pull request 8", "state: closed", "Please do."]) expect(textOf("shop/api#8")).toContain(part)
  })

  it("reads only the issues that changed, and removes those that are not in it", async () => {
    exported(listed, rest)
    await read()
    exported({ ...listed, state: "CLOSED" })
    expect(await read()).toMatchObject({ changed: ["shop/api#7"], removed: ["shop/api#8"], unchanged: 0 })
  })

  it.for([
    ["pages of lists", JSON.stringify([[listed], [rest]])],
    ["a list for each page", `${JSON.stringify([listed])}\n${JSON.stringify([rest])}`],
    ["an object in each line", `${JSON.stringify(listed)}\n${JSON.stringify(rest)}\n`],
  ] as const)("may have %s", async ([, text]) => {
    runs.write("issues.json", text)
    expect((await read()).added).toHaveLength(2)
  })

  it("without addresses names its issues by the file", async () => {
    exported({ number: 1, title: "A" }, { number: 2, title: "B", url: "javascript:1" })
    expect((await read()).added).toEqual(["issues#1", "issues#2"])
  })

  it.for([
    ["no JSON", "neither JSON nor a JSON value in each line (line 1)"],
    ["[1, 2]", "has no issues with a number and a title"],
    ["{}", "has no issues with a number and a title"],
    ['[{"number": 1}]', "entry 1 has no number or title"],
    ['[{"number": -1, "title": "x"}]', "entry 1 has no number or title"],
    ["", "has no issues with a number and a title"],
    [Buffer.from([0x5b, 0xff, 0x5d]), "it is not UTF-8"],
  ] as const)("%j is refused", async (row) => {
    const [content, reason]: readonly [string | Buffer, string] = row
    runs.write("issues.json", content)
    const report = await read()
    expect(report).toMatchObject({ outcome: "failed", note: expect.stringContaining(reason) })
    expect(report.note).toContain(file)
  })

  it("of 1 GB is refused without reading it", async () => {
    runs.write("issues.json", "[")
    truncateSync(file, 1024 ** 3)
    expect((await read()).note).toContain("it has 1024 MiB; 64 MiB can be read")
  })
})
