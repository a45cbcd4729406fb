import { expect, it } from "vitest"
import { endedCall } from "./call-lines.ts"
import { lineText } from "./spans.ts"

const done = { outcome: "done", output: "x", ms: 200 } as const
const texts = (...given: Parameters<typeof endedCall>) => endedCall(...given).map(lineText)

it("shows a list of tasks with check marks", () => {
  const todos = [
    { content: "one", status: "completed" },
    { content: "two", status: "in_progress" },
    { content: "three", status: "pending" },
  ]
  expect(texts({ tool: "todo", input: { todos } }, done, { width: 30 }).slice(1)).toEqual([
    "  │ ✓ one",
    "  │ ▸ two",
    "  │ ○ three",
  ])
})

it("shows what a search looks for, and where", () => {
  const head = (input: { pattern: string; path?: string }) => texts({ tool: "grep", input }, done, { width: 60 })[0]
  expect(head({ pattern: "toFixed", path: "src" })).toContain('● grep "toFixed" in src')
  expect(head({ pattern: "toFixed" })).toMatch(/^● grep "toFixed" +0\.2 s$/)
})

it("keeps danger for what was damaged or denied", () => {
  const failed = endedCall({ tool: "bash", input: { command: "x" } }, { ...done, outcome: "failed" }, { width: 40 })
  expect(failed.flat().some(({ styles }) => styles.includes("danger"))).toBe(false)
})
