import { describe, expect, it } from "vitest"
import { withDirective } from "./defined-tool.ts"
import { workbenches } from "./fixtures/workbench.ts"
import type { ToolResult } from "./tool.ts"

const openBench = workbenches()
const visitor = { requestedSpec: () => undefined }
const directive = { type: "send_file", files: [{ name: "a.pdf", url: "https://shop.example/a.pdf" }] }

function told(output: string, change: Partial<ToolResult> = {}): ToolResult {
  return withDirective({ outcome: "done", output, ...change }, openBench().context({ visitor }))
}

describe("a directive", () => {
  it("stands beside the result, and the model reads the output alone", () => {
    const printed = JSON.stringify({ output: "The invoice was sent.", directive })
    expect(told(printed, { details: { exitCode: 0 } })).toEqual({
      outcome: "done",
      output: "The invoice was sent.",
      details: { exitCode: 0, directive },
    })
  })

  it("may come with anything else, which is then for the model", () => {
    expect(told(JSON.stringify({ order: 7, directive })).output).toBe('{"order":7}')
    expect(told(JSON.stringify({ output: { order: 7 }, directive })).output).toBe('{"order":7}')
    expect(told(JSON.stringify({ directive })).output).toBe("Done.")
  })

  it.each([
    "plain words",
    '{"order":7}',
    '{"directive":"send_file"}',
    '{"directive":[1]}',
    '[{"directive":{}}]',
    '{"directive":{}} and more',
    "{ half",
  ])("is not in %s", (output) => expect(told(output)).toEqual({ outcome: "done", output }))

  it("is of no use where a tool failed or nobody visits", () => {
    const output = JSON.stringify({ directive })
    expect(told(output, { outcome: "failed" })).toEqual({ outcome: "failed", output })
    expect(withDirective({ outcome: "done", output }, openBench().context())).toEqual({ outcome: "done", output })
  })
})
