import { describe, expect, it } from "vitest"
import { checks } from "../../../contract/generated/tool-inputs.js"
import {
  converse,
  core,
  failing,
  numbered,
  packageJson,
  type Run,
  type Output,
} from "../../../testing/demo-conversation.ts"
import { answerOf, offer, user } from "../../../testing/index.ts"
import { offlineModel } from "../offline-model.ts"

describe("the demo", () => {
  it("looks around with ls", async () => {
    const { calls, text } = await converse("look around", () => "README.md (12 bytes)\nsrc/")
    expect(calls).toEqual([["ls", {}]])
    expect(text).toBe("This is in this folder:\n\n```\nREADME.md (12 bytes)\nsrc/\n```")
  })

  it("uses bash where there is no ls", async () => {
    const { calls } = await converse("list the files in src", () => "x", ["bash"])
    expect(calls).toEqual([["bash", { command: "ls -la src" }]])
  })

  it.each([
    ["read package.json and tell me the name", 'In package.json, name is "teapot".'],
    ["what is the version in package.json", 'In package.json, version is "2.1.0".'],
    ["read package.json and tell me the test", 'In package.json, test is "vitest".'],
    ["read package.json and tell me scripts.test", 'In package.json, scripts.test is "vitest".'],
    ["how many lines does package.json have", "package.json has 5 lines."],
    ["read package.json and tell me the colour", 'I read package.json and found no "colour" in it.'],
  ])("answers from a file: %s", async (message, text) => {
    const conversation = await converse(message, () => packageJson)
    expect(conversation.calls).toEqual([["read", { path: "package.json" }]])
    expect(conversation.text).toBe(text)
  })

  it("answers with the lines that hold the word when the file is not JSON", async () => {
    const { text } = await converse("read notes.txt and tell me the price", () =>
      numbered("tea", "The price is 3.", "end"),
    )
    expect(text).toBe('In notes.txt, "price" stands here:\n\n```\nThe price is 3.\n```')
  })

  it("shows the first lines of a long file", async () => {
    const lines = Array.from({ length: 30 }, (_, index) => `line ${index + 1}`)
    const { text } = await converse("read notes.txt", () => numbered(...lines))
    expect(text).toContain("notes.txt has 30 lines. It begins with:")
    expect(text).toContain("line 10\n```")
    expect(text).not.toContain("line 11")
  })

  it("does not claim to know the length of a file that it saw in part", async () => {
    const output = `${numbered("a", "b")}\n[The file may go on; read with offset 3 for more.]`
    const { text } = await converse("how many lines does notes.txt have", () => output)
    expect(text).toBe("notes.txt has more lines than I was shown.")
  })

  it("says that an empty file is empty", async () => {
    expect((await converse("read notes.txt", () => "notes.txt is empty.")).text).toBe("notes.txt is empty.")
  })

  it("reads two files with parallel calls in one step", async () => {
    const { steps, text } = await converse("read a.txt and b.txt", (_, input) => numbered(JSON.stringify(input)))
    expect(steps.map(({ answer }) => answer.calls.map((call) => call.input))).toEqual([
      ['{"path":"a.txt"}', '{"path":"b.txt"}'],
      [],
    ])
    expect(text).toMatch(/a\.txt has 1 line:[\s\S]+b\.txt has 1 line:/)
  })

  it("searches for text, not for a pattern", async () => {
    const { calls, text } = await converse("search for a.b(c) in src", () => "src/x.ts:3: a.b(c)")
    expect(calls).toEqual([["grep", { pattern: String.raw`a\.b\(c\)`, path: "src" }]])
    expect(text).toContain("src/x.ts:3: a.b(c)")
  })

  it("falls back to a plain grep in bash, and knows its way of saying that there is nothing", async () => {
    const { calls, text } = await converse("find it's here in src", () => failing("[exit code 1]"), ["bash"])
    expect(calls).toEqual([["bash", { command: String.raw`grep -rnF 'it'\''s here' src` }]])
    expect(text).toBe('"it\'s here" does not occur in src.')
  })

  it("finds files by name", async () => {
    const { calls } = await converse("find files named *.test.ts in src", () => "src/a.test.ts")
    expect(calls).toEqual([["find", { pattern: "*.test.ts", path: "src" }]])
  })

  it("reads a file before it changes it", async () => {
    const outputs: Record<string, string> = { read: numbered("red", "green"), edit: "Changed colours.txt." }
    const { calls, text } = await converse("replace red by blue in colours.txt", (tool) => outputs[tool] ?? "")
    expect(calls).toEqual([
      ["read", { path: "colours.txt" }],
      ["edit", { path: "colours.txt", old_string: "red", new_string: "blue" }],
    ])
    expect(text).toBe('I replaced "red" by "blue" in colours.txt.')
  })

  it.each([
    [numbered("green"), '"red" does not stand in it'],
    [numbered("red", "red again"), "stands in it 2 times"],
  ])("does not change a file where the text does not stand once", async (output, why) => {
    const { calls, text } = await converse("replace red by blue in colours.txt", () => output)
    expect(calls.map(([tool]) => tool)).toEqual(["read"])
    expect(text).toContain(why)
  })

  it("writes a file that does not exist yet", async () => {
    const run: Run = (tool) => (tool === "read" ? failing("notes.txt does not exist.") : "Created notes.txt.")
    const { calls, text } = await converse("write hello to notes.txt", run)
    expect(calls[1]).toEqual(["write", { path: "notes.txt", content: "hello\n" }])
    expect(text).toBe("I wrote notes.txt.")
  })

  it("reads again when the write tool has forgotten that it did", async () => {
    const outputs: Output[] = [
      numbered("old"),
      failing("notes.txt exists and was not read in this session; nothing was done. Read it first."),
      numbered("old"),
      "Replaced notes.txt.",
    ]
    const { calls, text } = await converse("write hello to notes.txt", () => outputs.shift() ?? "")
    expect(calls.map(([tool]) => tool)).toEqual(["read", "write", "read", "write"])
    expect(text).toBe("I replaced what was in notes.txt.")
  })

  it("reports a write tool that is never content, instead of trying for ever", async () => {
    const run: Run = (tool) => (tool === "read" ? numbered("old") : failing("Read it first."))
    const { calls, text } = await converse("write hello to notes.txt", run)
    expect(calls.map(([tool]) => tool)).toEqual(["read", "write", "read", "write"])
    expect(text).toContain("I did not write notes.txt.")
  })

  it("appends behind the last lines that name one place", async () => {
    const run: Run = (tool) => (tool === "read" ? numbered("end", "x", "end") : "Changed notes.txt.")
    const { calls } = await converse("append goodbye to notes.txt", run)
    expect(calls[1]).toEqual(["edit", { path: "notes.txt", old_string: "x\nend", new_string: "x\nend\ngoodbye" }])
  })

  it("does not append to a file whose end it has not seen", async () => {
    const output = `${numbered("a")}\n[The file may go on; read with offset 2 for more.]`
    const { calls, text } = await converse("append goodbye to notes.txt", () => output)
    expect(calls).toHaveLength(1)
    expect(text).toContain("I have not seen its end")
  })

  it.each([
    ["run `ls -la`", "ls -la"],
    ["run the tests", "npm test"],
    ["delete everything in build/", "rm -r build/*"],
    ["remove old.txt", "rm -r old.txt"],
    ["delete 'my file; ls'", "rm -r 'my file; ls'"],
    ["remove '-rf'", "rm -r ./'-rf'"],
    ["remove *.log", "rm -r *.log"],
  ])("hands a command to bash: %s", async (message, command) => {
    expect((await converse(message, () => "")).calls).toEqual([["bash", { command }]])
  })

  it.each([
    "delete everything in /",
    "delete everything in ..",
    "delete everything in this folder",
    "remove ~/x",
    "remove ./*",
    "remove *.*",
    "remove build/../..",
  ])("deletes nothing that has no name inside this folder: %s", async (message) => {
    const { calls, text } = await converse(message, () => "")
    expect(calls).toEqual([])
    expect(text).toContain("I delete only what has a name inside this folder")
  })

  it("calls any tool that is offered", async () => {
    const { calls, text } = await converse('call lookup_order with {"order": 17}', () => "on its way", ["lookup_order"])
    expect(calls).toEqual([["lookup_order", { order: 17 }]])
    expect(text).toContain("on its way")
  })

  it.each(core.map((tool) => [tool]))("gives %s an input that the tool accepts", async (tool) => {
    const messages = [
      "list the files in src",
      "read a.txt",
      "find x in src",
      "find *.ts in src",
      "replace a by b in c.txt",
      "write a to c.txt",
      "run `x`",
    ]
    const inputs: unknown[] = []
    for (const message of messages) {
      const { calls } = await converse(message, () => numbered("a"))
      inputs.push(...calls.filter(([name]) => name === tool).map(([, input]) => input))
    }
    const check = Object.entries(checks).find(([name]) => name === tool)?.[1]
    expect(inputs.length).toBeGreaterThan(0)
    expect(inputs.map((input) => check?.(input))).toEqual(inputs.map(() => true))
  })
})

describe("a tool that is not offered", () => {
  it.each([
    ["replace a by b in c.txt", "edit"],
    ["write a to c.txt", "write"],
    ["append a to c.txt", "read"],
    ["run `x`", "bash"],
    ["look around", "bash"],
    ["read a.txt", "bash"],
    ["call lookup_order with {}", "lookup_order"],
  ])("is not called: %s", async (message, tool) => {
    const { calls, text } = await converse(message, () => "", [])
    expect(calls).toEqual([])
    expect(text).toContain(`the tool ${tool} is not available to me in this session`)
  })

  it("is not called when the caller wants no calls", async () => {
    const model = offlineModel("offline/demo:0")
    const options = { prompt: [user("look around")], tools: offer("ls"), toolChoice: { type: "none" } as const }
    expect((await answerOf(model, options)).calls).toEqual([])
  })
})

describe("a call that did not go well", () => {
  it("is reported as not allowed when somebody said no", async () => {
    const { text } = await converse("delete everything in build/", () => failing("Denied by ada: not today"))
    expect(text).toContain("I did not delete everything in build/: it was not allowed.")
    expect(text).toContain("Denied by ada: not today")
  })

  it("is reported as not allowed when the provider interface says so", async () => {
    const denied = { type: "execution-denied", reason: "no shell here" } as const
    expect((await converse("run `x`", () => denied)).text).toContain("not allowed.\n\n```\nno shell here")
  })

  it("is reported with what was said", async () => {
    const { text } = await converse("run `make`", () => failing("make: *** no rule"))
    expect(text).toContain("The command `make` was not successful. This is what I was told:\n\n```\nmake: *** no rule")
  })

  it("leaves what was to follow undone, and says so", async () => {
    const { calls, text } = await converse("read a.txt, then delete b.txt", () => failing("a.txt does not exist."))
    expect(calls).toEqual([["read", { path: "a.txt" }]])
    expect(text).toContain("I left the rest of what you asked for undone.")
  })
})
