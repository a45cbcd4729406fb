// The demo with the built-in tools in a real folder: it must understand the output of the tools.
import type { LanguageModelV4Message } from "@ai-sdk/provider"
import { describe, expect, it } from "vitest"
import { answerOf, assistant, called, offer, result, user } from "../../../testing/index.ts"
import { workbenches, type Workbench } from "../../../tools/fixtures/workbench.ts"
import { offlineModel } from "../offline-model.ts"

const allTools = ["bash", "read", "write", "edit", "grep", "find", "ls"]

async function turn(bench: Workbench, message: string, tools = allTools): Promise<string> {
  const prompt: LanguageModelV4Message[] = [user("hi"), assistant("Hello."), user(message)]
  for (;;) {
    const answer = await answerOf(offlineModel("offline/demo:0"), { prompt, tools: offer(...tools) })
    if (answer.calls.length === 0) return answer.text
    const calls = answer.calls.map((call) => ({
      id: call.toolCallId,
      tool: call.toolName,
      input: JSON.parse(call.input),
    }))
    prompt.push(called(...calls))
    for (const { id, tool, input } of calls) {
      const { outcome, output } = await bench.call(tool, input)
      prompt.push(result(id, tool, { type: outcome === "done" ? "text" : "error-text", value: output }))
    }
  }
}

describe("with real tools the demo", () => {
  const openBench = workbenches()

  it("reads a file and answers with the name in it", async () => {
    const bench = openBench()
    bench.put("package.json", '{\n  "name": "teapot"\n}\n')
    expect(await turn(bench, "read package.json and tell me the name")).toBe('In package.json, name is "teapot".')
  })

  it("says that a file does not exist, and what the tool suggests", async () => {
    const bench = openBench()
    bench.put("notes.txt", "tea\n")
    expect(await turn(bench, "read note.txt")).toMatch(/I could not read note\.txt\.[\s\S]+Did you mean notes\.txt\?/)
    expect(await turn(bench, "read notes.txt")).toBe("notes.txt has 1 line:\n\n```\ntea\n```")
  })

  it("lists the folder", async () => {
    const bench = openBench()
    bench.put("src/tea.ts", "// boil water\n")
    expect(await turn(bench, "look around")).toContain("src/")
  })

  it("writes a new file and replaces one that exists", async () => {
    const bench = openBench()
    expect(await turn(bench, "write hello to new/notes.txt")).toBe("I wrote new/notes.txt.")
    bench.forget()
    expect(await turn(bench, "write goodbye to new/notes.txt")).toBe("I replaced what was in new/notes.txt.")
    expect(bench.text("new/notes.txt")).toBe("goodbye\n")
  })

  it("does not state the length of a file that it read in part", async () => {
    const bench = openBench()
    bench.put("long.txt", "x\n".repeat(3000))
    expect(await turn(bench, "read long.txt")).toContain("long.txt has more lines than I was shown. It begins with:")
  })

  it("runs commands and reports how they end", async () => {
    const bench = openBench()
    expect(await turn(bench, "run `echo tea`")).toBe("I ran `echo tea`. It printed:\n\n```\ntea\n```")
    expect(await turn(bench, "run `true`")).toBe("I ran `true`; it printed nothing.")
    expect(await turn(bench, "run `exit 3`")).toContain("exit code 3")
  })
})
