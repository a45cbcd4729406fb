import { describe, expect, it } from "vitest"
import type { JsonValue } from "../../src/contract/values.ts"
import { scenarioProblem } from "./check-scenario.ts"

const steps = [{ prompt: "Hi" }, { end: "done" }]

function problemOf(change: Readonly<Record<string, JsonValue>>): string | undefined {
  return scenarioProblem({ title: "A title", model: [], steps, ...change })
}

describe("a scenario", () => {
  it("needs a title, a model and steps", () => {
    expect(problemOf({})).toBeUndefined()
    expect(scenarioProblem({ model: [], steps })).toBe('needs "title"')
    expect(scenarioProblem([])).toBe("must be an object")
    expect(problemOf({ steps: [] })).toBe('"steps" is empty')
  })

  it.each<[Readonly<Record<string, JsonValue>>, string]>([
    [{ dor: "ws" }, 'has an unknown member "dor"'],
    [{ door: "wss" }, '"door" must be one of ws, rpc, ipc, house'],
    [{ cannot: { wss: "Why." } }, '"cannot" has an unknown member "wss"'],
    [{ model: [[{ txt: "Hi" }]] }, '"model" is no script of a model: step 1, part 1 has an unknown member "txt"'],
    [{ models: { b: {} } }, '"models" "b" is no script of a model'],
    [{ steps: [{ promt: "Hi" }] }, '"steps" number 1 must have one of'],
    [{ steps: [...steps, { end: "over" }] }, '"steps" number 3 "end" must be one of done'],
    [{ steps: [{ text: "Hi", says: "Hi" }] }, 'number 1 has an unknown member "says"'],
    [{ steps: [{ text: "Hi", on: ["wss"] }] }, 'number 1 "on" number 1 must be one of ws'],
    [{ steps: [{ file: "a" }] }, 'number 1 needs "holds"'],
    [{ steps: [{ together: [[{ prompt: "Hi" }]] }] }, 'number 1 "together" number 1 number 1 must have one of call'],
    [{ steps: [{ send: {} }] }, "must have one of"],
    [{ door: "ws", steps: [{ prompt: "Hi" }] }, "must have one of"],
    [{ door: "ws", steps: [{ many: {} }] }, 'number 1 needs "joined"'],
    [{ steps: [{ __proto__: "Hi" }] }, "must have one of"],
    [{ steps: [{ toString: "Hi" }] }, "must have one of"],
  ])("reports the position of an error: %j", (change, problem) => {
    expect(problemOf(change)).toContain(problem)
  })

  it("expects the end of every turn on every door", () => {
    expect(problemOf({ steps: [{ prompt: "Hi" }, { text: "Hello." }] })).toBe('"steps" has 1 turns and 0 ends for ws')
    expect(problemOf({ steps: [{ prompt: "Hi", is: "refused" }] })).toBeUndefined()
    const onOne = [...steps, { prompt: "More", on: ["rpc"] }]
    expect(problemOf({ steps: onOne })).toBe('"steps" has 2 turns and 1 ends for rpc')
    expect(problemOf({ steps: onOne, cannot: { rpc: "Why." } })).toBeUndefined()
    expect(problemOf({ steps: [{ prompt: "Hi" }, { together: [[{ call: "a" }], [{ end: "done" }]] }] })).toBeUndefined()
    expect(problemOf({ steps: steps.map((step) => ({ ...step, on: ["rpc"] })) })).toBe(
      '"steps" has none for ws; "cannot" may say why',
    )
  })

  it("a written text is not an expected text", () => {
    expect(problemOf({ steps: [{ write: "go", text: "" }] })).toBeUndefined()
    expect(problemOf({ steps: [{ text: "" }] })).toContain('"text" must be a text, not empty')
  })
})
