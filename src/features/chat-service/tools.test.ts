import { describe, expect, it } from "vitest"
import type { JsonValue } from "../../contract/values.ts"
import { workbenches } from "../../tools/fixtures/workbench.ts"
import { serviceTools } from "./tools.ts"
import type { Tool, ToolContext } from "../../tools/tool.ts"

const openBench = workbenches()

function tool(name: string): Tool {
  const found = serviceTools().find((one) => one.name === name)
  if (found === undefined) throw new Error(`there is no tool ${name}`)
  return found
}

async function call(name: string, input: JsonValue, change: Partial<ToolContext> = {}) {
  expect(tool(name).problem(input)).toBeUndefined()
  return (await tool(name).prepare(input, openBench().context(change))).run()
}

describe("tools for visitors", () => {
  it("name what is wrong with their input", () => {
    expect(tool("escalate").problem({ reason: " " })).toContain("'reason' is missing")
    expect(tool("request_identity_intake").problem({ fields: ["age"] })).toContain("may be name, email and phone")
    expect(tool("request_choices").problem({ questions: [] })).toContain("one to four questions")
    expect(tool("submit_interaction").problem({ values: {} })).toContain("'kind' must be one of")
    expect(tool("submit_interaction").problem({ kind: "choices" })).toContain("'values' is missing")
  })

  it("refuse unknown fields and name the nearest one", () => {
    const escalate = { reason: "angry", urgency: "high" }
    expect(tool("escalate").problem(escalate)).toBe("escalate has no field 'urgency'; its fields are reason.")
    const choices = { question: [], reason: "x" }
    expect(tool("request_choices").problem(choices)).toContain("did you mean 'questions'?")
    for (const { inputSchema } of serviceTools()) expect(inputSchema).toMatchObject({ additionalProperties: false })
  })

  it("ask with the given reason or the default one", () => {
    const interaction = (reason?: string) => tool("request_identity_intake").interaction?.({ fields: ["name"], reason })
    expect(interaction(" to find your order ")?.reason).toBe("to find your order")
    expect([interaction("  ")?.reason, interaction()?.reason]).toEqual(["to help you better", "to help you better"])
  })

  it("check submitted values against the request", async () => {
    const asked = { questions: [{ header: "Size", options: ["S", "L"] }] }
    const submit = (values: JsonValue) =>
      call("submit_interaction", { kind: "choices", values }, { visitor: { requestedSpec: () => asked } })
    expect(await submit({ answers: [{ header: "Size", options: ["XL"] }] })).toMatchObject({
      outcome: "failed",
      output: "The values cannot be taken: Size: there is no such option to choose.",
    })
    const answers = [{ header: "Size", options: ["L"] }]
    expect(await submit({ answers })).toEqual({
      outcome: "done",
      output: JSON.stringify({ status: "submitted", values: { answers } }),
    })
  })

  it("accept that the visitor declines", async () => {
    const declined = await call("submit_interaction", {
      kind: "identity_intake",
      declined: true,
      values: { email: "x" },
    })
    expect(declined).toMatchObject({ outcome: "done", output: expect.stringContaining('"status":"declined"') })
    expect(declined.details).toBeUndefined()
  })
})
