import { expect, it } from "vitest"
import { readCommandMessage } from "./command-output.ts"

const table = (...rows: readonly (readonly string[])[]) =>
  readCommandMessage({ event: { kind: "table", headers: ["a", "b"], rows: rows.map((row) => [...row]) } })?.text

it("a table has aligned columns, except for cells wider than the limit", () => {
  const wide = "x".repeat(100)
  expect(table(["one", "1"], [wide, "2"])).toBe(
    [`${"a".padEnd(80)}  b`, `${"one".padEnd(80)}  1`, `${wide}  2`].join("\n"),
  )
})

it("a table with a huge cell and many rows stays small", () => {
  const rows = Array.from({ length: 100_000 }, () => ["short", ""])
  const text = table(["x".repeat(1_000_000), "1"], ...rows) ?? ""
  expect(text.length).toBeLessThan(1_300_000)
  expect(text.endsWith("(98002 more rows omitted)")).toBe(true)
})
