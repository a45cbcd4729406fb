// The demo with the built-in tools at work in a real folder: what the tools print is what the demo must make sense of.
import type { LanguageModelV4Message } from "@ai-sdk/provider"
import { existsSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { answerOf, assistant, called, offer, result, user } from "../../../testing/index.ts"
import { workbenches, type Workbench } from "../../../tools/fixtures/workbench.ts"
import { offlineModel } from "../offline-model.ts"

const allTools = ["bash", "read", "write", "edit", "grep", "find", "ls"]

/** One turn, with `between` called before each step: a crash, say. */
async function turn(bench: Workbench, message: string, tools = allTools, between = () => {}): Promise<string> {
  const prompt: LanguageModelV4Message[] = [user("hi"), assistant("Hello."), user(message)]
  for (;;) {
    const answer = await answerOf(offlineModel("offline/demo:0"), { prompt, tools: offer(...tools) })
    if (answer.calls.length === 0) return answer.text
    between()
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

  it("reads a file and tells the name from it", async () => {
    const bench = openBench()
    bench.put("package.json", '{\n  "name": "teapot"\n}\n')
    expect(await turn(bench, "read package.json and tell me the name")).toBe('In package.json, name is "teapot".')
    expect(await turn(bench, "read package.json and tell me the name", ["bash"])).toBe(
      'In package.json, name is "teapot".',
    )
  })

  it("says which files are not there, and what the tool suggests", async () => {
    const bench = openBench()
    bench.put("notes.txt", "tea\n")
    expect(await turn(bench, "read note.txt and notes.txt")).toMatch(
      /I could not read note\.txt\.[\s\S]+Did you mean notes\.txt\?[\s\S]+notes\.txt has 1 line/,
    )
  })

  it("looks around, finds and searches", async () => {
    const bench = openBench()
    bench.put("src/tea.ts", "// remember: boil (water)\n")
    expect(await turn(bench, "look around")).toContain("src/")
    expect(await turn(bench, "find *.ts")).toContain("src/tea.ts")
    expect(await turn(bench, "search for boil (water) in src")).toContain("src/tea.ts:1:// remember: boil (water)")
    expect(await turn(bench, "search for boil (water) in src", ["bash"])).toContain(
      "src/tea.ts:1:// remember: boil (water)",
    )
  })

  it.each([[allTools], [["bash"]]])("says when there is nothing to find, with %j", async (tools) => {
    const bench = openBench()
    bench.put("a.txt", "tea\n")
    expect(await turn(bench, "find coffee in a.txt", tools)).toBe('"coffee" does not occur in a.txt.')
    expect(await turn(bench, "find *.md", tools)).toBe("There are no files like *.md.")
  })

  it("replaces, writes and appends", async () => {
    const bench = openBench()
    bench.put("colours.txt", "red\r\ngreen\r\n")
    expect(await turn(bench, "replace red by blue in colours.txt")).toBe('I replaced "red" by "blue" in colours.txt.')
    expect(bench.text("colours.txt")).toBe("blue\r\ngreen\r\n")
    expect(await turn(bench, "write hello to new/notes.txt, then append goodbye to new/notes.txt")).toBe(
      'I wrote new/notes.txt.\n\nI appended "goodbye" to new/notes.txt.',
    )
    expect(bench.text("new/notes.txt")).toBe("hello\ngoodbye\n")
    expect(await turn(bench, "write again to new/notes.txt")).toBe("I replaced what was in new/notes.txt.")
    bench.put("empty.txt", "")
    await turn(bench, "append first to empty.txt, then append second to empty.txt")
    expect(bench.text("empty.txt")).toBe("first\nsecond\n")
  })

  it("does not append to a file that is too long to be seen whole", async () => {
    const bench = openBench()
    bench.put("long.txt", "x\n".repeat(3000))
    expect(await turn(bench, "append y to long.txt")).toContain("I have not seen its end")
  })

  it("writes although the host forgot, between two steps, what was read", async () => {
    const bench = openBench()
    bench.put("notes.txt", "old\n")
    let steps = 0
    const crashOnce = () => void (++steps === 2 && bench.forget())
    expect(await turn(bench, "write new to notes.txt", allTools, crashOnce)).toBe("I replaced what was in notes.txt.")
    expect(bench.text("notes.txt")).toBe("new\n")
  })

  it("runs commands and reports how they end", async () => {
    const bench = openBench()
    expect(await turn(bench, "run `echo tea`")).toBe("I ran `echo tea`. It printed:\n\n```\ntea\n```")
    expect(await turn(bench, "run `true`")).toBe("I ran `true`; it printed nothing.")
    expect(await turn(bench, "run `exit 3`")).toContain("exit code 3")
  })

  it("deletes what lies in a folder, and only that", async () => {
    const bench = openBench()
    bench.put("build/a.js", "")
    bench.put("build/deep/b.js", "")
    bench.put("keep.txt", "")
    expect(await turn(bench, "delete everything in build/")).toBe(
      "I deleted everything in build/ with `rm -r build/*`.",
    )
    expect(["build", "build/a.js", "build/deep", "keep.txt"].map((path) => existsSync(join(bench.cwd, path)))).toEqual([
      true,
      false,
      false,
      true,
    ])
  })
})
