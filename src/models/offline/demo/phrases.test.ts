import { globSync, readFileSync } from "node:fs"
import { describe, expect, it } from "vitest"
import { converse, core, failing, type Run } from "../../../testing/demo-conversation.ts"
import { PHRASES, parseRequest } from "./phrases.ts"

const root = new URL("../../../../", import.meta.url)
const page = readFileSync(new URL("docs/offline-model.md", root), "utf8")
const agentTools = [...core, "subagent", "subagent_start", "subagent_collect", "lookup_order"]

/** Examples for the words in capitals. */
const examples: Readonly<Record<string, string>> = {
  FILE: "package.json",
  KEY: "name",
  TEXT: "hello there",
  COMMAND: "`ls -la`",
  NUMBER: "three",
  TASK: "read package.json",
  TOOL: "lookup_order",
  JSON: '{"order": 17}',
}
const filledIn = PHRASES.flatMap(({ templates: says }) => says).map((text) =>
  text.replaceAll(/[A-Z]{2,}/g, (slot) => examples[slot] ?? slot),
)

describe("a phrase of the table", () => {
  it.each(filledIn)("calls a tool and answers: %s", async (message) => {
    const run: Run = () => "Agent 01890000-0000-7000-8000-00000000000a has begun."
    const { calls, text } = await converse(message, run, agentTools)
    expect(calls.length).toBeGreaterThan(0)
    expect(text).not.toContain("I did not understand")
    expect((await converse(message, () => failing("Denied by ada."), agentTools)).text).toContain("it was not allowed")
  })

  it("is listed in docs/offline-model.md with what it does, and the page lists no other", () => {
    const rows = page
      .split("\n")
      .filter((line) => line.startsWith("| `"))
      .map((line) => line.split(" | ").map((cell) => cell.replaceAll(/^\||\|$/g, "").trim()))
    const table = rows.filter(([says = ""]) => !says.startsWith("`offline/") && !says.startsWith("`{"))
    expect(table).toEqual(
      PHRASES.map(({ templates: says, description: does }) => [says.map((text) => `\`${text}\``).join(", "), does]),
    )
  })
})

describe("a message", () => {
  it.each(["look around", "Look around.", "what is in this folder?", "  read a.txt\n"])("matches: %j", (message) => {
    expect(parseRequest(message)?.readsOnly).toBe(true)
  })

  it.each([
    "read a.txt and b.txt",
    "please look around",
    "run ls",
    "run `ls`, then delete everything",
    "call lookup_order with {order}",
    "write a poem",
    `read ${"a".repeat(3000)}`,
  ])("matches no phrase: %s", (message) => {
    expect(parseRequest(message)).toBeUndefined()
  })
})

describe("README.md, docs/ and examples/", () => {
  const files = globSync(["README.md", "docs/*.md", "examples/**/*.{md,ts}"], { cwd: root.pathname })
  const shown = files
    .filter((file) => file !== "docs/knowledge.md") // answered from the documents that the page adds
    .map((file) => readFileSync(new URL(file, root), "utf8"))
    .flatMap((text) => text.match(/```[\s\S]*?```/g) ?? [text])
    .filter((block) => !/offline\/script/.test(block))
    .flatMap((block) => block.split("\n").filter((line) => !/needs a real model/.test(line)))
    .flatMap((line) => [...line.matchAll(/\bturnhouse run [^"]*"([^"]+)"|\.(?:prompt|say)\("([^"]+)"/g)])
    .map((found) => found[1] ?? found[2] ?? "")

  it("show phrases", () => {
    expect(shown.length).toBeGreaterThan(5)
  })

  it.each([...new Set(shown)])("show only phrases that work without a key: %s", (message) => {
    expect(parseRequest(message)).toBeDefined()
  })
})
