import { readFileSync } from "node:fs"
import { describe, expect, it } from "vitest"
import { user } from "../../../testing/index.ts"
import { conversationToSummarise } from "../summary-request.ts"
import type { Stage } from "./request.ts"
import { understand } from "./understand.ts"

const look = (path?: string) => ({ kind: "look", path })
const read = (path: string, wanted?: string) => ({ kind: "read", path, wanted })
const search = (text: string, path?: string) => ({ kind: "search", text, path })
const findFiles = (glob: string, path?: string) => ({ kind: "find-files", glob, path })
const replace = (path: string, from: string, to: string) => ({ kind: "replace", path, from, to })
const write = (path: string, text: string) => ({ kind: "write", path, text })
const append = (path: string, text: string) => ({ kind: "append", path, text })
const run = (command: string) => ({ kind: "run", command })
const remove = (path: string, contents = false) => ({ kind: "delete", path, contents })

describe("a phrase", () => {
  it.each<[string, object]>([
    ["look around", look()],
    ["Look around and tell me what you see.", look()],
    ["what is here?", look()],
    ["What's in this folder?", look()],
    ["list files", look()],
    ["list the files in src", look("src")],
    ["show me the files in the src folder", look("src")],
    ["what is in src/", look("src/")],
    ["ls src", look("src")],
    ["read package.json", read("package.json")],
    ["show me README.md", read("README.md")],
    ["open src/main.ts", read("src/main.ts")],
    ["what is in package.json", read("package.json")],
    ["read package.json and tell me the name", read("package.json", "name")],
    ["Please read package.json and tell me what the version is.", read("package.json", "version")],
    ["what is the version in package.json?", read("package.json", "version")],
    ["read notes.txt and tell me the first line", read("notes.txt", "first line")],
    ["how many lines does notes.txt have?", read("notes.txt", "number of lines")],
    ["read notes.txt and tell me how many lines it has", read("notes.txt", "number of lines")],
    ["find water", search("water")],
    ["search for water in src", search("water", "src")],
    ["search src for water", search("water", "src")],
    ["search this folder for water", search("water")],
    ["grep water", search("water")],
    ["search for read and write in src", search("read and write", "src")],
    ["find files named *.test.ts", findFiles("*.test.ts")],
    ["find *.md in docs", findFiles("*.md", "docs")],
    ["find files ending in .json", findFiles("*.json")],
    ["replace red by blue in colours.txt", replace("colours.txt", "red", "blue")],
    ["change red to blue in colours.txt", replace("colours.txt", "red", "blue")],
    ["in colours.txt, replace red with blue", replace("colours.txt", "red", "blue")],
    ['replace `a and b` by "c. d" in x.txt', replace("x.txt", "a and b", "c. d")],
    ["write hello to notes.txt", write("notes.txt", "hello")],
    ["write Hello there. Nice day to notes.txt", write("notes.txt", "Hello there. Nice day")],
    ['write "first, then second" to notes.txt', write("notes.txt", "first, then second")],
    ["create notes.txt with hello", write("notes.txt", "hello")],
    ["create a new file notes.txt with the text hello", write("notes.txt", "hello")],
    ["save hello in notes.txt", write("notes.txt", "hello")],
    ["append goodbye to notes.txt", append("notes.txt", "goodbye")],
    ["add the line goodbye to notes.txt", append("notes.txt", "goodbye")],
    ["run `ls -la`", run("ls -la")],
    ["run git status", run("git status")],
    ["execute make", run("make")],
    ["run the tests", run("npm test")],
    ["run the tests and tell me the result", run("npm test")],
    ["run the build", run("npm run build")],
    ["delete everything in build/", remove("build/", true)],
    ["remove old.txt", remove("old.txt")],
    ['call lookup_order with {"order": 17}', { kind: "call", tool: "lookup_order", input: { order: 17 } }],
    ["ask an agent to read a.txt and tell me the name", { kind: "ask-agent", task: "read a.txt and tell me the name" }],
    ["Please ask another agent to look around.", { kind: "ask-agent", task: "look around" }],
    ["delegate: read a.txt", { kind: "delegate", task: "read a.txt" }],
    ["help", { kind: "help" }],
    ["hello", { kind: "help" }],
  ])("%s", (message, request) => {
    expect(understand(message)).toEqual([[request]])
  })
})

describe("several requests", () => {
  it("are done at once when one verb has several files", () => {
    expect(understand("read a.txt, b.txt and c.txt")).toEqual([[read("a.txt"), read("b.txt"), read("c.txt")]])
    expect(understand("delete a.txt and b.txt")).toEqual([[remove("a.txt"), remove("b.txt")]])
  })

  it("are done at once when they only look", () => {
    const stage = [read("a.txt"), search("foo", "src"), look()]
    expect(understand("read a.txt and find foo in src and list files")).toEqual([stage])
  })

  it("follow one another when one of them changes something", () => {
    expect(understand("write x to a.txt and read a.txt")).toEqual([[write("a.txt", "x")], [read("a.txt")]])
  })

  it.each([
    "read a.txt, then run `ls`",
    "read a.txt and then run `ls`",
    "Hello! Please read a.txt. Then run `ls`. Thanks!",
    "read a.txt\nrun `ls`",
  ])("follow one another in: %s", (message) => {
    expect(understand(message)).toEqual([[read("a.txt")], [run("ls")]])
  })
})

describe("work for several agents", () => {
  const delegate = (task: string) => ({ kind: "delegate", task })

  it("is the same for each, or one task each", () => {
    expect(understand("ask three agents to look around")).toEqual([[1, 2, 3].map(() => delegate("look around"))])
    const each = [[delegate("read a.txt, then run `ls`"), delegate("look around")]]
    expect(understand("ask two agents to read a.txt, then run `ls`; look around")).toEqual(each)
    expect(understand("delegate:\nread a.txt, then run `ls`\nlook around")).toEqual(each)
    const literal = [delegate("run `sleep 1; ls`"), delegate("look around")]
    expect(understand("ask two agents to run `sleep 1; ls`; look around")).toEqual([literal])
  })
})

describe("what fits no phrase", () => {
  it.each([
    "what is the meaning of life?",
    "delete everything",
    "remove the bug",
    "run the server",
    "read a.txt and sing",
    "write a poem to my love",
    "```\nrm -r x\n```",
    "call lookup_order with {order}",
    `find ${"word ".repeat(1000)}`,
  ])("is not guessed at: %s", (message) => {
    expect(kinds(understand(message))).toEqual(["unknown"])
  })

  it("does not keep the rest of a message from being looked up", () => {
    expect(understand("I am new here. Read a.txt.")).toEqual([
      [{ kind: "unknown", text: "I am new here" }],
      [read("a.txt")],
    ])
  })

  it("keeps the rest of a message from changing anything", () => {
    expect(kinds(understand("Make sure nobody needs it. Then delete build/."))).toEqual(["unknown"])
  })
})

describe("docs/offline-model.md", () => {
  const phrases = documentedPhrases()

  it("has a table of phrases", () => {
    expect(phrases.length).toBeGreaterThan(35)
  })

  it.each(phrases)("is true to its word about: %s", (phrase) => {
    const asksForSummary = conversationToSummarise([user("hello"), user(phrase)], { tools: tools() }) !== undefined
    expect(asksForSummary || !kinds(understand(phrase)).includes("unknown")).toBe(true)
  })
})

function tools() {
  return [{ type: "function", name: "read", inputSchema: {} } as const]
}

function kinds(stages: readonly Stage[]): readonly string[] {
  return stages.flat().map((request) => request.kind)
}

/** The code spans in the first column of the table under "What it understands". */
function documentedPhrases(): readonly string[] {
  const page = readFileSync(new URL("../../../../docs/offline-model.md", import.meta.url), "utf8")
  const section = page.split("### What it understands")[1]?.split("\n#")[0] ?? ""
  const rows = section.split("\n").filter((line) => line.startsWith("| ") && line.includes("`"))
  const spans = rows.flatMap((row) => [...(row.split(" | ")[0] ?? "").matchAll(/``\s?(.+?)\s?``|`([^`]+)`/g)])
  return spans.map((span) => span[1] ?? span[2] ?? "")
}
