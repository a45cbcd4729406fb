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
  it("is kept beside the result, and the model gets the output only", () => {
    const printed = JSON.stringify({ output: "The invoice was sent.", directive })
    expect(told(printed, { details: { exitCode: 0 } })).toEqual({
      outcome: "done",
      output: "The invoice was sent.",
      details: { exitCode: 0, directive },
    })
  })

  it("may come with other members, which the model gets", () => {
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
  ])("is not found in %s", (output) => expect(told(output)).toEqual({ outcome: "done", output }))

  it("is ignored when the tool failed or the session has no visitor", () => {
    const output = JSON.stringify({ directive })
    expect(told(output, { outcome: "failed" })).toEqual({ outcome: "failed", output })
    expect(withDirective({ outcome: "done", output }, openBench().context())).toEqual({ outcome: "done", output })
  })
})
