import { describe, expect, it } from "vitest"
import { checks } from "../../../contract/generated/tool-inputs.js"
import { converse, failing, numbered, packageJson, type Run, type Output } from "../../../testing/demo-conversation.ts"
import { answerOf, offer, user } from "../../../testing/index.ts"
import { offlineModel } from "../offline-model.ts"

describe("the demo", () => {
  it("lists the folder with ls", async () => {
    const { calls, text } = await converse("look around", () => "README.md (12 bytes)\nsrc/")
    expect(calls).toEqual([["ls", {}]])
    expect(text).toBe("This is in this folder:\n\n```\nREADME.md (12 bytes)\nsrc/\n```")
  })

  it.each([
    ["read package.json and tell me the name", 'In package.json, name is "teapot".'],
    ["Read package.json and tell me the version.", 'In package.json, version is "2.1.0".'],
    ["read package.json and tell me the scripts.test", 'In package.json, scripts.test is "vitest".'],
    ["read package.json and tell me the colour", 'I read package.json and found no "colour" in it.'],
  ])("answers from a file: %s", async (message, text) => {
    const conversation = await converse(message, () => packageJson)
    expect(conversation.calls).toEqual([["read", { path: "package.json" }]])
    expect(conversation.text).toBe(text)
  })

  it("answers with the lines that contain the word when the file is not JSON", async () => {
    const { text } = await converse("read notes.txt and tell me the price", () =>
      numbered("tea", "The price is 3.", "end"),
    )
    expect(text).toBe('In notes.txt, "price" appears here:\n\n```\nThe price is 3.\n```')
  })

  it("shows the first lines of a long file", async () => {
    const lines = Array.from({ length: 30 }, (_, index) => `line ${index + 1}`)
    const { text } = await converse("read notes.txt", () => numbered(...lines))
    expect(text).toContain("notes.txt has 30 lines. It begins with:")
    expect(text).toContain("line 10\n```")
    expect(text).not.toContain("line 11")
  })

  it("says that an empty file is empty", async () => {
    expect((await converse("read notes.txt", () => "notes.txt is empty.")).text).toBe("notes.txt is empty.")
  })

  it("writes a file", async () => {
    const { calls, text } = await converse("write hello to notes.txt", () => "Created notes.txt.")
    expect(calls).toEqual([["write", { path: "notes.txt", content: "hello\n" }]])
    expect(text).toBe("I wrote notes.txt.")
  })

  it("reads a file when the write tool asks for it", async () => {
    const outputs: Output[] = [
      failing("notes.txt exists and was not read in this session; nothing was done. Read it first."),
      numbered("old"),
      "Replaced notes.txt.",
    ]
    const { calls, text } = await converse("write hello to notes.txt", () => outputs.shift() ?? "")
    expect(calls.map(([tool]) => tool)).toEqual(["write", "read", "write"])
    expect(text).toBe("I replaced what was in notes.txt.")
  })

  it("reports a write tool that always fails, instead of retrying forever", async () => {
    const run: Run = (tool) => (tool === "read" ? numbered("old") : failing("Read it first."))
    const { calls, text } = await converse("write hello to notes.txt", run)
    expect(calls.map(([tool]) => tool)).toEqual(["write", "read", "write"])
    expect(text).toContain("I did not write notes.txt.")
  })

  it("runs a command", async () => {
    expect((await converse("run `ls -la`", () => "")).calls).toEqual([["bash", { command: "ls -la" }]])
  })

  it("calls any tool that is offered", async () => {
    const { calls, text } = await converse('call lookup_order with {"order": 17}', () => "on its way", ["lookup_order"])
    expect(calls).toEqual([["lookup_order", { order: 17 }]])
    expect(text).toContain("on its way")
  })

  it.each(["ls", "read", "write", "bash"])("gives %s an input that the tool accepts", async (tool) => {
    const inputs: unknown[] = []
    for (const message of ["look around", "read a.txt", "write a to c.txt", "run `x`"]) {
      const { calls } = await converse(message, () => numbered("a"))
      inputs.push(...calls.filter(([name]) => name === tool).map(([, input]) => input))
    }
    const check = Object.entries(checks).find(([name]) => name === tool)?.[1]
    expect(inputs.map((input) => check?.(input))).toEqual([true])
  })
})

describe("a tool that is not offered", () => {
  it.each([
    ["write a to c.txt", "write"],
    ["run `x`", "bash"],
    ["look around", "ls"],
    ["read a.txt", "read"],
    ["ask an agent to look around", "subagent"],
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

describe("a call that failed", () => {
  it("is reported as not allowed when an approver denied it", async () => {
    const { text } = await converse("write a to c.txt", () => failing("Denied by ada: not today"))
    expect(text).toContain("I did not write c.txt: it was not allowed.")
    expect(text).toContain("Denied by ada: not today")
  })

  it("is reported as not allowed when the provider interface says so", async () => {
    const denied = { type: "execution-denied", reason: "no shell here" } as const
    expect((await converse("run `x`", () => denied)).text).toContain("not allowed.\n\n```\nno shell here")
  })

  it("is reported with the output of the tool", async () => {
    const { text } = await converse("run `make`", () => failing("make: *** no rule"))
    expect(text).toContain("The command `make` was not successful. The tool reported:\n\n```\nmake: *** no rule")
  })
})
